#!/bin/bash
# tests/fuzz/requests.sh BUILD [SECONDS]: damaged requests (requests.py), then many requests at once (wrk), to a server,
# SECONDS each (600). It must live, give right scores in between, keep its memory and end by SIGTERM with 0. BUILD may be
# one with -fsanitize=address,undefined, which names each wrong access and each leak; it needs tesserec-serve alone if
# TESSEREC names a program that makes the model.
set -u
build=$(realpath "$1") program=$(realpath "${TESSEREC:-$1/tesserec}") seconds=${2:-600} here=$(realpath "$(dirname "$0")") folder=$(mktemp -d) server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$folder"' EXIT
cd "$folder" || exit 1
fail() { echo "FAILED: $*"; tail -n 30 server.err; exit 1; }
export ASAN_OPTIONS=quarantine_size_mb=8
cat >deck.toml <<'DECK'
[run]
output = "run"
[preprocess]
format = "table"
header = true
train = "rows.csv"
output = "data"
column = [{name = "y", kind = "label", positive = ["1"], negative = ["0"]}, {name = "I*", kind = "number"},
  {name = "C*", kind = "category", separator = "|"}]
[data]
train = "data/train.h5"
[train]
batch_size = 64
steps = 4
[model]
embedding_dim = 8
bottom = [16, 8]
top = [16, 1]
DECK
awk 'BEGIN { print "y,I1,I2,I3,C1,C2,C3"; for (i = 0; i < 600; ++i)
  print i % 2 ",1." i % 7 "," i ",,a" i % 50 "|b" i % 9 ",c" i % 8 ",d" i "|e" i % 5 }' >rows.csv
for command in "preprocess deck.toml" "train deck.toml" "export run --to model --rows int8"; do
  # shellcheck disable=SC2086
  ASAN_OPTIONS=detect_leaks=0 "$program" $command >log 2>&1 || { cat log; exit 1; }
done
"$build/tesserec-serve" model --port 0 --name clicks --threads 2 --in-flight 24 --json >server.out 2>server.err </dev/null &
server=$!
for _ in $(seq 300); do grep -q port server.out && break; sleep 0.1; done
port=$(grep -oE '"port": [0-9]+' server.out | grep -oE '[0-9]+') || fail "the server did not start"
memory() { awk '/^VmRSS/ { print int($2 / 1024) }' "/proc/$server/status"; }

echo "start: $(memory) MiB"
python3 "$here/requests.py" "$port" clicks "$(awk "BEGIN { print $seconds / 2 }")" 1 || fail "the fuzzer"
before=$(memory)
python3 "$here/requests.py" "$port" clicks "$(awk "BEGIN { print $seconds / 2 }")" 2 || fail "the fuzzer"
after=$(memory)
echo "damaged requests: $before MiB after half of the time, $after MiB at its end"
# A thread of a connection keeps what its largest request took.
[ $((after - before)) -le 32 ] || fail "memory grew"
if command -v wrk >/dev/null; then
  cat >ask.lua <<'LUA'
wrk.method = "POST"
wrk.path = "/v2/models/clicks/infer"
wrk.body = '{"inputs": [{"name": "dense", "datatype": "FP32", "shape": [2, 3], "data": [1, 2, 3, 4, 5, 6]}'
for f = 1, 3 do
  wrk.body = wrk.body .. ', {"name": "C' .. f .. '", "datatype": "INT64", "shape": [2, 3], "data": [1, 2, 3, 4, 5, 6]}'
end
wrk.body = wrk.body .. ']}'
LUA
  wrk -t 2 -c 16 -d "${seconds}s" -s ask.lua "http://127.0.0.1:$port" | tee wrk.out | grep -E 'requests in|Requests/sec|Non-2xx'
  grep -q 'requests in' wrk.out && ! grep -qE 'Non-2xx|Socket errors: .*[1-9]' wrk.out || { cat wrk.out; fail "wrk"; }
  echo "many at once: $(memory) MiB"
  [ $(($(memory) - after)) -le 32 ] || fail "memory grew"
else
  echo "no wrk: many requests at once were not tried"
fi
kill -TERM "$server"
wait "$server"
code=$?
server=
[ $code = 0 ] || fail "the server ended with $code"
! grep -qE 'Sanitizer|runtime error' server.err || fail "a sanitizer's finding"
echo "all as expected"
