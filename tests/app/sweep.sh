#!/usr/bin/env bash
# tesserec sweep as its user sees it: equal points on 1 and 2 ranks, a killed point, halving with the bits of an
# undisturbed run, a signal, and one message per mistake.
. "$(dirname "$0")/lib.sh"
deck="$folder/deck.toml"
halved="$folder/halved.toml"
sweep="$folder/runs/sweep"
cp "$(dirname "$0")/../../inputs/sweep.toml" "$halved"
sed '/^\[sweep.halving\]/,$d' "$halved" >"$deck"
line=$(grep -n '^"optimizer.dense.lr"' "$deck" | sed 's/:.*//')
cd "$folder" || exit 1
alone() { RANKS=1 "$@"; }
count() { find "$sweep" -name "$1" | wc -l; }
# point KEY INDEX: a text of sweep.json
point() { grep "\"index\": $2," "$sweep/sweep.json" | grep -o "\"$1\": \"[^\"]*" | sed 's/.*: "//'; }

# Each mistake has one message with its line; nothing is written.
alone must_fail 'tesserec sweep needs a second word (list, run, collect)' sweep
alone must_fail 'tesserec sweep needs a second word (list, run, collect)' sweep lst "$deck"
alone must_fail 'plain.toml: the deck has no [sweep]' sweep list "$(sed '/^\[sweep/,$d' "$deck" >plain.toml; echo "$folder/plain.toml")"
sed 's/optimizer.dense.lr"/optimizer.dense.rl"/' "$deck" >bad.toml
alone must_fail 'bad.toml:'"$line"': optimizer.dense.rl is unknown; did you mean optimizer.dense.lr?' sweep list bad.toml
sed 's/1e-6, 3e-3/1e-6, "much"/' "$deck" >bad.toml
alone must_fail 'bad.toml:'"$line"': optimizer.dense.lr must be a finite number' sweep list bad.toml
sed '/"/{/optimizer\|schedule/d}' "$deck" | sed '/^\[sweep.keys\]/q' >bad.toml
alone must_fail 'sweep.keys is empty; give at least one key that varies' sweep list bad.toml
sed 's/1e-4, 0.1, 10.0/1e-4, 0.1, 1e-1/' "$deck" >bad.toml
alone must_fail 'bad.toml:'$((line + 1))': sweep.keys.optimizer.sparse.lr has 0.1 twice' sweep list bad.toml
sed 's/"optimizer.dense.lr" =/"run.output" =/' "$deck" >bad.toml
alone must_fail 'bad.toml:'"$line"': sweep.keys.run.output cannot vary' sweep list bad.toml
alone must_fail '--set 1: optimizer.dense.lr varies in this sweep' sweep list "$deck" --set optimizer.dense.lr=1
alone must_fail "--set 1: run.output: $deck: cannot create this folder: a file has its name" sweep run "$deck" --set "run.output=$deck/x"
alone must_fail '--set 1: sweep.metric is "auprc", which evaluate.metrics lacks' sweep list "$deck" --set sweep.metric=auprc
alone must_fail '--set 1: sweep.halving.first_steps is 433, but a whole run has 432 steps' sweep list "$deck" --set sweep.halving.first_steps=433
alone must_fail '--set 1: sweep.halving.first_steps is 433, but a whole run has 432 steps' check "$deck" --set sweep.halving.first_steps=433
alone must_succeed '"steps": 5' train "$halved" --json --set train.steps=5 --set run.output=plain
must_fail 'must be an integer, 0 to 26, but is "27"' sweep run "$deck" 27
must_fail 'must be an integer, 0 to 26, but is "one"' sweep run "$deck" one
RANKS=2 must_fail 'start it without a launcher, or give the index' sweep run "$deck"
# A point that cannot run on its ranks is named before any is started.
lanes=(--set 'sweep.keys={"train.lanes" = [4, 2, 1, 8]}' --set sweep.method=list --set sweep.ranks=3)
alone must_fail 'index 1, lanes=2: the point cannot run on 3 ranks: ' sweep run "$deck" "${lanes[@]}"
grep -q 'but train.lanes is 2.*; nor can 1 more of 4 points$' "$folder/err" || complain "not the key and the number of points"
alone must_fail 'index 1, kernel=host_cached: the point cannot run on 1 rank: ' sweep run "$deck" \
  --set 'sweep.keys={"plan.kernel" = ["fused", "host_cached"]}'
[ ! -e "$sweep" ] || complain "something was written"
RANKS=3 must_fail 'index 2, lanes=1: the point cannot run on 3 ranks: ' sweep run "$deck" 2 "${lanes[@]}"
alone must_succeed '; missing: indices 0, 1, 2, 3' sweep collect "$deck" "${lanes[@]}"
rm -r "$sweep"

# The points are the same in each command.
must_succeed 'runs/sweep/dense.lr=1e-06,sparse.lr=1e-04,warmup_steps=10-' sweep list "$deck"
[ "$(grep -c runs/sweep/ "$folder/out")" = 27 ] || complain "not 27 points"
must_succeed '"index": 26' sweep list "$deck" --json
"$JSON_CHECK" <"$folder/out" || complain "list --json is not one JSON object"

# Tasks of one rank on one machine share no folder of Open MPI, since the end of one would break the start of another.
OMPI_MCA_orte_tmpdir_base=$deck/none alone must_succeed '"index": 0' sweep list "$deck" --json

# A grid of 24 as an array with one index killed: the other 23 stay, the missing index is named, run completes it.
array=(--set 'sweep.keys."schedule.warmup_steps"=[5, 50, 1000]' --set 'sweep.keys."optimizer.sparse.lr"=[0.1, 1.0]'
       --set 'sweep.keys."optimizer.dense.lr"=[0.001, 0.003, 0.01, 0.1]' --set train.steps=100 --set sweep.jobs=4)
seq 0 23 | grep -vx 7 | xargs -P 4 -I INDEX "$TESSEREC" sweep run "$deck" INDEX "${array[@]}" --json >points 2>err ||
  complain "a task of the array failed: $(grep -vE '^(step|weights|model|plan|data|batch|checkpoint|  )' err | tail -n 40)"
[ "$(grep -c '"state": "done"' points)" = 23 ] || complain "not 23 points"
"$TESSEREC" sweep run "$deck" 7 "${array[@]}" >/dev/null 2>&1 &
job=$!
for _ in $(seq 2000); do [ "$(count point.json)" = 24 ] && break; sleep 0.01; done
kill -KILL "$job"
wait "$job" 2>/dev/null
alone must_succeed 'started: index 7' sweep collect "$deck" "${array[@]}"
grep -q '^23 of 24 points ended' "$folder/out" || complain "not 23 of 24"
before=$(point weights_digest 6)
RANKS=2 must_succeed '"state": "done"' sweep run "$deck" 6 "${array[@]}" --json  # nothing to do
# A Slurm job with several tasks, and words for Kokkos.
SLURM_NTASKS=4 alone must_succeed '24 of 24 points ended' sweep run "$deck" "${array[@]}" --kokkos-num-threads=1
[ "$(grep -c 'of 24: index' "$folder/err")" = 1 ] || complain "more than the missing point was trained"
# The same index on 2 ranks in an empty folder: the same bits.
RANKS=2 must_succeed "\"weights_digest\": \"$before\"" sweep run "$deck" 6 "${array[@]}" --set run.output=elsewhere --json
[ "$(head -n 1 "$sweep/sweep.csv")" = "index,auc,steps,samples,state,optimizer.dense.lr,optimizer.sparse.lr,schedule.warmup_steps,folder" ] || complain "sweep.csv"
"$JSON_CHECK" <"$sweep/sweep.json" || complain "sweep.json is no JSON object"
# A folder of another deck is refused, and also one whose record lost its metrics.
first=$(point folder 0)
cp "$first/point.json" kept
sed -i 's/"deck_digest": "./"deck_digest": "x/' "$first/point.json"
alone must_fail 'point.json: the folder belongs to another deck' sweep collect "$deck" "${array[@]}"
RANKS=2 must_succeed '"state": "done"' sweep run "$deck" 6 "${array[@]}" --json  # another point's task
sed 's/"auc"/"old"/' kept >"$first/point.json"
alone must_fail "$first: the run to step 100 has no auc" sweep collect "$deck" "${array[@]}"
rm -r "$sweep"

# Halving finds the best of the 27 in less than 40 % of the grid's samples, across a signal, with the bits of a whole
# run.
"$TESSEREC" sweep run "$halved" >out 2>err &
job=$!
for _ in $(seq 300); do [ "$(grep -c ' of 27: index' err)" -ge 3 ] && break; sleep 0.1; done
kill -TERM "$job"
wait "$job"
code=$?
[ "$code" = 85 ] || complain "a signal: exit code $code, not 85"
[ "$(count 'point.json')" -lt 27 ] || complain "all points were begun before the signal"
alone must_succeed '27 of 27 points ended, 24 of them stopped' sweep run "$halved"
grep -q '^3024 steps, 25.9 % of training all points to the end' "$folder/out" || complain "halving took other steps"
[ "$(sed -n '2s/,.*//p' "$sweep/sweep.csv")" = 12 ] || complain "halving did not find the planted best"
digest=$(point weights_digest 12)
alone must_succeed '0 of 27 points ended' sweep collect "$deck" --set run.output=runs/sweep  # what was stopped is not done
[ "$(count checkpoints)" = 27 ] || complain "not 27 runs"
# Its whole run and another, on 2 ranks each; the other fails first, because a file blocks its checkpoint folder.
whole=(--set 'sweep.keys."optimizer.dense.lr"=[0.003, 1e-5]' --set 'sweep.keys."optimizer.sparse.lr"=[0.1]'
       --set 'sweep.keys."schedule.warmup_steps"=[10]' --set run.output=whole --set sweep.ranks=2)
# shellcheck disable=SC2086
whole+=(--set "sweep.launcher=[$(printf '"%s", ' $LAUNCH)\"{ranks}\"]")
broken=$("$TESSEREC" sweep list "$deck" "${whole[@]}" | grep -o 'whole/.*1e-05.*')
mkdir -p "$broken"
touch "$broken/checkpoints"
alone must_fail "1 point failed; the same command repeats only unfinished points: index 1 ($broken/log.txt): " sweep run "$deck" "${whole[@]}"
alone must_fail "log.txt): exit code 1" sweep run "$deck" "${whole[@]}" --set 'sweep.launcher=["false"]'  # not the message before
rm "$broken/checkpoints"
alone must_succeed '2 of 2 points ended' sweep run "$deck" "${whole[@]}"
[ "$(grep -c 'of 2: index' "$folder/err")" = 1 ] || complain "more than the failed point was trained"
grep -q "\"weights_digest\": \"$digest\"" whole/sweep.json || complain "halving gave other bits than whole runs"
alone must_succeed '"state": "stopped"' sweep run "$halved" 26 --json
# A signal reaches both ranks of a long run through its launcher: a checkpoint is written, and nothing more.
long=("${whole[@]}" --set run.output=long --set sweep.jobs=1 --set train.steps=300000 --set train.epochs=1000000)  # half a minute
"$TESSEREC" sweep run "$deck" "${long[@]}" >out 2>err &
job=$!
for _ in $(seq 300); do [ -n "$(find . -path "./long/*" -name metrics.jsonl -size +0)" ] && break; sleep 0.1; done
kill -INT "$job"
wait "$job"
code=$?
[ "$code" = 85 ] || complain "a signal to a long run: exit code $code, not 85"
[ "$(find long -name 'step_*' | wc -l)" = 1 ] || complain "a signal to a long run: no checkpoint"
grep -q '"exit_reason": "signal"' "$(find long -name result.json)" || complain "a signal to a long run: it did not end by the signal"
[ "$(find long -name point.json | wc -l)" = 1 ] || complain "another point was begun after the signal"
# A point that failed before the signal does not hide it.
mkdir -p mixed && sed 's/^samples = .*/samples = 600000/' "$deck" >mixed.toml
mixed=("${whole[@]}" --set run.output=mixed --set sweep.jobs=1 --set train.steps=300000 --set train.epochs=1000000 --set sweep.method=list
  --set 'sweep.keys={"optimizer.dense.lr" = [0.1, 0.2]}')
first=$("$TESSEREC" sweep list mixed.toml "${mixed[@]}" 2>/dev/null | grep -o 'mixed/[^ ]*' | head -n 1)
mkdir -p "$first/checkpoints" && : >"$first/metrics.jsonl" && mkdir "$first/run.json"
"$TESSEREC" sweep run mixed.toml "${mixed[@]}" >out 2>err &
job=$!
for _ in $(seq 300); do [ -n "$(find mixed -name metrics.jsonl -size +0)" ] && break; sleep 0.1; done
kill -INT "$job"
wait "$job"
code=$?
[ "$code" = 85 ] && grep -q '1 point failed; the same command repeats' err && grep -q 'ended by a signal' err ||
  complain "a signal behind a failed point: exit code $code: $(cat err)"
# Two tasks of one point: the second waits and has nothing to do.
twice=("${array[@]}" --set run.output=twice --set train.steps=2000 --set train.epochs=9)
"$TESSEREC" sweep run "$deck" 3 "${twice[@]}" >/dev/null 2>&1 &
job=$!
for _ in $(seq 300); do [ -n "$(find twice -name metrics.jsonl -size +0 2>/dev/null)" ] && break; sleep 0.1; done
alone must_succeed '"state": "done"' sweep run "$deck" 3 "${twice[@]}" --json
wait "$job" || complain "the first of two tasks failed"
grep -q 'the run was already finished' "$folder/err" && complain "the second task trained too"
# A diverged point is a result, the worst one; so are scores that are not finite.
alone must_succeed '"state": "diverged"' sweep run "$deck" 0 --set run.output=infinite --set train.steps=1 --json \
  --set optimizer.sparse.type=sgd --set optimizer.dense.type=sgd --set 'model.top=[64, 64, 64, 64, 1]' --set 'model.bottom=[64, 64, 64, 8]' \
  --set 'sweep.keys."optimizer.sparse.lr"=[1e12]' --set 'sweep.keys."optimizer.dense.lr"=[1e16]'
alone must_succeed '"state": "diverged"' sweep run "$deck" 0 --set run.output=diverged --set train.steps=9 --json \
  --set 'sweep.keys."optimizer.sparse.lr"=[1e30]' --set optimizer.sparse.type=sgd --set 'sweep.keys."optimizer.dense.lr"=[1e30]'
finish
