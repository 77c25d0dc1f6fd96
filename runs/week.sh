#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A week of retraining: seven days of a click log that this script makes up, with new users and items each day. Each day
# is preprocessed with the vocabulary of the day before, extended, and trained from the best checkpoint of the day
# before; the rows of the eighth day have no labels and are scored to CSV, with their keys.
#   runs/week.sh FOLDER [RANKS...]
# RANKS: of day 1, 2, ..., from the front again when they end; 1 by default. The bits do not depend on them.
# TESSEREC names the program (build/tesserec), MPIRUN the launcher, ROWS the rows of a day (2000).
# The last line is that of the scores' checksum.
set -euo pipefail

folder=${1:?a folder for the week}
shift
ranks=("${@:-1}")
program=$(realpath "${TESSEREC:-build/tesserec}")
rows=${ROWS:-2000}
read -ra launcher <<<"${MPIRUN:-mpirun}"
mkdir -p "$folder"
cd "$folder"

# Runs a command of the program on the ranks of a day; its log goes to log.txt.
run() { # DAY COMMAND...
  local day=$1 n=${ranks[$((($1 - 1) % ${#ranks[@]}))]}
  shift
  local launch=()
  [ "$n" = 1 ] || launch=("${launcher[@]}" -n "$n")
  "${launch[@]}" "$program" "$@" 2>>log.txt || {
    code=$?
    echo "day $day: tesserec $1 ended with exit code $code; see $PWD/log.txt" >&2
    tail -n 3 log.txt >&2
    exit "$code"
  }
}

# ROWS rows of a day: users and items that come and go, clicks by a user's and an item's taste and by the hour.
log_of() { # DAY SEED LABELLED
  awk -v day="$1" -v seed="$2" -v labelled="$3" -v rows="$rows" '
    function draw() { state = state * 16807 % 2147483647; return state / 2147483647 }
    BEGIN {
      state = seed
      print labelled ? "row,click,user,item,hour,price" : "row,user,item,hour,price"
      for (r = 0; r < rows; ++r) {
        user = int(draw() * draw() * 300) + 20 * day
        item = int(draw() * draw() * 80) + 5 * day
        hour = int(draw() * 24)
        price = draw() * 50
        chance = 0.05 + 0.45 * (user % 7 == item % 7) + 0.2 * (item % 3 == 0) + 0.1 * (hour > 17) - price / 500
        printf "d%d-%d,%s%s,%s,%d,%.2f\n", day, r, labelled ? (draw() < chance) "," : "", "u" user, "i" item, hour, price
      }
    }'
}

cat >deck.toml <<'DECK'
[preprocess]
format = "table"
header = true
skip_other_columns = true
column = [
  {name = "row", kind = "key"},
  {name = "click", kind = "label", positive = ["1"], negative = ["0"]},
  {name = "user", kind = "category"},
  {name = "item", kind = "category"},
  {name = "hour", kind = "category"},
  {name = "price", kind = "number", transform = "standardise"},
]
[model]
embedding_dim = 8
bottom = [16, 8]
top = [32, 1]
[train]
batch_size = 128
lanes = 16
epochs = 2
[optimizer.dense]
type = "adagrad"
lr = 0.05
[optimizer.sparse]
type = "rowwise_adagrad"
lr = 0.1
[checkpoint]
keep = 1
keep_best = true
accept = ["data"]
[evaluate]
every_steps = 4
monitor = "log_loss"
patience = 6
DECK

for day in 1 2 3 4 5 6 7; do
  mkdir -p "day$day"
  log_of "$day" "$((41 + day))" 1 >"day$day/train.csv"
  log_of "$day" "$((1041 + day))" 1 >"day$day/test.csv"
  new=(--set "preprocess.train=day$day/train.csv" --set "preprocess.evaluate=day$day/test.csv" --set "preprocess.output=day$day")
  begin=()
  if [ "$day" -gt 1 ]; then
    before=day$((day - 1))
    new+=(--set "preprocess.vocabulary=$before/train.h5" --set preprocess.extend=true)
    begin=(--set "checkpoint.resume=$before/run/best")
  fi
  run "$day" preprocess deck.toml "${new[@]}" >/dev/null
  run "$day" train deck.toml --json --set "run.output=day$day/run" --set "data.train=day$day/train.h5" \
    --set "data.evaluate=day$day/evaluate.h5" "${begin[@]}" >"day$day/result.json"
  digest=$(grep -o '"weights_digest": "[0-9a-f]*"' "day$day/result.json" | cut -d'"' -f4)
  best=$(grep -o '"best": {[^}]*}' "day$day/result.json" |
    sed -E 's/.*"metric": "([a-z_]*)", "value": ([0-9.]{1,8})[^,]*, "step": ([0-9]*).*/\1 \2 at step \3/')
  echo "day $day, ranks ${ranks[$(((day - 1) % ${#ranks[@]}))]}: weights $digest, best $best"
done

mkdir -p day8
log_of 8 77 0 >day8/new.csv
run 8 preprocess deck.toml --set "preprocess.predict=day8/new.csv" --set preprocess.output=day8 \
  --set preprocess.vocabulary=day7/train.h5 >/dev/null
run 8 predict deck.toml --set run.output=day7/run --set checkpoint.resume=best --set data.train=day7/train.h5 \
  --set data.predict=day8/predict.h5 --scores day8/scores.csv
echo "$(($(wc -l <day8/scores.csv) - 1)) scores in $PWD/day8/scores.csv, sha256 $(sha256sum <day8/scores.csv | cut -c1-16)"
