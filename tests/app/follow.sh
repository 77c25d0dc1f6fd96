#!/usr/bin/env bash
# tesserec serve --follow and replay: a server follows a run that trains over deltas and a checkpoint, each reply names its
# state, and all logged scores are replayed bit for bit while the training goes on. $DELTAS, 4, and $SCORES, 1000: sizes.
TESSEREC=${TESSEREC:-$(dirname "$0")/../../build/tesserec} LAUNCH=${LAUNCH:-mpirun --allow-run-as-root --oversubscribe -n}
RANKS=1
. "$(dirname "$0")/lib.sh"
command -v curl >/dev/null || { echo "skipped: no curl"; exit 77; }
DELTAS=${DELTAS:-4} SCORES=${SCORES:-1000}

cat >"$folder/deck.toml" <<END
[run]
output = "$folder/run"
[data.synthetic]
kind = "planted"
samples = 4000000
rows = [20000, 300, 7]
dense_features = 4
[model]
embedding_dim = 8
bottom = [16, 8]
top = [16, 1]
[train]
batch_size = 256
epochs = 1000
[checkpoint]
delta_seconds = 0.4
END
server=
trap 'kill -KILL $trainer $server 2>/dev/null; rm -rf "$folder"' EXIT
wait_for() { # SECONDS COMMAND...: until the command succeeds
  local tries=$(($1 * 10))
  shift
  for _ in $(seq "$tries"); do
    "$@" >/dev/null 2>&1 && return
    sleep 0.1
  done
  complain "waited in vain for: $*"
}
# The server starts before the training, and waits for the first checkpoint. A signal ends it meanwhile.
start_server() { # NAME ARGUMENT...
  local name=$1
  shift
  "$TESSEREC" serve "$folder/run" --follow --port 0 --name ads --threads 2 "$@" --json \
    >"$folder/$name.out" 2>"$folder/$name.err" </dev/null &
  server=$!
}
start_server waiting
wait_for 30 grep -qE 'waiting for the first|has no HTTP server' "$folder/waiting.err"
if grep -q 'has no HTTP server' "$folder/waiting.err"; then
  echo "skipped: a build without Boost.Beast"
  exit 77
fi
kill -TERM $server
wait $server
code=$?
[ "$code" = 143 ] || complain "a signal to a waiting server gave $code"
start_server server --log "$folder/scores.jsonl"
"$TESSEREC" train "$folder/deck.toml" >"$folder/train.out" 2>"$folder/train.err" </dev/null &
trainer=$!
wait_for 30 grep -q port "$folder/server.out"
url=http://127.0.0.1:$(grep -oE '"port": [0-9]+' "$folder/server.out" | grep -oE '[0-9]+')

samples=50
numbers() { awk -v n="$1" -v m="$2" -v s="$3" 'BEGIN { for (i = 0; i < n; ++i) printf "%s%d", i ? "," : "", (i * 7919 + s * 31) % m }'; }
body() { # SEED
  printf '{"inputs": [{"name": "dense", "datatype": "FP32", "shape": [%d, 4], "data": [%s]}' $samples "$(numbers $((4 * samples)) 3 "$1")"
  local f=0
  for rows in 20000 300 7; do
    f=$((f + 1))
    printf ', {"name": "C%d", "datatype": "INT64", "shape": [%d], "data": [%s]}' $f $samples "$(numbers $samples $rows "$1")"
  done
  printf ']}'
}
metric() { curl -s -m 20 "$url/metrics" | awk -v m="$1" '$1 == m { print $2 }'; }
asked=0
while [ $asked -lt "$SCORES" ] || [ "$(metric tesserec_deltas_total)" -lt "$DELTAS" ]; do
  body "$asked" >"$folder/body"
  code=$(curl -s -m 20 -o "$folder/out" -w '%{http_code}' --data-binary "@$folder/body" "$url/v2/models/ads/infer")
  [ "$code" = 200 ] || { complain "HTTP status $code"; break; }
  asked=$((asked + samples))
done
grep -qE '"parameters": \{"step": [0-9]+, "digest": "[0-9]+ [0-9a-f]{16}"\}' "$folder/out" || complain "no state in the reply"
[ "$(metric tesserec_refused_states_total)" = 0 ] || complain "states were refused"
kill -0 $trainer || complain "the training has ended"
run "$TESSEREC" replay "$folder/run" --log "$folder/scores.jsonl" --json
[ "$code" = 0 ] || complain "replay ended with $code"
grep -q "\"scores\": $asked, " "$folder/out" || complain "not $asked scores"
grep -q '"differ": 0, "missing": 0, ' "$folder/out" || complain "scores differ"
echo "$asked scores, $(metric tesserec_deltas_total) deltas: $(cat "$folder/out"); last delay $(metric tesserec_model_delay_seconds) s"

# A command that reads a run's newest checkpoint says that newer deltas are left out.
must_succeed folder export "$folder/run" --to "$folder/early" --json
grep -qE 'warning: .*/checkpoints: deltas up to step [0-9]+ are newer than .*/step_[0-9]+ and are not read; resume the run' "$folder/err" ||
  complain "no word of the newer deltas"

# A checkpoint follows, the deltas go, and the scores of their states cannot be proven any more.
kill -TERM $trainer
wait $trainer
wait_for 10 test -z "$(compgen -G "$folder/run/checkpoints/*.delta")"
last=$(compgen -G "$folder/run/checkpoints/step_*" | sort | tail -1)
step=$((10#${last##*step_}))
served() { [ "$(metric 'tesserec_model_step{model="ads"}')" = "$step" ]; }
wait_for 10 served
curl -s -m 20 --data-binary "@$folder/body" "$url/v2/models/ads/infer" | grep -q "\"step\": $step, " || complain "not step $step"
run "$TESSEREC" replay "$folder/run" --log "$folder/scores.jsonl"
[ "$code" = 1 ] || complain "replay without its deltas ended with $code"
grep -q 'there is neither checkpoint nor delta of step' "$folder/err" || complain "no missing state named"
must_succeed folder export "$folder/run" --to "$folder/model" --json
must_fail "is a model folder, whose rows have their format" serve "$folder/model" --rows int8
must_fail "is one state, which does not change; omit --follow" serve "$folder/model" --follow
mkdir "$folder/set"
touch "$folder/set/train.h5"
must_fail "set is no run's folder: it has neither run.json nor checkpoints, but other files" serve "$folder/set" --follow
must_fail "deck.toml is no folder; name a run's folder with --follow" serve "$folder/deck.toml" --follow
must_fail "run is a run's folder; add --follow, or name one of the checkpoints in $folder/run/checkpoints" serve "$folder/run"
! grep -q 'are newer than' "$folder/err" || complain "deltas in a folder without any"
must_fail "manifest.json: its first line is not that of a log of scores" serve "$folder/model" --log "$folder/model/manifest.json"

# A signal ends the server while it reads a state: here a manifest that never ends.
reads=$folder/run/checkpoints/step_999999999
mkdir "$reads"
mkfifo "$reads/manifest.json"
exec 9<>"$reads/manifest.json" # keeps the reader waiting
sleep 1
kill -TERM $server
wait_for 10 grep -q 'all requests whose heads had come were answered' "$folder/server.err"
rm -r "$reads"
exec 9>&-
wait $server
code=$?
cp "$folder/server.err" "$folder/err"
[ "$code" = 0 ] || complain "the server ended with $code"
head -n 1 "$folder/scores.jsonl" >"$folder/head.jsonl"
must_succeed '"scores": 0' replay "$folder/run" --log "$folder/head.jsonl" --json
grep -q 'head.jsonl: the log has no scored request, so nothing is proven' "$folder/err" || complain "no word of the empty log"
must_fail "name either --log" replay "$folder/run"
must_fail "cannot read it" replay "$folder/run" --log "$folder/none"
finish
