#!/usr/bin/env bash
# preprocess --propose: odd names, rules that files do not share, small logs and files that no deck can read. A deck that
# is printed runs as it is; a file that none can read is refused with the reason.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_propose.sh"
cd "$folder"

# clicks NAMES [ROWS] [DELIMITER]: prints a log of users, items and clicks.
clicks() {
  awk -v names="$1" -v rows="${2:-500}" -v d="${3:-,}" 'BEGIN { srand(rows); gsub(/,/, d, names); print names
    for (i = 0; i < rows; ++i) printf "u%d%si%d%s%d\n", rand() * 50, d, i % 40, d, rand() < 0.4 }'
}

# names that a deck cannot have: of the label, and of the only category
awk 'BEGIN { srand(1); print "user,price,click/7d"; for (i = 0; i < 300; ++i) printf "u%d,%.3f,%d\n", rand() * 9, rand(), rand() < 0.4 }' >named.csv
must_fail 'named.csv: the label is probably the column "click/7d", but it contains '"'/'"', so a deck cannot name it' \
  preprocess --propose named.csv
sed '1s/.*/click*,price,label/' named.csv >starred.csv
prepare starred starred.csv
sed '1s/.*/site\/app,price,label/' named.csv >sites.csv
prepare sites sites.csv
says sites '{name = "price", kind = "category"}' 'skip_other_columns = true' 'a deck cannot name "site/app"'

# lists of which no two are alike are bags, and titles keys
awk 'BEGIN { srand(4); print "tags,title,click"; for (i = 0; i < 400; ++i) printf "t%d|t%d|t%d|n%d,%s %s %d,%d\n", rand() * 30,
  rand() * 30, rand() * 30, i % 200, "a", "film", i, rand() < 0.4 }' >tags.csv
prepare tags tags.csv
says tags '{name = "tags", kind = "category", separator = "|"}' '{name = "title", kind = "key"}'

# numbers as people write them, beside words for missing values, and microseconds since 1970
awk 'BEGIN { srand(5); split("-,null,7", word, ",")
  print "big;money;share;age;ts;click"; for (i = 0; i < 400; ++i) printf "%d,%03d;$%d.99;%d%%;%s;%.0f;%d\n", 1 + rand() * 900,
  rand() * 1000, rand() * 80, rand() * 99, rand() < 0.2 ? word[1 + int(rand() * 2)] : int(rand() * 60), 1600000000000000 + i * 7, rand() < 0.4 }' >written.csv
prepare written written.csv
says written '{name = "big", kind = "skip"}' '{name = "money", kind = "skip"}' '{name = "share", kind = "skip"}' \
  'for example "$' '{name = "age", kind = "category"}' 'all but "-" and "null" are numbers' \
  '{name = "ts", kind = "time", time = "epoch_us", stored = true, parts = ["hour"]}'
echo 'user,price,click' >one_line.csv
must_fail '(there is no header, since the file has a single row)' preprocess --propose one_line.csv

# many categories, whose inner products by pairs would be most of the model
awk 'BEGIN { srand(6); for (c = 0; c < 300; ++c) printf "c%d,", c; print "click"
  for (i = 0; i < 60; ++i) { for (c = 0; c < 300; ++c) printf "x%d,", rand() * 5; print (rand() < 0.4) + 0 } }' >many.csv
prepare many many.csv
says many 'interaction = "cat"' '300 categories have 44850 pairs'

# names that were made up join nothing
clicks user,item,click | tail -n +2 | tr ',' '\t' >u.data
awk 'BEGIN { for (i = 1; i <= 40; ++i) printf "%d|Film %d|http://x/%d|%d\n", i, i, i, i % 3 }' >u.item
must_fail 'u.item: its columns are not those of u.data, and u.data has no header' preprocess --propose u.data u.item
clicks user,item,click >log.csv
must_fail 'and u.item has no header' preprocess --propose log.csv u.item

# ratings whose numbers are not from 1 to 5
awk 'BEGIN { srand(2); print "user,item,score"; for (i = 0; i < 500; ++i) printf "u%d,i%d,%g\n", rand() * 50, rand() * 40, i % 10 / 10 }' >scores.csv
prepare scores scores.csv
says scores 'threshold = 0.5' '; 50 % of 500 rows reach 0.5'
grep -qE 'train: [0-9]+ rows, (4|5)' scores.txt || complain "$(cat scores.txt); not about half of the rows are positive"
sed 's/,0\.[0-4]$/,4.5/; s/,0\.[5-8]$/,5/; s/,0.9$/,4/; s/,0$/,4/' scores.csv >high.csv
prepare high high.csv
says high 'threshold = 5'

# files that share neither delimiter nor quotes nor comments, and side tables with bad rows
clicks user,item,click 50 ';' >valid.csv
must_fail 'valid.csv: its delimiter is ";", but that of log.csv is ","' preprocess --propose log.csv valid.csv
awk 'BEGIN { print "item,genre,color"; for (i = 0; i < 40; ++i) printf "i%d,g%d,c%d\n", i, i % 3, i % 7 }' >items.csv
sed 's/,g\([0-9]\),/,"g\n\1",/' items.csv >broken.csv
prepare broken log.csv broken.csv
says broken 'quoted_newlines = true' '# broken.csv: 40 of the first'
grep -q 'joined broken.csv on item: 40 rows' broken.txt || complain "$(cat broken.txt); no join"
awk 'BEGIN { print "user;color"; for (i = 0; i < 50; ++i) printf "u%d;\"c\n%d\"\n", i, i % 7 }' >ends.csv
prepare ends log.csv ends.csv
says ends 'quoted_newlines = true' 'delimiter = ";"' '51 of the first rows have 2 fields with it'
(echo '# items' && cat items.csv) >commented.csv
prepare commented log.csv commented.csv
says commented 'comment = "#"                             # commented.csv: 1 line'
sed '9s/^/#/' log.csv >hashes.csv
must_fail 'hashes.csv: its rows read otherwise with comment = "#", which commented.csv needs' \
  preprocess --propose hashes.csv commented.csv
sed '5s/$/,x/' items.csv >bad_items.csv
must_fail 'bad_items.csv:5: the row has not the 3 fields of the others' preprocess --propose log.csv bad_items.csv
sed 's/,/;/g' items.csv >semicolons.csv
prepare semicolons log.csv semicolons.csv
says semicolons 'delimiter = ";"'

# the log behind a file to evaluate; a log of that name alone
clicks user,item,click 60 >a_test.csv
prepare order a_test.csv log.csv
says order 'train = ["log.csv"]' 'evaluate = ["a_test.csv"]'
cut -d , -f 1,2 a_test.csv >b_test.csv
prepare unlabelled b_test.csv log.csv
says unlabelled 'train = ["log.csv"]' 'predict = ["b_test.csv"]'
clicks user,item,click 400 >test_log.csv
prepare alone test_log.csv items.csv
says alone 'train = ["test_log.csv"]' 'file = "items.csv"'

# a submission form that brings no column, and keys that a side table is found by
awk 'BEGIN { srand(8); print "id,user,click"; for (i = 0; i < 500; ++i) printf "r%d,u%d,%d\n", i, rand() * 50, rand() < 0.4 }' >rows.csv
awk 'BEGIN { print "id,click"; for (i = 500; i < 800; ++i) printf "r%d,0.5\n", i }' >form.csv
prepare form rows.csv form.csv
says form '{name = "id", kind = "key"}' '# of form.csv, which brings no column, so it is left out'
awk 'BEGIN { print "id,shop"; for (i = 0; i < 500; ++i) printf "r%d,s%d\n", i, i % 7 }' >shops.csv
prepare shops rows.csv shops.csv
says shops '{name = "id", kind = "key"}' 'on = ["id"]' '{name = "shop", kind = "category"}'
grep -q 'joined shops.csv on id: 500 rows' shops.txt || complain "$(cat shops.txt); no join"

# a file twice, none, and a header with a name twice
must_fail '--propose names "log.csv" twice; keep one of them' preprocess --propose log.csv log.csv
must_fail '--propose: none.csv: there is no such file' preprocess --propose log.csv none.csv
awk 'BEGIN { print "user,price,price,click"; for (i = 0; i < 90; ++i) printf "u%d,%d,%d,%d\n", i % 7, i, i, i % 2 }' >twice.csv
must_fail 'twice.csv: its header has the name "price" twice; rename one of them' preprocess --propose twice.csv
awk 'BEGIN { print "user,user,click"; for (i = 0; i < 90; ++i) printf "u%d,v%d,%s\n", i % 7, i % 9, i % 2 ? "yes" : "no" }' >words.csv
must_fail 'there is no header, since the first line has the text "user" twice' preprocess --propose words.csv

# numbers with a decimal comma, and lists in brackets
awk 'BEGIN { srand(9); print "user;price;seen;click"
  for (i = 0; i < 400; ++i) printf "u%d;%d,%02d;[%d,%d,%d];%d\n", rand() * 50, rand() * 9, rand() * 99, rand() * 9, rand() * 9, rand() * 9, rand() < 0.4 }' >commas.csv
prepare commas commas.csv
says commas '{name = "price", kind = "skip"}' 'numbers with a decimal comma, for example "' '; write a point' \
  '{name = "seen", kind = "skip"}' 'lists in brackets, for example "['

# empty lines between rows, at the end, and before the header
(head -n 9 log.csv && echo && tail -n +10 log.csv && echo) >empty.csv
prepare empty empty.csv
says empty 'bad_rows = "skip"' 'empty.csv: 1 of the first 501 rows have another number of fields or are empty'
(cat log.csv && echo && echo) >ended.csv
prepare ended ended.csv
! grep -q bad_rows ended.toml || complain 'empty lines at the end are bad rows'
(echo && cat log.csv) >begun.csv
must_fail 'begun.csv: a line before its header is empty' preprocess --propose begun.csv

# texts that are too long for a key; label texts in Latin-1
awk 'BEGIN { srand(3); long = sprintf("%1500s", ""); gsub(/ /, "x", long); print "user,review,click"
  for (i = 0; i < 300; ++i) printf "u%d,w%d %s,%d\n", rand() * 50, i, i % 9 ? "short" : long, rand() < 0.4 }' >reviews.csv
prepare reviews reviews.csv
says reviews '{name = "review", kind = "skip"}' 'too long for a key'
awk 'BEGIN { srand(4); print "user,item,label"; for (i = 0; i < 300; ++i) printf "u%d,i%d,%s\n", rand() * 50, rand() * 9, rand() < 0.4 ? "caf\351" : "th\351" }' >latin.csv
must_fail 'is not UTF-8, so a deck cannot have it; convert the files, e.g. with `iconv -f LATIN1' preprocess --propose latin.csv

# a label in several spellings; a column that it alone tells
awk 'BEGIN { srand(6); split("Yes yes YES 1", yes, " "); split("no No 0 false", no, " "); print "user,item,clicked,seconds"
  for (i = 0; i < 300; ++i) { c = rand() < 0.4; printf "u%d,i%d,%s,%d\n", rand() * 50, rand() * 9, c ? yes[1 + i % 4] : no[1 + i % 4], c * (1 + rand() * 60) } }' >spelled.csv
prepare spelled spelled.csv
says spelled 'positive = ["1", "YES", "Yes", "yes"], negative = ["0", "No", "false", "no"]' 'two values in 8 spellings, 1 in ' \
  '{name = "seconds", kind = "skip"}' 'tells the label by itself (AUC 1)'
sed '2s/,[^,]*,\([0-9]*\)$/,perhaps,\1/' spelled.csv >perhaps.csv
must_fail 'perhaps.csv: no column of the first 300 rows can be the label: none has two values' preprocess --propose perhaps.csv
awk 'BEGIN { srand(7); split("Yes yes YES", yes, " "); print "user,item,agreed"
  for (i = 0; i < 100; ++i) printf "u%d,i%d,%s\n", rand() * 50, rand() * 9, yes[1 + i % 3] }' >agreed.csv
must_fail 'agreed.csv: no column of the first 100 rows can be the label: none has two values' preprocess --propose agreed.csv

# a birthday before the time of the event, which the rows are split by and stored with
awk 'BEGIN { srand(8); print "user,birthday,at,click"; for (i = 0; i < 300; ++i)
  printf "u%d,19%d-0%d-11,%d,%d\n", rand() * 50, 60 + i % 40, 1 + i % 9, 1500000000 + i * 7000, rand() < 0.4 }' >births.csv
prepare births births.csv
says births '{name = "birthday", kind = "time", time = "iso", parts = ["weekday", "day"]}' '{name = "at", kind = "time", time = "epoch", stored = true}' 'time = "at"'
# ... behind a column without a name, and with the end of all times in most rows
awk -F, -v OFS=, 'NR == 1 { print "", $0, "valid_to"; next } { print NR, $0, NR % 50 ? "2099-12-31" : "2016-01-01" }' births.csv >ends.csv
prepare ends ends.csv
says ends '{name = "at", kind = "time", time = "epoch", stored = true}' 'time = "at"'

# small logs: a larger share to evaluate, or none; times that divide nothing
clicks user,item,click 30 >thirty.csv
prepare thirty thirty.csv
says thirty 'fraction = 0.5'
clicks user,item,click 11 >eleven.csv
prepare eleven eleven.csv
says eleven '# There is nothing to evaluate: only 11 different rows'
run "$TESSEREC" train eleven.toml --set train.epochs=1
[ "$code" = 0 ] || complain 'no training without evaluation rows'
awk 'BEGIN { srand(5); print "user,at,click"; for (i = 0; i < 200; ++i) printf "u%d,%d,%d\n", i % 60, i ? 1500000000 : 1600000000, rand() < 0.4 }' >once.csv
prepare once once.csv
says once 'by = "hash"' 'nearly all rows have one time'

# days of one log: columns in another order are no others, further or other columns make no side table
# days NAME: prints rows with keys of their own.
days() {
  awk -v d="$1" 'BEGIN { srand(length(d)); print "id,user,item,price,click"
    for (i = 0; i < 400; ++i) printf "%s-%d,u%d,i%d,%.2f,%d\n", d, i, rand() * 50, i % 40, rand() * 9, rand() < 0.3 }'
}
days a >day_1.csv
days bb | awk -F, -v OFS=, '{ print $4, $5, $1, $3, $2 }' >day_2.csv
prepare order day_1.csv day_2.csv
says order 'train = ["day_1.csv", "day_2.csv"]'
grep -qE 'train: 7[0-9]{2} rows, [23][0-9.]* %' order.txt || complain "$(cat order.txt); not the rows of both days"
days ccc | sed '1s/item/product/' >day_3.csv
must_fail 'day_3.csv: it has most columns of day_1.csv and none of its rows by "id"' preprocess --propose day_1.csv day_3.csv
grep -qF 'it lacks "item" and has "product"; name columns alike' err || complain "$(cat err); no columns that differ"
days dddd | cut -d , -f 2-5 | sed '1s/item/product/' >day_4.csv
must_fail 'nor a side table: it lacks "id", "item" and has "product"' preprocess --propose day_1.csv day_4.csv
days ee | cut -d , -f 1,2,3,5 >day_5.csv
prepare price day_1.csv day_5.csv
says price '# of day_5.csv, which is left out: its columns are not those of day_1.csv: it lacks "price"'
# a side table may repeat most columns of the log, and its parts may order theirs otherwise
awk -F, -v OFS=, 'NR > 1 { print "i" NR - 2, "u1", 3, NR % 3 } NR == 1 { print "item,user,price,brand" }' day_1.csv | head -n 41 >item_1.csv
awk -F, -v OFS=, '{ print $4, $3, $2, (NR > 1 ? $1 "x" : $1) }' item_1.csv >item_2.csv
prepare brands day_1.csv item_1.csv item_2.csv
says brands 'file = "item_*.csv"' 'columns = ["brand"]'

# a column that only clicked rows have, of values that do not tell
awk 'BEGIN { srand(8); print "user,cart,seconds,item,click"; for (i = 0; i < 600; ++i) { c = rand() < 0.3
  printf "u%d,%s,%s,i%d,%d\n", rand() * 40, c ? int(rand() * 2) : "", c ? sprintf("%.3f", rand() - 0.5) : "", rand() * 30, c } }' >carts.csv
prepare carts carts.csv
says carts '{name = "cart", kind = "skip"}' '{name = "seconds", kind = "skip"}' 'tells the label by itself (AUC 1)'
finish
