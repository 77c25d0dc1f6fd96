#!/usr/bin/env bash
# A week of days with new ids; each day resumes from the best checkpoint of the day before. One rank and changing
# numbers of ranks give the same weights, and scores of the eighth day's rows by their keys.
. "$(dirname "$0")/lib.sh"

code=0
touch "$folder/out" "$folder/err"
week() { # NAME RANKS...
  ROWS=400 MPIRUN=${LAUNCH% *} bash "$DOCS/../runs/week.sh" "$folder/$1" "${@:2}" >"$folder/$1.txt" 2>"$folder/$1.err" ||
    complain "$1: $(cat "$folder/$1.err")"
}
week alone 1
week changing 3 1 2
lines() { sed -E 's/, ranks [0-9]+//; s/scores in .*,/scores,/' "$folder/$1.txt"; }
[ "$(lines alone)" = "$(lines changing)" ] || complain "other bits: $(diff <(lines alone) <(lines changing))"
[ "$(grep -c '^day [1-7],.*weights [0-9a-f]\{16\}, best log_loss 0\.' "$folder/changing.txt")" = 7 ] || complain 'not seven days'
head -n 2 "$folder/changing/day8/scores.csv" | grep -qE '^d8-0,0\.[0-9]+$' || complain 'the scores do not begin with their key'
[ "$(grep -c 'tables have more rows than in day' "$folder/alone/log.txt")" = 6 ] || complain 'no new rows on some day'
step=$(sed -nE 's/.*"step": ([0-9]+).*/\1/p' "$folder/alone/day7/run/checkpoints/best.json")
[ -d "$folder/alone/day7/run/checkpoints/$(printf 'step_%09d' "$step")" ] || complain 'the best checkpoint of the last day is gone'
finish
