#!/usr/bin/env bash
# A table of two features with vocabularies of their own: one warning that names an id and both values, of check and
# train. No warning if ids are hashed, each feature has a table, or both vocabularies are alike as far as they go.
. "$(dirname "$0")/lib.sh"
cd "$folder"
awk 'BEGIN { srand(3); print "when,user,item,click"
  for (i = 0; i < 400; ++i) printf "%d,u%d,i%d,%d\n", 1700000000 + i, rand() * 9, int(rand() * 5) + (i > 350), rand() < 0.4 }' >log.csv

# deck IDS FEATURES: writes a deck with sequences of items.
deck() {
  cat >deck.toml <<END
[preprocess]
format = "table"
header = true
train = ["log.csv"]
output = "data"
column = [
  {name = "when", kind = "time", parts = []},
  {name = "user", kind = "category"},
  {name = "item", kind = "category"$1},
  {name = "click", kind = "label", positive = ["1"], negative = ["0"]},
]
[[preprocess.sequence]]
name = "past"
user = "user"
item = "item"
time = "when"
length = 3
[data]
train = ["data/train.h5"]
[model]
interaction = "cat"
embedding_dim = 4
bottom = [4]
top = [1]
[train]
batch_size = 64
lanes = 4
[[table]]
name = "items"
features = [$2]
END
}

# warns COUNT ARGS...: runs a command, which must succeed with so many warnings.
warns() {
  local count=$1
  shift
  run "$TESSEREC" "$@"
  [ "$code" = 0 ] || complain "exit code $code: tesserec $*"
  [ "$(grep -c '^warning: table items' err)" = "$count" ] || complain "not $count warning(s): tesserec $*"
}

deck '' '"item", "past"'
run "$TESSEREC" preprocess deck.toml
[ "$code" = 0 ] || complain 'no data set'
warns 1 check deck.toml
grep -qE '^warning: table items: item and past have ids of their own, so a row stands for different values: id [1-5] is "i[0-9]" of item and "i[0-9]" of past; give each feature a table' err ||
  complain "no id with its values: $(cat err)"
warns 1 train deck.toml
warns 0 check deck.toml --set 'table.items.features=["item"]'
rm -r data
deck ', ids = "hashed", max_rows = 50' '"item", "past"'
run "$TESSEREC" preprocess deck.toml
warns 0 check deck.toml
warns 0 train deck.toml --set run.output=runs/hashed

# two columns with the same values in the same order
awk -F, -v OFS=, '{ print $1, $2, $3, $4, $3 }' log.csv | sed '1s/.*/when,user,item,click,past/' >twice.csv
deck '}, {name = "past", kind = "category"' '"item", "past"'
sed -i '/preprocess.sequence/,/^length/d; s/log.csv/twice.csv/' deck.toml
run "$TESSEREC" preprocess deck.toml
[ "$code" = 0 ] || complain 'no data set of two columns'
warns 0 check deck.toml
finish
