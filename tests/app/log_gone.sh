#!/usr/bin/env bash
# A log whose reader ended, whose disk is full, or which is closed: commands continue, and the record of a run counts
# the lost lines. A lost stdout is an error, after the work is done.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_samples.sh"
deck="$folder/deck.toml"
planted_deck "$deck"
: >"$folder/out" >"$folder/err"
train=(train "$deck" --set run.overwrite=true --set checkpoint.resume=never)
record="$folder/run/result.json"
launch="$LAUNCH $RANKS"
[ "$RANKS" -gt 1 ] || launch=

# ends HOW CODE: what stands in $code, with a checkpoint and a record that says how many lines were lost.
ends() {
  [ "$code" = "$2" ] || complain "$1: exit code $code, not $2"
  grep -qE "\"log_lines_lost\": $3[,}]" "$record" || complain "$1: the record does not say $3 lines lost"
  [ -n "$(find "$folder/run/checkpoints" -name manifest.json)" ] || complain "$1: no checkpoint"
  rm -rf "$folder/run"
}

# Descriptor 9 is a pipe whose only reader has ended.
mkfifo "$folder/pipe"
exec 8<>"$folder/pipe" 9>"$folder/pipe" 8<&-

run "$TESSEREC" "${train[@]}"
ends "a log" 0 0
# With several ranks, the launcher reads the log and loses its reader.
if [ "$RANKS" = 1 ]; then
  "$TESSEREC" "${train[@]}" 2>&9 >/dev/null
  code=$?
  ends "a reader that has ended" 0 '[1-9][0-9]*'
  "$TESSEREC" "${train[@]}" 2>/dev/full
  code=$?
  ends "a full disk" 0 '[1-9][0-9]*'
  "$TESSEREC" "${train[@]}" 2>&-
  code=$?
  ends "no stderr" 0 '[1-9][0-9]*'
  for command in "check $deck" "evaluate $deck" "predict $deck" "generate $deck --print 1" "plan $deck" "verify $folder/run/scores.h5"; do
    [[ $command != evaluate* ]] || "$TESSEREC" "${train[@]}" 2>/dev/null
    # shellcheck disable=SC2086
    "$TESSEREC" $command 2>/dev/full >"$folder/out"
    code=$?
    [ "$code" = 0 ] || complain "$command with a full disk behind its log: exit code $code"
  done
fi
# Commands that write files leave them whole.
if [ "$RANKS" = 1 ]; then
  criteo_deck "$folder/criteo.toml"
  { cat "$deck"; printf '[sweep.keys]\n"optimizer.dense.lr" = [0.05, 0.1]\n'; } >"$folder/sweep.toml"
  "$TESSEREC" "${train[@]}" 2>/dev/null
  # ended COMMAND FILE: stdout has a reader that has ended.
  ended() {
    # shellcheck disable=SC2086
    "$TESSEREC" $1 2>"$folder/err" >&9
    code=$?
    [ "$code" = 2 ] || complain "$1, no reader: exit code $code, not 2"
    grep -q '^tesserec: cannot write to standard output' "$folder/err" || complain "$1, no reader: nothing is said"
    [ -z "$2" ] || [ -s "$folder/$2" ] || complain "$1, no reader: no $2"
    [ -z "$(find "$folder" -name '*.tmp')" ] || complain "$1, no reader: drafts"
  }
  ended describe ''
  ended "plan $deck" ''
  ended "preprocess $folder/criteo.toml --json" data/evaluate.h5
  ended "report $folder/run --json" run/report.html
  ended "bench --only costs --set bench.seconds=1e-6 --set bench.repeats=2 --set bench.memory=2097152 --save $folder/costs.toml" costs.toml
  ended "sweep run $folder/sweep.toml --set run.output=$folder/swept" swept/sweep.json
  [ "$(find "$folder/swept" -name result.json | wc -l)" = 2 ] || complain "sweep run, no reader: points are missing"
  rm -rf "$folder/run"
fi
for gone in '/dev/full' '&-'; do
  eval "$launch \"$TESSEREC\" \"\${train[@]}\" --json 2>\"$folder/err\" >$gone </dev/null"
  code=$?
  # A launcher of several ranks takes their stdout.
  [ "$RANKS" -gt 1 ] || ends "stdout $gone" 2 0
  [ "$RANKS" -gt 1 ] || grep -q '^tesserec: cannot write to standard output' "$folder/err" || complain "stdout $gone: nothing is said"
done
finish
