#!/usr/bin/env bash
# preprocess --propose: for logs of several forms the deck says what they are, and preprocess and train take it as it is.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_sets.sh"
. "$(dirname "$0")/lib_propose.sh"
cd "$folder"

# model NAME FILE...: proposes a deck for the files and trains a model by it.
model() {
  prepare "$@"
  run "$TESSEREC" train "$1.toml" --set train.epochs=1
  [ "$code" = 0 ] || complain "$(cat "$1.toml"); train refuses the deck for ${*:2}"
  grep -q 'auc 0\.' err || complain "no auc of the deck for ${*:2}"
}

# 64-bit ids, ratings, a timestamp; a side table with quoted titles and genres between bars
awk 'BEGIN { srand(1); print "user,movie,rating,timestamp"
  for (i = 0; i < 3000; ++i) printf "10172969463247%05d,m%d,%d,%d\n", rand() * 90, rand() * 40, 1 + rand() * 5, 1500000000 + 700 * i }' >ratings.csv
awk 'BEGIN { print "movie,title,genres,year"; split("Drama|War|Comedy|Action", g, "|")
  for (i = 0; i < 40; ++i) printf "m%d,\"Part %d, \"\"new\"\"\",%s|%s,%d\n", i, i, g[1 + i % 4], g[1 + (i + 1) % 4], 1950 + i % 30 }' >movies.csv
model ratings ratings.csv movies.csv
says ratings '{name = "user", kind = "category"}' '{name = "timestamp", kind = "time", time = "epoch", stored = true}' \
  '{name = "rating", kind = "label", threshold = 4}' '{name = "genres", kind = "category", separator = "|"}' \
  '"title" is left out' '{name = "year", kind = "number"' 'file = "movies.csv"' 'on = ["movie"]' \
  'columns = ["genres", "year"]' 'by = "time"' 'first line has no numbers'
grep -q 'split by time: 300 of 3000 rows' ratings.txt || complain "$(cat ratings.txt); no split by time"
grep -q 'joined movies.csv on movie: 40 rows' ratings.txt || complain "$(cat ratings.txt); no join"

says ratings '# window = "1 day"'
run "$TESSEREC" train ratings.toml --set train.epochs=1 --set 'data.window="1 day"' --set run.output=runs/windows
[ "$code" = 0 ] && grep -q 'windows' err || complain "$(cat err); no training in the order of time"

# several labels: 0 or 1 by names that say so, the named one first; a time that some rows lack is not stored
awk 'BEGIN { srand(8); print "is_like,user,at,is_new,is_click,purchase,price,seconds"
  for (i = 0; i < 3000; ++i) { click = rand() < 0.4; like = rand() < 0.1
    printf "%d,u%d,%s,%d,%d,%d,%.2f,%.3f\n", like, rand() * 60, i % 50 ? 1500000000 + 700 * i : "", rand() < 0.5, click,
      click && rand() < 0.2, rand() * 9, like * 9 + rand() } }' >actions.csv
awk -F, 'NR <= 300 { print $2 "," $3 "," $4 "," $7 "," $8 }' actions.csv >new_actions.csv
model actions actions.csv new_actions.csv
says actions '{name = "is_click", kind = "label", positive = ["1"], negative = ["0"]}' \
  '{name = "is_like", kind = "label", positive = ["1"], negative = ["0"]}' \
  '{name = "purchase", kind = "label", positive = ["1"], negative = ["0"]}' 'by its name a further label' \
  'tasks = ["is_click", "is_like", "purchase"]' 'top = [64, 32, 3]' '{name = "is_new", kind = "category"}' \
  '{name = "at", kind = "time", time = "epoch"}' 'predict = ["new_actions.csv"]' \
  '{name = "seconds", kind = "skip"}' 'of is_like), so it is left out'
! grep -q 'window' actions.toml || complain "$(cat actions.toml); windows without a time in each row"

# a file to predict that has one of the labels, which is then none; rows that lack a time or a 1 only in a later file
awk 'BEGIN { srand(9); print "id,user,is_follow,is_click,price,at,is_share"
  for (i = 0; i < 900; ++i) printf "%d,u%d,%d,%d,%.2f,%d,%d\n", i, rand() * 60, rand() < 0.3, rand() < 0.4, rand() * 9,
    1500000000 + 700 * i, rand() < 0.2 }' >follow.csv
awk -F, 'NR <= 300 { print $1 "," $2 "," $3 "," $5 "," $6 }' follow.csv >test.csv
model follow follow.csv test.csv
says follow 'predict = ["test.csv"]' '{name = "is_follow", kind = "category"}' 'tasks = ["is_click", "is_share"]' \
  'top = [64, 32, 2]' 'stored = true}' 'no row that was read lacks it: remove stored if others do'
sed '9s/,15[0-9]*,/,,/; 11s/.$/2/' follow.csv >follow_more.csv
run "$TESSEREC" preprocess --propose follow.csv follow_more.csv
cp out odd.toml
says odd '{name = "is_share", kind = "category"}' '{name = "at", kind = "time", time = "epoch"}' \
  'tasks = ["is_click", "is_follow"]'

# a log of one day, whose weekday and day are constant
awk -F, 'NR == 1 || $6 < 1500000000 + 400 * 86 { print }' follow.csv | sed 's/,15000/,15001/' | head -n 100 >one_day.csv
run "$TESSEREC" preprocess --propose one_day.csv
cp out one_day.toml
says one_day 'stored = true, parts = ["hour"]}' 'all rows are of one day: add weekday and day to parts when there are more'
# the day is the one that is written, here of two days in UTC
awk 'BEGIN { srand(7); print "click,at,user"
  for (i = 0; i < 300; ++i) printf "%d,2014-10-21T%02d:15:00+09:00,u%d\n", rand() < 0.3, i % 24, rand() * 40 }' >zone.csv
run "$TESSEREC" preprocess --propose zone.csv
cp out zone.toml
says zone 'parts = ["hour"]'

# a label that is called only by an action is found before one by its place, but not a feature with such a word
awk 'BEGIN { srand(9); print "is_first_order,user,purchase,price,is_weekend"
  for (i = 0; i < 900; ++i) printf "%d,u%d,%d,%.2f,%d\n", rand() < 0.5, rand() * 60, rand() < 0.3, rand() * 9, rand() < 0.3 }' >bought.csv
run "$TESSEREC" preprocess --propose bought.csv
cp out bought.toml
says bought '{name = "purchase", kind = "label"' '{name = "is_weekend", kind = "category"}' \
  'if it is known before the row is scored, make it kind = "category"' 'tasks = ["purchase", "is_first_order"]'
cut -d , -f 1,2,4,5 bought.csv >weekend.csv
run "$TESSEREC" preprocess --propose weekend.csv
cp out weekend.toml
says weekend 'tasks = ["is_weekend", "is_first_order"]'

# tabs, no header, a label of two texts behind; rows with a key
awk 'BEGIN { srand(2); for (i = 0; i < 2000; ++i)
  printf "r%d\t%s,x\t%.3f\t%s\t%s\n", i, substr("redgreblu", 1 + 3 * int(rand() * 3), 3), rand() * 9, rand() < 0.1 ? "" : int(rand() * 500), rand() < 0.3 ? ">50K" : "<=50K" }' >colors.tsv
model colors colors.tsv
says colors 'header = false' 'delimiter = "\t"' 'positive = [">50K"], negative = ["<=50K"]' \
  '{name = "column_1", kind = "key"}' '{name = "column_3", kind = "number", transform = "standardise"}' \
  'missing_indicator = true' 'by = "hash"'

# semicolons, comments, times in words, a file to evaluate, and one that is a part of the log
for name in day_1 day_2 test; do
  awk -v seed="$name" 'BEGIN { srand(length(seed) + 3); print "# made up"; print "when;shop_id;price;tags;clicked"
    for (i = 0; i < 900; ++i) printf "2024-02-%02dT%02d:00:00Z;%d;%.2f;%s;%d\n", 1 + i % 28, i % 24, rand() * 30, exp(rand() * 9), (i % 3 ? "a|b" : "c|a|d"), rand() < 0.2 }' >"$name.csv"
done
model days day_1.csv day_2.csv test.csv
says days 'delimiter = ";"' 'comment = "#"' 'train = ["day_1.csv", "day_2.csv"]' 'evaluate = ["test.csv"]' \
  '{name = "when", kind = "time", time = "iso", stored = true}' '{name = "shop_id", kind = "category"}' \
  '{name = "price", kind = "number", transform = "log1p"}' '{name = "tags", kind = "category", separator = "|"}' \
  '{name = "clicked", kind = "label", positive = ["1"], negative = ["0"]}'
! grep -q 'preprocess.split' days.toml || complain 'a split although there is an evaluation file'

# Criteo's form, a packed file without a header, numbers alone
awk 'BEGIN { srand(4); for (i = 0; i < 500; ++i) { printf "%d", rand() < 0.3
  for (k = 0; k < 13; ++k) printf "\t%d", rand() * 90; for (f = 0; f < 26; ++f) printf "\t%08x", rand() * 20; print "" } }' >criteo.txt
model criteo criteo.txt
says criteo 'format = "criteo"' 'by = "hash"'
cp "$DOCS/../inputs/data/adult.data.gz" adult.gz
model adult adult.gz
says adult '{name = "column_2", kind = "category"}' '{name = "column_15", kind = "label", positive = [">50K"]'
awk 'BEGIN { srand(5); print "a,b,y"; for (i = 0; i < 900; ++i) printf "%.4f,%.1f,%d\n", rand(), rand(), rand() < 0.5 }' >numbers.csv
model numbers numbers.csv
says numbers 'no column is a category, and this one has the fewest values'

# public data sets
awk 'NR == 1 || NR <= 21' movies.csv >films_1.csv
awk 'NR == 1 || NR > 21' movies.csv >films_2.csv
model films ratings.csv films_1.csv films_2.csv
says films 'file = "films_*.csv"'
grep -q 'joined films_\*.csv on movie: 40 rows' films.txt || complain "$(cat films.txt); not both parts"
mkdir parts
for part in 00:2:14 10:15:27 01:28:99; do
  IFS=: read -r name first last <<<"$part"
  awk -v first="$first" -v last="$last" 'NR == 1 || (NR >= first && NR <= last)' movies.csv >"parts/f-$name.csv"
done
model parts ratings.csv parts/f-00.csv parts/f-10.csv parts/f-01.csv
says parts 'file = "parts/f-*.csv"'
grep -q 'on movie: 40 rows' parts.txt || complain "$(cat parts.txt); not all parts"
cp ratings.csv films_log.csv
run "$TESSEREC" preprocess --propose films_log.csv films_1.csv films_2.csv
[ "$code" = 2 ] && grep -q 'films_\*.csv also names films_log.csv' err || complain 'a side table with the log as a part'
set_avazu
model avazu data/avazu/train.gz
says avazu 'output = "runs/avazu/data"' '{name = "id", kind = "key"}' '{name = "hour", kind = "time", time = "yymmddhh", stored = true}' \
  '{name = "click", kind = "label", positive = ["1"], negative = ["0"]}'
set_movielens_20m
model movielens data/ml-20m/ratings.csv data/ml-20m/movies.csv
says movielens 'kind = "label", threshold = 4' 'time = "timestamp"' '{name = "genres", kind = "category", separator = "|"}'
set_kuairand_pure
kuairand=data/KuaiRand-Pure/data
model kuairand $kuairand/log_standard_4_08_to_4_21_pure.csv $kuairand/log_standard_4_22_to_5_08_pure.csv \
  $kuairand/user_features_pure.csv $kuairand/video_features_basic_pure.csv $kuairand/video_features_statistic_pure.csv
says kuairand '{name = "is_click", kind = "label"' '{name = "play_time_ms", kind = "skip"}' 'tells the label by itself' \
  '{name = "date", kind = "time", time = "%Y%m%d", parts = ["weekday", "day"]}' "\"follow_user_num\" is left out: the name is that of a column of $kuairand/user_features_pure.csv"
set_open_bandit
model bandit data/open_bandit_dataset/random/men/men.csv data/open_bandit_dataset/random/men/item_context.csv
says bandit 'on = ["item_id"]' '{name = "timestamp", kind = "time", time = "iso", stored = true}' 'skip_other_columns = true'
set_adult
model uci data/adult/adult.data data/adult/adult.test
says uci 'positive = [">50K", ">50K."], negative = ["<=50K", "<=50K."]' 'bad_rows = "skip"'
grep -q 'data/adult/adult.test: 1 bad row left out, 400 kept' uci.txt || complain "$(cat uci.txt); other bad rows"
set_criteo_kaggle
model kaggle data/criteo/train.txt data/criteo/test.txt
says kaggle 'format = "criteo"' 'evaluate = ["data/criteo/test.txt"]'
set_tencentgr_1m
set_yambda_50m
run "$TESSEREC" preprocess --propose data/yambda/flat/50m/listens.parquet
if grep -q 'this build has no Arrow' err; then
  echo 'not tried: Parquet files, because this build has no Arrow'
else
  model listens data/yambda/flat/50m/listens.parquet
  says listens '{name = "uid", kind = "category"}' '{name = "item_id", kind = "category"}' 'about 3000 rows'
  model events data/TencentGR-1M/seq/*.parquet data/TencentGR-1M/user_feat/*.parquet data/TencentGR-1M/item_feat/*.parquet
  says events 'file = "data/TencentGR-1M/item_feat/part-0000*.parquet"' '{name = "106", kind = "category", separator = "|"}' \
    '{name = "action_type", kind = "label", positive = ["1"], negative = ["0"]}' \
    '{name = "timestamp", kind = "time", time = "epoch", stored = true}' 'about 1678 rows'
fi

# rows without their labels, whose number is another in each row
awk 'BEGIN { srand(6); print "id,price,shop,sold"; for (i = 0; i < 900; ++i) printf "%d,%.2f,s%d,%d\n", i, rand() * 9, rand() * 20, rand() < 0.5 }' >sales.csv
awk 'BEGIN { srand(7); print "id,price,shop"; for (i = 0; i < 300; ++i) printf "%d,%.2f,s%d\n", 900 + i, rand() * 9, rand() * 20 }' >new.csv
model sales sales.csv new.csv
says sales 'predict = ["new.csv"]' '{name = "id", kind = "key"}'
[ -e runs/sales/data/predict.h5 ] || complain 'the deck for sales.csv and new.csv makes no predict.h5'

# the same by JSON, and what is no table
run "$TESSEREC" preprocess --propose numbers.csv --json
"$JSON_CHECK" <out || complain '--json is not one JSON object'
printf 'one\ntwo\nthree\n' >words.txt
must_fail 'words.txt: no delimiter' preprocess --propose words.txt
awk 'BEGIN { print "a,b"; for (i = 0; i < 90; ++i) printf "%d,x%d\n", i % 7, i % 9 }' >plain.csv
must_fail 'can be the label' preprocess --propose plain.csv
sed 's/a,b/a,c/' plain.csv >other.csv
must_fail 'neither a further part of the log nor a side table' preprocess --propose numbers.csv other.csv
must_fail 'needs raw files' preprocess --propose
must_fail 'takes no --set' preprocess --propose numbers.csv --set run.name=x
finish
