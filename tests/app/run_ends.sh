#!/usr/bin/env bash
# State and result of a run: train's closing lines, --json, result.json, metrics.jsonl and report agree.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_samples.sh"
deck="$folder/deck.toml"
planted_deck "$deck"
# in_page TEXT: the report of the run has it in a cell or a tile, there with ": " before what stands below the value. Its JSON tells "state" and "steps", too.
in_page() {
  run "$TESSEREC" report "$folder/run" --json
  [ "$code" = 0 ] || complain "the report ends with exit code $code"
  grep -qF -- "$1" <(sed -E 's|</b><small[^>]*>|: |g' "$folder/run/report.html") || complain "the report lacks \"$1\": $(grep -oE '<td>[^<]*' "$folder/run/report.html" | tr '\n' ' ')"
}
of_last() { grep "\"kind\": \"$1\"" "$folder/run/metrics.jsonl" | tail -n 1 | grep -oE "\"$2\": [^,}]*" | sed 's/.*: //'; }

# The last batch has 40 of 1000 samples, the last line the last 15 % of them.
must_succeed '"exit_reason": "finished"' train "$deck" --json --set train.log_every=7
cp "$folder/err" "$folder/lines"
for key in loss samples steps; do
  line_key=${key/steps/step}
  [ "$(value $key)" = "$(of_last train $line_key)" ] || complain "$key is $(value $key), the last line has $(of_last train $line_key)"
done
[ "$(value auc)" = "$(of_last evaluate auc)" ] || complain "the last evaluation has another AUC"
[ "$(value step)" = 16 ] || complain "the evaluation does not tell its step"
cmp -s "$folder/out" "$folder/run/result.json" || complain "result.json is not what --json printed"
closing=$(printf '%.6f' "$(value loss)")
grep -q "^16 steps, 1000 samples, loss $closing, " "$folder/lines" || complain "the closing line has another loss than $closing"
grep -q "  loss $(printf '%.5f' "$(value loss)")  " "$folder/lines" || complain "the progress line has another loss"
loss=$(printf '%.5g' "$(value loss)")
in_page ">$loss<"
in_page '>finished<'
[ "$(value state) $(value steps)" = 'finished 16' ] || complain "the report's JSON has another state"
in_page ">$(grep -oE '"start_time": "[^"]*' "$folder/run/run.json" | head -n 1 | sed 's/.*"//')<"

# A run that ends by itself records the reason in its folder; a refused start leaves the old record.
must_fail 'the loss is not a number' train "$deck" --set train.epochs=9 --set optimizer.dense.lr=1e30 --set 'checkpoint.accept=["optimizer"]'
message=$(grep '^tesserec: ' "$folder/err" | sed 's/^tesserec: //')
"$JSON_CHECK" <"$folder/run/result.json" || complain "result.json is not one JSON object"
grep -qF "\"steps\": 17, \"samples\": 1064, \"exit_reason\": \"diverged\", \"message\": \"$message\"" "$folder/run/result.json" || complain "no reason in result.json"
in_page ">diverged: $message<"
in_page '>2: gaps '  # starts
in_page ', until start 1<'  # another rate
must_fail 'was made with model.bottom' train "$deck" --set model.embedding_dim=8 --set "model.bottom=[8, 8]"
in_page ">diverged: $message<"

# Runs that are running, stopped or killed.
long() { # SECONDS_OF_A_LINE...: a run of its own, in the background
  "$TESSEREC" train "$deck" --set "run.output=$folder/run" --set train.epochs=1000000 --set train.log_every=5 \
    --set checkpoint.every_steps=50 "$@" >"$folder/long" 2>&1 </dev/null &
  pid=$!
  for _ in $(seq 300); do [ "$(cat "$folder/run/metrics.jsonl" 2>/dev/null | wc -l)" -gt "$lines" ] && return; sleep 0.1; done
  complain "a run does not start: $(cat "$folder/long")"
}
rm -rf "$folder/run"
lines=20
long
in_page ">running: process $pid on "
grep -q "\"state\": \"running\", \"detail\": \"process $pid on [^\"]*\", \"in_use\": true, \"steps\": [1-9]" "$folder/out" || complain "the report's JSON does not tell that it runs"
kill -TERM $pid
wait $pid
in_page '>stopped by signal 15: the same command resumes from its checkpoint<'
steps=$(grep -oE '"steps": [0-9]+' "$folder/run/result.json" | sed 's/.*: //')
in_page ">$steps<"
lines=$(($(wc -l <"$folder/run/metrics.jsonl") + 20))
long
kill -KILL $pid
wait $pid 2>/dev/null
[ ! -e "$folder/run/result.json" ] || complain "a killed run has the result of an earlier start"
in_page '>crashed<'
[ "$(value state)" = crashed ] || complain "the report's JSON does not tell the crash"
in_page '>2: gaps '
must_succeed '"exit_reason": "finished"' train "$deck" --json --set "train.steps=$((steps + 1000))" --set train.epochs=1000000
in_page '>finished<'
in_page '>3: gaps '
in_page ">$(grep -oE '"start_time": "[^"]*' "$folder/run/run.json" | sed -n '2s/.*"//p')<"  # the first of `starts`
must_succeed '"exit_reason": "finished"' train "$deck" --json --set checkpoint.resume=never --set run.overwrite=true
run "$TESSEREC" report "$folder/run"
! grep -q '<small[^>]*>gaps ' "$folder/run/report.html" || complain "a run that begins anew has earlier starts"
finish
