#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# site.sh ROOT: links of all pages, and the site that mkdocs makes of docs/ without a warning, where mkdocs is installed.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$1"
mapfile -t pages < <(ls README.md CHANGELOG.md docs/*.md docs/design/*.md inputs/README.md runs/README.md \
  runs/compare/README.md examples/README.md src/*/README.md)
perl "$here/links.pl" "$PWD" "${pages[@]}"
# A dead link must be seen.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/docs"
printf '# A\n[gone](gone.md) [there](#a) [not there](#b) `src/gone.cpp`\n' >"$folder/docs/a.md"
found=$(perl "$here/links.pl" "$folder" docs/a.md || true)
[ "$(grep -c '^docs/a.md:2: ' <<<"$found")" = 3 ] || { echo "links.pl found: $found"; exit 1; }

if command -v mkdocs >/dev/null && mkdocs build --help >/dev/null 2>&1; then
  mkdocs build --strict --quiet -f mkdocs.yml -d "$folder/site" || { mkdocs build --strict -f mkdocs.yml -d "$folder/site"; exit 1; }
  for page in docs/*.md docs/design/*.md; do
    html=${page#docs/}
    [ -f "$folder/site/${html%.md}.html" ] || { echo "$page: not in the site"; exit 1; }
    grep -q ": ${html}$" mkdocs.yml || { echo "mkdocs.yml: nav lacks $page"; exit 1; }
  done
fi
