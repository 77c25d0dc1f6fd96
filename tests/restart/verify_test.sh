#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tesserec verify reads the deltas of a killed run, and names the one whose predecessor is missing. A deck without
# checkpoints refuses deltas.
. "$(dirname "${BASH_SOURCE[0]}")/../app/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/small_deck.sh" "$folder/deck.toml"
run=$folder/run

"$TESSEREC" train "$folder/deck.toml" --set "run.output=$run" --set checkpoint.delta_seconds=0.001 \
  --set checkpoint.every_steps=0 --set evaluate.every_steps=0 --set train.epochs=100000 \
  >"$folder/out" 2>"$folder/err" </dev/null &
job=$!
for _ in $(seq 300); do
  [ "$(grep -c '^delta ' "$folder/err")" -lt 5 ] || break
  sleep 0.1
done
kill -9 "$job"
wait "$job" 2>/dev/null

"$TESSEREC" verify "$run" >"$folder/out" 2>"$folder/err"
code=$?
[ "$code" = 0 ] || complain "verify of whole deltas: exit code $code"
grep -q '\.delta is whole, the changes since step ' "$folder/err" || complain "verify does not name the deltas"

mapfile -t deltas < <(ls -d "$run"/checkpoints/step_*.delta)
rm -r "${deltas[1]}"
"$TESSEREC" verify "$run" >"$folder/out" 2>"$folder/err"
code=$?
[ "$code" = 2 ] || complain "verify of a broken chain: exit code $code"
grep -q "${deltas[2]} continues a state of step " "$folder/err" || complain "verify does not name the delta after the gap"

"$TESSEREC" check "$folder/deck.toml" --set checkpoint.delta_seconds=60 --set checkpoint.keep=0 >"$folder/out" 2>"$folder/err"
code=$?
[ "$code" = 2 ] || complain "deltas without checkpoints: exit code $code"
grep -q 'checkpoint.delta_seconds is set, but checkpoint.keep = 0' "$folder/err" || complain "the message names no key"
finish
