#!/usr/bin/env bash
# tesserec serve by clients of others: tritonclient[http] of NVIDIA, with JSON and bytes, and the examples of
# docs/serving.md, for curl and for a C compiler, as they stand there.
. "$(dirname "$0")/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
for program in curl cc python3; do
  command -v "$program" >/dev/null || { echo "skipped: no $program"; exit 77; }
done

# One environment a build folder. An environment without its last file is half made.
environment=$(dirname "$TESSEREC")/tests/tritonclient
if [ ! -e "$environment/whole" ]; then
  rm -rf "$environment"
  if ! { python3 -m venv "$environment" && timeout 240 "$environment/bin/pip" install --quiet --retries 1 \
    'tritonclient[http]==2.73.0'; } >"$folder/pip" 2>&1; then
    echo "skipped: pip cannot install tritonclient[http], so no client of another program asked the server:"
    tail -n 3 "$folder/pip"
    exit 77
  fi
  touch "$environment/whole"
fi

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
  {name = "items", kind = "category", separator = "|"},
  {name = "price", kind = "number"},
  {name = "y", kind = "label", positive = ["1"], negative = ["0"]},
]
[data]
train = ["$folder/data/train.h5"]
[model]
embedding_dim = 8
bottom = [16, 8]
top = [16, 1]
[train]
batch_size = 64
[optimizer.dense]
lr = 0.5
[optimizer.sparse]
lr = 0.5
END
awk 'BEGIN { print "y,user,items,price"
  for (i = 0; i < 5000; ++i) print (i % 3 == 0) "," "u" i % 40 ",i" i % 9 "|i" i % 70 "," i % 5 }' >"$folder/day.csv"
must_succeed rows preprocess "$folder/deck.toml" --json
must_succeed steps train "$folder/deck.toml" --json
must_succeed folder export "$folder/run" --to "$folder/model" --data "$folder/data/train.h5" --json
grep -q '"samples": 5000,.*"largest_difference": 0}' "$folder/out" || complain "exact rows have other scores"

# A model of two labels.
cat >"$folder/shop.toml" <<END
[run]
output = "$folder/shop"
[preprocess]
format = "table"
header = true
train = ["$folder/shop.csv"]
output = "$folder/shop_data"
column = [
  {name = "user", kind = "category"},
  {name = "click", kind = "label", positive = ["1"], negative = ["0"]},
  {name = "purchase", kind = "label", positive = ["1"], negative = ["0"]},
]
[data]
train = ["$folder/shop_data/train.h5"]
[model]
type = "dlrm_dcn"
tasks = ["click", "purchase"]
embedding_dim = 8
top = [16, 2]
[train]
batch_size = 64
END
awk 'BEGIN { print "user,click,purchase"; for (i = 0; i < 640; ++i) print "u" i % 40 "," i % 3 % 2 "," (i % 9 == 1) }' >"$folder/shop.csv"
must_succeed rows preprocess "$folder/shop.toml" --json
must_succeed steps train "$folder/shop.toml" --json
must_succeed folder export "$folder/shop" --to "$folder/shop_model" --json

# serve MODEL NAME ARGS...: starts a server on a free port and sets $port. Skips in a build without Boost.Beast.
serve() {
  "$TESSEREC" serve "$folder/$1" --port 0 --name "$2" --json "${@:3}" >"$folder/out" 2>"$folder/err" </dev/null &
  server=$!
  trap 'kill $server 2>/dev/null; rm -rf "$folder"' EXIT
  for _ in $(seq 200); do
    grep -q port "$folder/out" && break
    kill -0 $server 2>/dev/null || break
    sleep 0.1
  done
  port=$(grep -oE '"port": [0-9]+' "$folder/out" | grep -oE '[0-9]+')
  if grep -q 'has no HTTP server' "$folder/err"; then
    echo "skipped: a build without Boost.Beast"
    exit 77
  fi
}
stop() {
  kill -TERM $server
  wait $server
  code=$?
  [ "$code" = 0 ] || complain "the server ended with $code"
}

echo s3cret >"$folder/token"
chmod 600 "$folder/token"
serve model clicks --threads 2 --token-file "$folder/token"
"$environment/bin/python" "$here/clients.py" "127.0.0.1:$port" s3cret "$folder/model" >"$folder/out" 2>"$folder/err"
code=$?
[ "$code" = 0 ] && grep -q 'all as expected' "$folder/out" || complain "tritonclient"
stop

# block LANGUAGE PART: prints the block of docs/serving.md that has the text PART.
block() {
  awk -v begin="\`\`\`$1" -v part="$2" '$0 == begin { inside = 1; text = ""; next }
    /^```/ { if (inside && index(text, part)) printf "%s", text; inside = 0 } inside { text = text $0 "\n" }' \
    "$DOCS/serving.md"
}
cd "$folder" || exit 1
block c '#include <tesserec/predict.h>' >score.c
library=$(dirname "$TESSEREC_PREDICT")
run cc -std=c99 -Wall -Wextra -Werror "-I$DOCS/../include" score.c "-L$library" "-Wl,-rpath,$library" -ltesserec_predict \
  -o score
[ "$code" = 0 ] || complain "the C example of serving.md is not compiled"
run ./score
[ "$code" = 0 ] || complain "the C example of serving.md"
[ "$(wc -w <out)" = 2 ] || complain "not two scores by the C example"
cp out by_c
serve model clicks
block sh 'v2/models/clicks/infer' | sed "s/127.0.0.1:8080/127.0.0.1:$port/" >ask.sh
run bash -e ask.sh
[ "$code" = 0 ] || complain "the curl examples of serving.md"
grep -oE '"data": \[[^]]*' out | sed 's/.*\[//; s/,/ /g' >replies
[ "$(awk '{ print NF }' replies | paste -sd,)" = 2,3,2 ] || complain "not replies with two, three and two scores"
head -n 1 replies | awk '{ printf "%g %g\n", $1, $2 }' >by_curl
cmp -s by_c by_curl || complain "the examples for C and curl score one batch differently: $(cat by_c by_curl)"
stop
serve shop_model shop
block sh 'v2/models/shop/infer' | sed "s/127.0.0.1:8080/127.0.0.1:$port/" >ask.sh
run bash -e ask.sh
grep -qE '"outputs": \[\{"name": "purchase", "datatype": "FP32", "shape": \[2\], "data": \[[^,]+, ?[^,]+\]\}\]' out ||
  complain "the curl example of several labels: $(cat out)"
stop
finish
