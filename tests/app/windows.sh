#!/usr/bin/env bash
# Training in the order of time: what evaluates each window, what it does not change, and a chain of days.
. "$(dirname "$0")/lib.sh"

code=0
touch "$folder/out" "$folder/err"
cd "$folder" || exit 1

# 128 rows of a day, each with a time of this day; DAY 9 lacks one.
for day in 1 2 3 9; do
  awk -v day="$day" '
    function draw() { state = state * 16807 % 2147483647; return state / 2147483647 }
    BEGIN {
      state = 40 + day
      print "when,click,user"
      for (r = 0; r < 128; ++r) {
        user = int(draw() * draw() * 60) + 5 * day
        when = day == 9 && r == 6 ? "" : sprintf("2014-10-2%dT%02d:30:00Z", day, r % 24)
        print when "," (draw() < 0.2 + 0.6 * (user % 3 == 0)) ",u" user
      }
    }' >"day$day.csv"
done
cat >deck.toml <<'DECK'
[preprocess]
format = "table"
header = true
column = [
  {name = "when", kind = "time", time = "iso", stored = true, parts = ["hour"]},
  {name = "click", kind = "label", positive = ["1"], negative = ["0"]},
  {name = "user", kind = "category"},
]
[model]
embedding_dim = 4
bottom = [8, 4]
top = [8, 1]
[train]
batch_size = 64
lanes = 4
log_every = 1
DECK
works() {
  run "$TESSEREC" "$@"
  [ "$code" = 0 ] || complain "exit code $code, not 0: tesserec $*"
}
# preprocess_day DAY ARGS...: day 1 teaches the vocabulary, each other one extends that of the day before.
preprocess_day() {
  local day=$1 from=()
  shift
  [ "$day" = 1 ] || from=(--set "preprocess.vocabulary=d$((day - 1))/train.h5" --set preprocess.extend=true)
  works preprocess deck.toml --set "preprocess.train=day$day.csv" --set "preprocess.output=d$day" "${from[@]}" "$@"
}
for day in 1 2 3; do preprocess_day "$day"; done
RANKS=3 works preprocess deck.toml --set preprocess.train=day1.csv --set preprocess.output=three
cmp -s d1/train.h5 three/train.h5 || complain '3 ranks store other times'

# A run goes on with a day of its vocabulary or of a later one, not with one of an earlier one.
works train deck.toml --set data.train=d3/train.h5 --set run.output=third
must_fail "because its run was trained on a later vocabulary; preprocess the data again with preprocess.vocabulary = that run's" train \
  deck.toml --set data.train=d1/train.h5 --set run.output=first --set checkpoint.resume=third --set 'checkpoint.accept=["data"]'

# Days of another form: a column that lacks, beside a side table's, whose columns are no fields of the file, and a time.
cut -d , -f 1,2 day2.csv >no_user.csv
sed '2s/^[^,]*/21.10.2014 09:30/' day2.csv >german.csv
printf 'user,age\nu1,30\n' >users.csv
{
  sed 's/^  {name = "user".*/&\n  {name = "age", kind = "number"},/' deck.toml
  printf '[[preprocess.join]]\nfile = "users.csv"\non = ["user"]\ncolumns = ["age"]\n'
} >joined.toml
odd=(--set preprocess.output=odd)
must_fail 'no_user.csv:1: the header has 2 fields that do not fit preprocess.column: it lacks "user"; add what lacks to' \
  preprocess joined.toml "${odd[@]}" --set preprocess.train=no_user.csv
must_fail 'german.csv:2: when: "21.10.2014 09:30" is not a time of the form "iso", such as 2014-10-21T09:08:07; correct' \
  preprocess deck.toml "${odd[@]}" --set preprocess.train=german.csv
works preprocess deck.toml "${odd[@]}" --set preprocess.train=day2.csv
must_fail ', the later one with preprocess.vocabulary = the data set of the earlier one' train deck.toml \
  --set data.train=odd/train.h5 --set run.output=first --set checkpoint.resume=third --set 'checkpoint.accept=["data"]'
mkdir empty
must_fail 'empty/manifest.json: there is no such file, so this folder is neither a whole checkpoint nor that of a run' train \
  deck.toml --set data.train=d3/train.h5 --set run.output=first --set checkpoint.resume=empty

files=(--set 'data.train=["d1/train.h5","d2/train.h5","d3/train.h5"]')
digest() { grep -o '"weights_digest": "[0-9a-f]*"' "$folder/out"; }
values() { grep '"kind": "window"' "$1/metrics.jsonl" | sed -E 's/, "time".*//'; }

# Windows of whole batches in the order of the files are the batches of a run without windows: evaluating them changes
# no bit. Neither do spans instead of files.
works train deck.toml --json "${files[@]}" --set train.shuffle=false --set run.output=plain
plain=$(digest)
must_succeed '"windows": {"count": 2, "samples": 256, "auc": 0.' train deck.toml --json "${files[@]}" --set train.shuffle=false \
  --set run.output=files --set data.window=file
[ "$(digest)" = "$plain" ] || complain "windows change the bits: $(digest), without them $plain"
[ "$(grep -c '^step [24], before training on d[23]/train.h5 (window [23] of 3): auc 0\.' "$folder/err")" = 2 ] || complain 'not two windows'
grep -q '^mean of 2 windows, each evaluated before training on it: auc 0\..* 256 samples$' "$folder/err" || complain 'no mean'
works train deck.toml --json "${files[@]}" --set train.shuffle=false --set run.output=days --set 'data.window=1 day'
[ "$(digest)" = "$plain" ] || complain "spans change the bits: $(digest), without them $plain"
grep -q 'order of time: 3 windows of 1 day (UTC), 2014-10-21 to 2014-10-23$' "$folder/err" || complain 'no line of the windows'
[ "$(values days | sed -E 's/"begin": [0-9]*, "end": [0-9]*, //')" = "$(values files)" ] || complain 'other metrics by spans'
grep -q '"window": 1, "window_samples": 128, "begin": 1413936000, "end": 1414022400, "auc": 0' days/metrics.jsonl || complain 'other spans'

# A window of one label has no AUC: the mean says of how many windows it is, and steps that the data lack are told.
works train deck.toml --json "${files[@]}" --set train.shuffle=false --set run.output=short --set 'data.window=1 second' \
  --set train.steps=1000000
grep -qE '^mean of [0-9]+ windows, each evaluated before training on it: auc [0-9.]+ \(of [0-9]+\), log_loss [0-9.]+, ' "$folder/err" ||
  complain 'the mean of AUC does not say of how many windows it is'
grep -q '"defined": {"auc": ' "$folder/out" || complain 'result without the windows of a metric'
grep -q 'train.steps is 1000000, but the data give [0-9]* steps in 1 epoch' "$folder/err" || complain 'steps that the data lack are not told'

# The metrics of a window are those of `evaluate` for the model of that moment.
works train deck.toml "${files[@]}" --set train.shuffle=false --set run.output=two --set data.window=file --set train.steps=2
! grep -q window two/metrics.jsonl || complain 'a window that no step begins was evaluated'
run "$TESSEREC" evaluate deck.toml --json --set run.output=two --set data.evaluate=d2/train.h5
auc=$(grep -o '"auc": [0-9.]*, "log_loss": [0-9.]*' "$folder/out")
[ -n "$auc" ] && grep -q "$auc" <(values files) || complain "evaluate has $auc, the windows $(values files)"

# Shuffled, windows keep their samples: the sum of labels and the number of samples stay, the bits do not.
works train deck.toml --json "${files[@]}" --set run.output=shuffled --set data.window=file
[ "$(digest)" != "$plain" ] || complain 'train.shuffle does nothing inside of windows'
run "$TESSEREC" report shuffled
grep -q 'Next window: AUC' shuffled/report.html || complain 'the report has no windows'

# Another window is another order; checkpoint.accept begins with the first window of the data again.
must_fail 'data.window = "file", but this run has "1 day"; set it back, go on with the first window by' train deck.toml "${files[@]}" \
  --set run.output=shuffled --set 'data.window=1 day'
works train deck.toml "${files[@]}" --set run.output=shuffled --set 'data.window=1 day' --set 'checkpoint.accept=["data"]'
grep -q '^step 6, before training on 2014-10-21 (window 1 of 3)' "$folder/err" || complain 'it does not begin with the first window'
grep -q '^mean of 3 windows' "$folder/err" || complain 'windows of the data before are in the mean'

# Other bytes under the same names may have other windows, so they begin with their first one.
for day in 1 2 3; do cp "d$day/train.h5" "e$day.h5"; done
swapped=(--set 'data.train=["e1.h5","e2.h5","e3.h5"]' --set run.output=swapped --set 'data.window=1 day')
works train deck.toml "${swapped[@]}" --set train.steps=5
cp d3/train.h5 e2.h5
works train deck.toml "${swapped[@]}" --set 'checkpoint.accept=["data"]'
grep -q '^step 5, before training on 2014-10-21 (window 1 of 2)' "$folder/err" || complain 'other bytes go on in another window'

# A chain of days: each evaluates its day by the model of the day before, which new ids leave whole.
chain() { # NAME RANKS
  local from=() ranks=$RANKS day
  RANKS=$2
  for day in 1 2 3; do
    works train deck.toml --json --set "data.train=d$day/train.h5" --set data.window=file --set "run.output=$1/d$day" \
      --set 'checkpoint.accept=["data"]' "${from[@]}"
    from=(--set "checkpoint.resume=$1/d$day")
    [ "$day" = 1 ] && continue
    grep -q "^step $((2 * day - 2)), before training on d$day/train.h5 (window 1 of 1): auc 0\." "$folder/err" || complain "day $day is not evaluated"
    grep -q '^tables have more rows than in ' "$folder/err" || complain "no new rows on day $day"
  done
  RANKS=$ranks
}
chain alone 1
alone=$(digest)
chain several 3
[ "$(digest)" = "$alone" ] || complain "3 ranks: $(digest), 1 rank: $alone"
# A run that starts from other weights evaluates its first window, too.
works train deck.toml --set data.train=d3/train.h5 --set data.window=file --set run.output=started --set checkpoint.start_from=alone/d2
grep -q '^step 0, before training on d3/train.h5' "$folder/err" || complain 'the first window of a run with other weights is not evaluated'
works export alone/d2 --to w.npy --format npy
works import deck.toml --from w.npy --fewer-rows --set data.train=d3/train.h5 --set data.window=file --set run.output=imported
works train deck.toml --set data.train=d3/train.h5 --set data.window=file --set run.output=imported
grep -q '^step 0, before training on d3/train.h5' "$folder/err" || complain 'the first window after an import is not evaluated'

must_succeed 'batch 5: 64 samples' generate deck.toml "${files[@]}" --set data.window=file --print 9
must_fail 'data.window is "0 days"; give "file", or a whole number' check deck.toml "${files[@]}" --set 'data.window=0 days'
must_fail 'train.epochs is 2, but data.window goes through time once' train deck.toml "${files[@]}" --set data.window=file --set train.epochs=2
must_fail 'data.window divides HDF5 files, but the samples are made on the fly' check deck.toml --set data.window=file \
  --set data.synthetic.kind=planted --set data.synthetic.samples=9 --set 'data.synthetic.rows=[3]'
must_fail 'day9.csv:8: when: "" is a missing time, but each row needs it (stored = true)' preprocess deck.toml \
  --set preprocess.train=day9.csv --set preprocess.output=d9
must_fail 'stored of column "user" applies only to times' preprocess deck.toml --set preprocess.column.user.stored=true
works preprocess deck.toml --set preprocess.train=day9.csv --set preprocess.output=d9 --set preprocess.column.when.stored=false
must_fail 'd9/train.h5 has no times of its samples (/time)' train deck.toml --set data.train=d9/train.h5 --set 'data.window=1 hour' \
  --set run.output=none
finish
