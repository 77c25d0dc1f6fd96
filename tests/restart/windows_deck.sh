# SPDX-License-Identifier: Apache-2.0
# windows_deck.sh FILE, sourced by kill_test.sh: a click log of nine days, one of them without rows, whose lines are
# not quite in the order of time. One table grows. Each step has 64 of the $steps * 64 rows, or less at the end of a
# window.
awk -v rows=$((steps * 64)) '
  function draw() { state = state * 16807 % 2147483647; return state / 2147483647 }
  BEGIN {
    state = 5
    print "when,click,user,item,price"
    for (r = 0; r < rows; ++r) {
      day = int(9 * r / rows)
      if (day == 4) day = 3
      second = 1414022400 + 86400 * day + int(86400 * draw()) + (draw() < 0.01 ? 86400 : 0)
      user = int(draw() * draw() * 2000) + 100 * day
      item = int(draw() * 50)
      print second "," (draw() < 0.2 + 0.4 * (user % 5 == item % 5)) ",u" user ",i" item "," 30 * draw()
    }
  }' >"$folder/clicks.csv"
cat >"$1" <<DECK
[preprocess]
format = "table"
header = true
train = ["$folder/clicks.csv"]
output = "$folder/data"
column = [
  {name = "when", kind = "time", stored = true, parts = ["hour"]},
  {name = "click", kind = "label", positive = ["1"], negative = ["0"]},
  {name = "user", kind = "category", ids = "hashed"},
  {name = "item", kind = "category"},
  {name = "price", kind = "number"},
]
[data]
train = ["$folder/data/train.h5"]
window = "1 day"
[model]
embedding_dim = 8
bottom = [16, 8]
top = [16, 1]
[[table]]
name = "user"
rows = 1500
growing = true
[[table]]
name = "item"
[[table]]
name = "when_hour"
[train]
batch_size = 64
lanes = 8
log_every = 10
[optimizer]
dense = {type = "adam", lr = 0.002}
sparse = {type = "rowwise_adagrad", lr = 0.02}
[plan.tables.user]
sharding = "row_wise"
[checkpoint]
every_steps = 7
DECK
"$TESSEREC" preprocess "$1" 2>"$folder/err" || die "preprocess"
length=()
