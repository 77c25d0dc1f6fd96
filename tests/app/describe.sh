#!/usr/bin/env bash
# describe in its three forms; docs/deck.md is the Markdown form.
. "$(dirname "$0")/lib.sh"
must_succeed 'batch_size: integer' describe
must_succeed '| `batch_size` | integer |' describe --markdown
cmp -s "$folder/out" "$DOCS/deck.md" || complain "docs/deck.md differs; write it anew: build/tesserec describe --markdown > docs/deck.md"
must_succeed '"name": "batch_size"' describe --json
"$JSON_CHECK" <"$folder/out" || complain "--json is not one JSON object"
finish
