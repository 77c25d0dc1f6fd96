#!/usr/bin/env bash
# tesserec serve: a server on a free port answers curl, refuses what is wrong with the reason and lives on, and ends by
# SIGTERM with 0 once it has answered. Scores are those of `tesserec predict`, digit by digit.
TESSEREC=${TESSEREC:-$(dirname "$0")/../../build/tesserec} LAUNCH=${LAUNCH:-mpirun --allow-run-as-root --oversubscribe -n}
RANKS=1
. "$(dirname "$0")/lib.sh"
command -v curl >/dev/null || { echo "skipped: no curl"; exit 77; }

cat >"$folder/deck.toml" <<END
[run]
output = "$folder/run"
[preprocess]
format = "table"
header = true
train = ["$folder/day.csv"]
output = "$folder/data"
column = [
  {name = "user", kind = "category"},
  {name = "price", kind = "number"},
  {name = "y", kind = "label", positive = ["1"], negative = ["0"]},
]
[data]
train = ["$folder/data/train.h5"]
predict = ["$folder/data/train.h5"]
[model]
embedding_dim = 4
bottom = [8, 4]
top = [8, 1]
[train]
batch_size = 8
END
{ # users 0 to 9 in the order of their ids, prices 0 to 3
  echo y,user,price
  for i in $(seq 0 39); do echo "$((i % 3 == 0)),u$((i % 10)),$((i % 4))"; done
} >"$folder/day.csv"
must_succeed rows preprocess "$folder/deck.toml" --json
must_succeed steps train "$folder/deck.toml" --json
must_succeed scores predict "$folder/deck.toml" --format csv --json
must_succeed folder export "$folder/run" --to "$folder/model" --json

# The cost of rounding on a data set: none for exact rows.
must_succeed '"largest_difference": 0}' export "$folder/run" --to "$folder/same" --data "$folder/data/train.h5" --json
must_succeed '"mlp": "int8"' export "$folder/run" --to "$folder/coded" --rows int8 --mlp int8 --data "$folder/data/train.h5" --json
grep -qE '"scores": \{"samples": 40, "checkpoint": \{"auc": ' "$folder/out" || complain "no comparison of scores"
! grep -q '"largest_difference": 0}' "$folder/out" || complain "int8 without a difference"
grep -q 'largest difference of a score: ' "$folder/err" || complain "no lines about scores"
must_succeed '"whole": true' verify "$folder/coded" --json
must_fail "--to: $folder/deck.toml: cannot create this folder: a file has its name" export "$folder/run" --to "$folder/deck.toml/x"
must_fail '--format npy writes a folder, which --to' export "$folder/run" --to "$folder/x.safetensors" --format npy
must_succeed tensors export "$folder/run" --to "$folder/w.safetensors" --json
[ -f "$folder/w.safetensors" ] || complain "no file by the ending of --to"
must_fail 'this is not an HDF5 file, such as a data set' verify "$folder/w.safetensors"
must_fail '--mlp is for model folders alone' export "$folder/run" --to "$folder/x" --format npy --mlp int8
must_fail '--mlp must be one of fp32 | bf16 | int8' export "$folder/run" --to "$folder/x" --mlp int4

# Samples weigh in the comparison as they do in an evaluation.
sed -e "s|$folder/|$folder/heavy_|" -e '/name = "price"/i\  {name = "w", kind = "weight"},' -e '/^train = .*h5/s/train\(.*\)/&\nevaluate\1/' \
  "$folder/deck.toml" >"$folder/heavy.toml"
awk 'NR == 1 { print $0 ",w"; next } { print $0 "," NR % 7 + 1 }' "$folder/day.csv" >"$folder/heavy_day.csv"
must_succeed rows preprocess "$folder/heavy.toml" --json
must_succeed '"log_loss": ' train "$folder/heavy.toml" --json
log_loss() { grep -oE '"log_loss": [0-9.e-]+' "$folder/out" | head -n 1; }
must_succeed '"log_loss": ' evaluate "$folder/heavy.toml" --json
evaluated=$(log_loss)
must_succeed '"checkpoint": ' export "$folder/heavy_run" --to "$folder/heavy_model" --data "$folder/heavy_data/train.h5" --json
[ -n "$evaluated" ] && [ "$(log_loss)" = "$evaluated" ] || complain "export --data has $(log_loss), but evaluate $evaluated"

sed -e "s|$folder/|$folder/two_|" -e '/name = "price"/i\  {name = "user.offsets", kind = "category"},' \
  "$folder/deck.toml" >"$folder/two.toml"
sed -e 's/$/,x/; 1s/x$/user.offsets/' "$folder/day.csv" >"$folder/two_day.csv"
must_succeed rows preprocess "$folder/two.toml" --json
must_succeed steps train "$folder/two.toml" --json
must_succeed folder export "$folder/two_run" --to "$folder/two_model" --json
must_fail 'in its vocabulary; preprocess it as' export "$folder/two_run" --to "$folder/two_x" --data "$folder/data/train.h5"
must_fail 'none.h5' export "$folder/two_run" --to "$folder/two_x" --data "$folder/none.h5"
[ ! -e "$folder/two_x" ] || complain "a model folder although the data cannot be compared"
must_fail 'feature "user.offsets" has the name of an input of feature "user"' serve "$folder/two_model" --port 0
must_fail '--log-files is for --log FILE; add it, or leave --log-files out' serve "$folder/model" --log-files 3
must_fail '--log-bytes is for --log FILE' serve "$folder/model" --log-bytes 10000000
must_fail "--port must be an integer, 0 to 65535, but is \"x\"" serve "$folder/model" --port x
for command in "serve $folder/model" "export $folder/run --to $folder/two" "diff $folder/run $folder/run"; do
  # shellcheck disable=SC2086
  RANKS=2 must_fail "is one process, but was started on 2 ranks" $command
done
must_fail "there is no such checkpoint folder" serve "$folder/none"
if run "$TESSEREC" serve "$folder/model" --host 203.0.113.7 && grep -q 'has no HTTP server' "$folder/err"; then
  echo "skipped: a build without Boost.Beast"
  exit 77
fi
grep -q 'cannot listen on 203.0.113.7:8080: Cannot assign requested address; name another --host' "$folder/err" || complain "an address of another machine"

must_fail 'cannot listen on no such:8080: Name or service not known; name another' serve "$folder/model" --host 'no such'
must_fail 'cannot listen on [2001:db8::1]:8080: ' serve "$folder/model" --host 2001:db8::1
echo 's3cret ' >"$folder/token"
chmod 600 "$folder/token"
"$TESSEREC" serve "$folder/model" --port 0 --name clicks --max-body 20000 --threads 2 --token-file "$folder/token" --json \
  >"$folder/server.out" 2>"$folder/server.err" </dev/null &
server=$!
trap 'kill $server ${other:-} 2>/dev/null; rm -rf "$folder"' EXIT
for _ in $(seq 100); do
  grep -q port "$folder/server.out" && break
  sleep 0.1
done
port=$(grep -oE '"port": [0-9]+' "$folder/server.out" | grep -oE '[0-9]+')
url=http://127.0.0.1:$port

# ask STATUS PATH CURL-ARGS...: leaves the body in $folder/out.
ask() {
  code=$(curl -s -m 20 -o "$folder/out" -w '%{http_code}' -H 'Authorization: Bearer s3cret' \
    -H 'Content-Type: application/json' "${@:3}" "$url$2" 2>"$folder/err")
  [ "$code" = "$1" ] || complain "$2: HTTP status $code, not $1"
}
has() { grep -qF -- "$1" "$folder/out" || complain "the reply lacks $1"; }
body() { # IDS DENSE N: a request
  printf '{"inputs": [{"name": "user", "datatype": "INT64", "shape": [%d], "data": [%s]},
    {"name": "dense", "datatype": "FP32", "shape": [%d, 1], "data": [%s]}]}' "$3" "$1" "$3" "$2"
}
ask 200 /v2/health/live
has '{"live": true}'
ask 200 /v2/health/ready
ask 200 /v2/models/clicks
has '{"name": "user", "datatype": "INT64", "shape": [-1]}'

# The 40 scores of predict: ids are in the order of the first occurrence, behind 0 for a missing value.
ids=$(for i in $(seq 0 39); do echo $((i % 10 + 1)); done | paste -sd,)
prices=$(for i in $(seq 0 39); do echo $((i % 4)); done | paste -sd,)
ask 200 /v2/models/clicks/infer --data-binary "$(body "$ids" "$prices" 40)"
grep -oE '"data": \[[^]]*' "$folder/out" | sed 's/.*\[//' | tr -d ' ' | tr ',' '\n' >"$folder/served"
tail -n +2 "$folder/run/scores.csv" >"$folder/predicted"
# The texts of one float from 0.5 to 1 are at most half the distance of such floats apart, 2^-25.
[ "$(wc -l <"$folder/served")" = 40 ] || complain "not 40 scores"
paste "$folder/served" "$folder/predicted" | awk '{ d = $1 - $2; if (d < -2.98e-8 || d > 2.98e-8) exit 1 }' || complain "other scores"

ask 400 /v2/models/clicks/infer --data-binary "$(body 99 1 1)"
has 'feature user, sample 0: id 99 is outside table user'
ask 400 /v2/models/clicks/infer --data-binary "$(body 1 NaN 1)"
ask 400 /v2/models/clicks/infer --data-binary '{"inputs": ['
ask 404 /v2/models/other/infer --data-binary "$(body 1 1 1)"
ask 405 /v2/models/clicks/infer
ask 413 /v2/models/clicks/infer --data-binary "$(body "$(seq -s, 1 9999)" 1 1)"
has 'the body has more than 20000 bytes'
head -c 30000000 /dev/zero | gzip >"$folder/zeros.gz"
ask 413 /v2/models/clicks/infer -H 'Content-Encoding: gzip' --data-binary "@$folder/zeros.gz"
ask 413 /v2/models/clicks/infer -H 'Transfer-Encoding: chunked' --data-binary "@$folder/server.err" --data-binary "$(head -c 25000 /dev/zero | tr '\0' ' ')"
# raw REPLIES TEXT TAIL: counts the replies on one connection that sends TEXT and, a little later, TAIL.
raw() {
  { printf "$2"; sleep 0.3; printf "$3"; } | timeout 15 bash -c "exec 3<>/dev/tcp/127.0.0.1/$port; cat >&3; cat <&3" \
    >"$folder/out" 2>/dev/null || true
  [ "$(grep -o 'HTTP/1.1 ' "$folder/out" | wc -l)" = "$1" ] || complain "not $1 replies to ${2:0:90}"
}
live='GET /v2/health/live HTTP/1.1\r\nHost: x\r\n\r\n' last='GET /v2/health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
infer='POST /v2/models/clicks/infer HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer s3cret\r\n'
zeros=$(printf '%050000d' 0)
raw 2 "$live" "$last"
raw 2 'POST /none HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc' "$last"
raw 1 "${infer}Content-Length: 50034\r\n\r\n$zeros" "$live"
raw 1 "POST /none HTTP/1.1\r\nHost: x\r\nContent-Length: 50034\r\n\r\n$zeros" "$live"
raw 1 "${infer}Content-Encoding: gzip\r\nContent-Length: 50034\r\n\r\n$zeros" "$live"
raw 1 "${infer}Transfer-Encoding: chunked\r\n\r\nzz\r\n" "$live"
raw 1 "${infer}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n" "$live"
has 'do not say plainly where the body ends'
raw 1 "${infer}Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 34\r\n\r\n" "$live"
has '415 Unsupported Media Type'
for method in GET HEAD OPTIONS; do raw 1 "$method /v2/health/live HTTP/1.1\r\nHost: x\r\nContent-Length: 44\r\n\r\n" "$live"; done
must_fail "cannot listen on 127.0.0.1:$port: Address already in use" serve "$folder/model" --port "$port"

# A model folder whose rows are damaged, or that is written over, ends its server; one that is replaced does not.
# ends_served "message" COMMAND...: serves a copy of the model, on which COMMAND acts once all rows were compared.
ends_served() {
  "$TESSEREC" serve "$folder/copy" --port 0 >"$folder/out" 2>"$folder/err" </dev/null &
  other=$!
  for _ in $(seq 100); do grep -q 'the rows have their checksums' "$folder/err" && break; kill -0 $other 2>/dev/null || break; sleep 0.1; done
  "${@:2}"
  for _ in $(seq 50); do kill -0 $other 2>/dev/null || break; sleep 0.1; done
  kill -TERM $other 2>/dev/null
  wait $other
  code=$?
  grep -qF -- "$1" "$folder/err" || complain "the server does not say \"$1\""
}
cp -r "$folder/model" "$folder/copy"
ends_served "copy/table_0000.rows was changed while it was served" touch "$folder/copy/table_0000.rows"
[ "$code" = 2 ] || complain "a changed file: exit code $code"
ends_served "copy/network.f32 was replaced or removed; the model that was opened is still served" mv "$folder/copy/network.f32" "$folder/copy/x"
[ "$code" = 0 ] || complain "a replaced file: exit code $code"
mv "$folder/copy/x" "$folder/copy/network.f32"
printf x | dd of="$folder/copy/table_0000.rows" bs=1 seek=21 conv=notrunc 2>/dev/null
ends_served "copy/table_0000.rows is damaged: its checksum is " true
[ "$code" = 2 ] || complain "damaged rows: exit code $code"
grep -q 'listening on' "$folder/err" || complain "rows were compared before the server listened"
printf x | dd of="$folder/copy/vocabulary_0000.tokens" bs=1 seek=21 conv=notrunc 2>/dev/null
must_fail "copy/vocabulary_0000.tokens is damaged" serve "$folder/copy" --port 0

# tesserec-serve is the same server without MPI.
alone=$(dirname "$TESSEREC")/tesserec-serve
! ldd "$alone" | grep -iE 'mpi|pmix' || complain "tesserec-serve needs MPI"
(TESSEREC=$alone
must_fail "cannot listen on 127.0.0.1:$port: Address already in use" "$folder/model" --port "$port"
must_fail 'tesserec-serve has no option --prot; tesserec-serve --help lists them' "$folder/model" --prot 1
must_fail '--rows must be one of fp32 | fp16 | bf16 | int8 | int4 | int2, but is "x"' "$folder/model" --rows x
must_fail "tesserec-serve takes one FOLDER, but got \"$folder/model\" and \"b\"" "$folder/model" b
must_fail 'tesserec-serve needs a path: tesserec-serve FOLDER' --port 0
must_fail 'argument 1: "a\x1B[1m" cannot be used' "$(printf 'a\033[1m')"
must_fail 'argument 3 after --log: "b\x1B[1m" cannot be used' "$folder/model" --log "$(printf 'b\033[1m')"
must_fail "there is no such checkpoint folder" "$folder/none"
must_succeed 'tesserec-serve 0.' --version
must_succeed 'usage: tesserec-serve FOLDER' --help
[ "$failures" = 0 ]) || failures=$((failures + 1))
options() { "$@" --help | grep -oE '^  --[a-z-]+' | grep -v -- --version | sort; }
[ "$(options "$alone")" = "$(options "$TESSEREC" serve)" ] || complain "tesserec-serve has other options"
"$alone" "$folder/model" --port 0 --json >"$folder/alone.out" 2>"$folder/alone.err" </dev/null &
other=$!
for _ in $(seq 100); do
  grep -q port "$folder/alone.out" && break
  sleep 0.1
done
curl -s -m 20 --data-binary "$(body "$ids" "$prices" 40)" -H 'Content-Type: application/json' \
  "http://127.0.0.1:$(grep -oE '"port": [0-9]+' "$folder/alone.out" | grep -oE '[0-9]+')/v2/models/model/infer" |
  grep -oE '"data": \[[^]]*' | sed 's/.*\[//' | tr -d ' ' | tr ',' '\n' | cmp - "$folder/served" || complain "other scores without MPI"
kill -TERM $other
wait $other
code=$?
[ "$code" = 0 ] || complain "tesserec-serve ended with $code"
printf 'NONSENSE\r\n\r\n' | timeout 5 bash -c "exec 3<>/dev/tcp/127.0.0.1/$port; cat >&3; cat <&3" >"$folder/out" || true
code=$(curl -s -m 20 -o "$folder/out" -w '%{http_code}' "$url/metrics")
[ "$code" = 401 ] || complain "metrics without the token: $code"
ask 200 /metrics
has 'tesserec_requests_total{code="413"} 4'
has 'tesserec_samples_total 40'
has 'tesserec_rows_verified 1'
has 'tesserec_model_step{model="clicks"}'
ask 200 /v2/models/clicks/infer --data-binary "$(body 1 1 1)"

kill -TERM $server
wait $server
code=$?
cp "$folder/server.err" "$folder/err"
[ "$code" = 0 ] || complain "the server ended with $code"
grep -q 'stopped by signal 15 (SIGTERM); all requests whose heads had come were answered' "$folder/server.err" || complain "no last line"
finish
