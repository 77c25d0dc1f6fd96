#!/usr/bin/env bash
# tesserec import: models of the reference DLRM and of TorchRec score here as in PyTorch, within 1e-6. What export wrote
# comes back with its digest, on any ranks, and trains as by checkpoint.start_from. What does not fit is refused in one
# message. The models and scores are those of runs/compare/weights.py.
TESSEREC=${TESSEREC:-$(dirname "$0")/../../build/tesserec} LAUNCH=${LAUNCH:-mpirun --allow-run-as-root --oversubscribe -n}
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_samples.sh"
golden=$(cd "$(dirname "$0")/../golden/data/pytorch" && pwd)

cat >"$folder/golden.toml" <<END
[run]
output = "$folder/golden"
overwrite = true
[data]
train = ["$golden/rows.h5"]
predict = ["$golden/rows.h5"]
[model]
embedding_dim = 8
bottom = [16, 8]
top = [12, 6, 1]
[train]
batch_size = 64
lanes = 4
[checkpoint]
resume = "auto"
END
# must_score MODEL MAP [ARGS...]: imports the model and compares its scores with those of PyTorch.
must_score() {
  must_succeed '"weights_digest"' import "$folder/golden.toml" --from "$golden/$1.safetensors" --map "$2" --json "${@:3}"
  must_succeed '"samples": 200' predict "$folder/golden.toml" --scores "$folder/scores.csv" --json "${@:3}"
  local most
  most=$(grep '^[0-9]' "$folder/scores.csv" | paste -d, - "$golden/$1.csv" |
    awk -F, '{ d = $1 > $2 ? $1 - $2 : $2 - $1; if (d > most) most = d } END { print NR, most, NR == 200 && most <= 1e-6 }')
  [ "${most##* }" = 1 ] || complain "$1: number of scores, largest difference: $most"
}
must_score reference reference
must_score torchrec torchrec
must_score torchrec torchrec --set 'import=[{name="dense.top.0.weight", from="model.over_arch.model.0._mlp.0._linear.weight"}]'
must_score torchrec_dcn torchrec --set model.type=dlrm_dcn --set model.cross_layers=2 --set model.cross_rank=5
# The same model layer by layer would read the products of vectors in another order.
must_succeed 'type = "network"' check "$folder/golden.toml" --network
mv "$folder/out" "$folder/layers.toml"
must_fail '--map torchrec does not know the layers of model.type = "network"' import "$folder/layers.toml" \
  --from "$golden/torchrec.safetensors" --map torchrec --set "run.output=$folder/layers"

# Back with the digest, from all forms, and on from there as from the checkpoint itself.
deck=$folder/deck.toml
planted_deck "$deck"
sed -i 's/embedding_dim = 4/embedding_dim = 8/; s/bottom = .*/bottom = [8, 8]/' "$deck" # columns can be cut
must_succeed weights_digest train "$deck" --json --set "run.output=$folder/origin"
digest=$(grep -o '"weights_digest": "[0-9a-f]*"' "$folder/out")
declare -A plans=([safetensors]=column_wise [npy]=row_wise)
for form in safetensors npy; do
  RANKS=1 must_succeed "$digest" export "$folder/origin" --to "$folder/w.$form" --format $form --json
  must_succeed "$digest" import "$deck" --from "$folder/w.$form" --json --set "run.output=$folder/$form" --set "plan.default=${plans[$form]}" \
    --set plan.min_rows=1 --set plan.tables.C1.min_partition=4
done
RANKS=1 must_succeed ' datasets are equal' diff "$folder/safetensors" "$folder/npy"
must_succeed '"steps"' train "$deck" --json --set "run.output=$folder/npy"
on=$(grep -oE '"(weights|state)_digest": "[0-9a-f]*"' "$folder/out")
must_succeed '"steps"' train "$deck" --json --set "run.output=$folder/started" --set "checkpoint.start_from=$folder/origin"
[ "$(grep -oE '"(weights|state)_digest": "[0-9a-f]*"' "$folder/out")" = "$on" ] || complain "another training after the import"
RANKS=1 must_succeed '"tensors"' export "$folder/origin" --to "$folder/half.safetensors" --format safetensors --rows bf16 --json
must_succeed '"tensors"' import "$deck" --from "$folder/half.safetensors" --json --set "run.output=$folder/half"
must_succeed '"tensors"' import "$deck" --from "$folder/w.safetensors" --json --set "run.output=$folder/short" --set model.table_format=bf16
grep -qE 'table C1: [0-9]+ weights of [0-9]+ in .* rounded to nearest' "$folder/err" || complain "no word of rounding"
RANKS=1 must_succeed ' datasets are equal' diff "$folder/half" "$folder/short"

# Over a run that kept its best checkpoint: training goes on from the imported weights.
best=(--set "run.output=$folder/best" --set checkpoint.keep_best=true --set checkpoint.resume=auto)
must_succeed '"steps"' train "$deck" --json "${best[@]}"
[ -e "$folder/best/checkpoints/best.json" ] || complain 'no best checkpoint'
must_succeed "$digest" import "$deck" --from "$folder/w.npy" --json "${best[@]}" --set run.overwrite=true
for file in result.json run.json metrics.jsonl; do
  [ ! -e "$folder/best/$file" ] || complain "$file is still that of the run that was replaced"
done
must_succeed '"steps"' train "$deck" --json "${best[@]}"
grep -q 'resumed from .*/best/checkpoints/step_000000000: step 0' "$folder/err" || complain 'not from the import'

# Some tensors, over another checkpoint: the rest is that one's.
must_succeed '"kept": ["dense.bottom.0.bias"' import "$deck" --from "$folder/w.npy" --only 'tables.*,dense.top.?.weight' --json \
  --set "run.output=$folder/some" --set "checkpoint.start_from=$folder/origin"
RANKS=1 must_succeed ' datasets are equal' diff "$folder/some" "$folder/npy/checkpoints/step_000000000"
must_succeed '"kept": ["dense.bottom.0.bias"' import "$deck" --from "$folder/w.npy" --only 'tables.C1.weight' --json --set "run.output=$folder/one"
grep -q 'with start values: ' "$folder/err" || complain "no word of the tensors that were kept"
RANKS=1 run "$TESSEREC" diff "$folder/one" "$folder/npy/checkpoints/step_000000000"
grep -q '^tables/C2/weight' "$folder/out" && ! grep -q '^tables/C1/weight' "$folder/out" || complain "--only read other tensors"

# Names of one's own, and a layer with rows and columns exchanged.
numbers() { tail -c +129 "$1" | od -An -v -tx1 "-w${2:-4}"; } # FILE.npy [BYTES]: a line for each number
put_npy() { # FILE SHAPE [TYPE]: writes the numbers of stdin
  local head="{'descr': '${3:-<f4}', 'fortran_order': False, 'shape': ($2), }"
  { printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "$head"; awk '{ for (i = 1; i <= NF; ++i) printf "\\x%s", $i }' | xargs -0 printf '%b'; } >"$1"
}
shape=$(head -c 120 "$folder/w.npy/dense.bottom.0.weight.npy" | grep -aoE '\([0-9]+, [0-9]+' | tr -d '(,')
rows=${shape% *} columns=${shape#* }
mkdir "$folder/own"
cp "$folder"/w.npy/*.npy "$folder/own"
numbers "$folder/w.npy/dense.bottom.0.weight.npy" |
  awk -v r="$rows" -v c="$columns" '{ x[NR - 1] = $0 } END { for (i = 0; i < c; ++i) for (j = 0; j < r; ++j) print x[j * c + i] }' |
  put_npy "$folder/own/kernel.npy" "$columns, $rows"
rm "$folder/own/dense.bottom.0.weight.npy"
must_fail "dense.bottom.0.weight [$rows, $columns]: the file has no dense.bottom.0.weight" import "$deck" --from "$folder/own" --set "run.output=$folder/x"
must_fail 'give it transpose = true with [[import]]' import "$deck" --from "$folder/own" --set "run.output=$folder/x" \
  --set 'import=[{name="dense.bottom.0.weight", from="kernel"}]'
must_fail 'import.dense.bottom.9.weight: the model has no tensor' import "$deck" --from "$folder/w.npy" --set "run.output=$folder/x" \
  --set 'import=[{name="dense.bottom.9.weight", from="kernel"}]'
must_fail 'import.dense.bottom.0.weight: there is a second [[import]]' import "$deck" --from "$folder/own" --set "run.output=$folder/x" \
  --set 'import=[{name="dense.bottom.0.weight", from="kernel", transpose=true}, {name="dense.bottom.0.weight", from="x"}]'
must_succeed "$digest" import "$deck" --from "$folder/own" --json --set "run.output=$folder/own_names" \
  --set 'import=[{name="dense.bottom.0.weight", from="kernel", transpose=true}]'

# Rows.
rows_of() { head -c 120 "$folder/w.npy/tables.C1.weight.npy" | grep -aoE '\([0-9]+, [0-9]+' | tr -d '(,'; }
c1=$(rows_of)
mkdir "$folder/fewer"
cp "$folder"/w.npy/*.npy "$folder/fewer"
numbers "$folder/w.npy/tables.C1.weight.npy" | head -n $((5 * ${c1#* })) | put_npy "$folder/fewer/tables.C1.weight.npy" "5, ${c1#* }"
must_fail "tables.C1.weight [${c1% *}, ${c1#* }]: tables.C1.weight is [5, ${c1#* }]; --fewer-rows takes it" import "$deck" --from "$folder/fewer" --set "run.output=$folder/x"
must_succeed "\"fewer_rows\": [\"tables.C1.weight (5 of ${c1% *} rows)\"]" import "$deck" --from "$folder/fewer" --fewer-rows --json --set "run.output=$folder/fewer_run"
{ numbers "$folder/w.npy/tables.C1.weight.npy"; numbers "$folder/w.npy/tables.C1.weight.npy" | head -n "${c1#* }"; } |
  put_npy "$folder/fewer/tables.C1.weight.npy" "$((${c1% *} + 1)), ${c1#* }"
must_fail 'set the rows of table C1 with table.NAME.rows' import "$deck" --from "$folder/fewer" --fewer-rows --set "run.output=$folder/x"

# Tables of another vocabulary: the same rows would stand for other values.
words=$folder/words.toml
sed "s|@|$folder|" >"$words" <<'END'
[run]
output = "@/words"
[preprocess]
format = "table"
header = true
train = ["@/ab.csv"]
output = "@/ab"
column = [
  {name = "c", kind = "category"},
  {name = "x", kind = "number"},
  {name = "y", kind = "label", positive = ["1"], negative = ["0"]},
]
[data]
train = ["@/ab/train.h5"]
[model]
embedding_dim = 4
bottom = [8, 4]
top = [8, 1]
[train]
batch_size = 32
lanes = 4
END
words_of() { awk -v words="$1" 'BEGIN { n = split(words, word, " "); print "c,x,y"
  for (i = 0; i < 300; ++i) print word[i % n + 1] "," i % 7 "," (i % 3 == 0) }'; }
words_of 'a b c' >"$folder/ab.csv"
words_of 'd e f' >"$folder/other.csv"
words_of 'a b c d' >"$folder/more.csv"
of_words() { echo "--set preprocess.train=$folder/$1.csv --set preprocess.output=$folder/$1 --set data.train=$folder/$1/train.h5"; }
RANKS=1 must_succeed rows preprocess "$words" --json
# shellcheck disable=SC2046
RANKS=1 must_succeed rows preprocess "$words" $(of_words other) --json
# shellcheck disable=SC2046
RANKS=1 must_succeed rows preprocess "$words" $(of_words more) --set "preprocess.vocabulary=$folder/ab/train.h5" --set preprocess.extend=true --json
must_succeed steps train "$words" --json
for form in safetensors npy; do
  RANKS=1 must_succeed tensors export "$folder/words" --to "$folder/words.$form" --format $form --json
  must_succeed tensors import "$words" --from "$folder/words.$form" --json --set "run.output=$folder/words_$form"
  must_fail "words.$form: its tables are of the vocabulary " import "$words" --from "$folder/words.$form" --set "run.output=$folder/x" \
    --set "data.train=$folder/other/train.h5"
done
other=(--from "$folder/words.npy" --json --set "data.train=$folder/other/train.h5")
must_succeed tensors import "$words" "${other[@]}" --set "run.output=$folder/dense" --only 'dense.*'
must_succeed tensors import "$words" "${other[@]}" --set "run.output=$folder/accepted" --set 'checkpoint.accept=["data"]'
must_succeed tensors import "$words" --from "$folder/words.npy" --fewer-rows --json --set "data.train=$folder/more/train.h5" \
  --set "run.output=$folder/more_run"

# What is refused, before anything is written.
numbers "$folder/w.npy/tables.C1.weight.npy" | awk -v at=$((3 * ${c1#* } + 2)) 'NR == at { print "00 00 c0 7f"; next } { print }' |
  put_npy "$folder/fewer/tables.C1.weight.npy" "${c1% *}, ${c1#* }"
must_fail 'tensor tables.C1.weight, row 3, column 1 is nan' import "$deck" --from "$folder/fewer" --set "run.output=$folder/x"
must_fail 'named as by --map tesserec' import "$deck" --from "$folder/w.safetensors" --map reference --set "run.output=$folder/x"
must_fail '--only: no tensor of the model matches "table.*"' import "$deck" --from "$folder/w.npy" --only 'table.*' --set "run.output=$folder/x"
growing=(--set 'table=[{name="C1", growing=true, rows=2048}, {name="C2", growing=true, rows=1024}, {name="C3", growing=true, rows=1024}]'
  --set data.synthetic.hashed=true)
must_fail 'tables.C1.ids: the file has no tables.C1.ids, the id of each row of the growing table' import "$deck" --from "$folder/w.npy" --set "run.output=$folder/x" "${growing[@]}"
must_fail 'tesserec import needs --from PATH' import "$deck"
must_fail 'none: there is no such file; check the path' import "$deck" --from "$folder/none" --set "run.output=$folder/x"
must_fail 'holds checkpoints up to step' import "$deck" --from "$folder/w.npy" --set "run.output=$folder/origin"
must_fail 'checkpoint.keep is 0' import "$deck" --from "$folder/w.npy" --set "run.output=$folder/x" --set checkpoint.keep=0
must_fail 'name it with checkpoint.start_from' import "$deck" --from "$folder/w.npy" --set "run.output=$folder/x" --set "checkpoint.resume=$folder/origin"
must_fail 'set it to "auto"' import "$deck" --from "$folder/w.npy" --set "run.output=$folder/x" --set checkpoint.resume=never
# An import that fails leaves a run that it was to replace.
must_succeed '"steps"' train "$deck" --json --set "run.output=$folder/kept" --set checkpoint.keep_best=true --set evaluate.every_steps=4
[ -e "$folder/kept/checkpoints/best.json" ] || complain "no best checkpoint"
there=$(cd "$folder/kept" && find . -type f ! -name lock | sort)
RANKS=1 run bash -c 'ulimit -f 8 && exec "$0" "$@"' "$TESSEREC" import "$deck" --from "$folder/w.npy" --set "run.output=$folder/kept" \
  --set run.overwrite=true
[ "$code" = 2 ] && grep -q 'cannot write it: File too large' "$folder/err" || complain "no failed import"
[ "$there" = "$(cd "$folder/kept" && find . -type f ! -name lock | sort)" ] || complain "a failed import removed files of the run"
must_succeed '"tensors"' import "$deck" --from "$folder/w.npy" --json --set "run.output=$folder/kept" --set run.overwrite=true
[ "$(cd "$folder/kept" && find . -name 'step_*' -o -name '*.json*' | grep -v manifest)" = ./checkpoints/step_000000000 ] ||
  complain "an import left: $(cd "$folder/kept" && find . -name 'step_*' -o -name '*.json*')"
mkdir "$folder/twice"
cp "$folder/w.npy/tables.C1.weight.npy" "$folder/twice/sparse_arch.embedding_bag_collection.embedding_bags.t_cat_0.weight.npy"
must_fail 't_cat_0.weight is taken by another tensor of the model, too' import "$deck" --from "$folder/twice" --map torchrec \
  --set "run.output=$folder/x" --set 'table=[{name="C1"}, {name="cat_0", features=["C2"]}, {name="C3"}]'
# Growing tables: the digest comes back from rows in any order, and on other ranks and plans. Training goes on as by
# checkpoint.start_from.
must_succeed weights_digest train "$deck" --json "${growing[@]}" --set "run.output=$folder/grown"
digest=$(grep -o '"weights_digest": "[0-9a-f]*"' "$folder/out")
for form in safetensors npy; do
  RANKS=1 must_succeed "$digest" export "$folder/grown" --to "$folder/grown.$form" --format $form --json
  must_succeed "$digest" import "$deck" --from "$folder/grown.$form" "${growing[@]}" --json --set "run.output=$folder/grown_$form" \
    --set "plan.default=${plans[$form]}" --set plan.min_rows=1 --set plan.tables.C1.min_partition=4
done
grep -q '"name": "tables.C1.ids", "from": "tables.C1.ids"' "$folder/out" || complain "the result lacks the ids"
must_succeed '"steps"' train "$deck" --json "${growing[@]}" --set "run.output=$folder/grown_npy"
on=$(grep -oE '"(weights|state)_digest": "[0-9a-f]*"' "$folder/out")
must_succeed '"steps"' train "$deck" --json "${growing[@]}" --set "run.output=$folder/grown_on" --set "checkpoint.start_from=$folder/grown"
[ "$(grep -oE '"(weights|state)_digest": "[0-9a-f]*"' "$folder/out")" = "$on" ] || complain "another training after the import of growing tables"
mkdir "$folder/turned"
cp "$folder"/grown.npy/*.npy "$folder/turned"
shape=$(head -c 120 "$folder/grown.npy/tables.C1.weight.npy" | grep -aoE '\([0-9]+, [0-9]+' | tr -d '(,')
rows=${shape% *} columns=${shape#* }
numbers "$folder/grown.npy/tables.C1.ids.npy" 8 | tac | put_npy "$folder/turned/tables.C1.ids.npy" "$rows," '<i8'
numbers "$folder/grown.npy/tables.C1.weight.npy" $((4 * columns)) | tac | put_npy "$folder/turned/tables.C1.weight.npy" "$rows, $columns"
must_succeed "$digest" import "$deck" --from "$folder/turned" "${growing[@]}" --json --set "run.output=$folder/turned_run"
numbers "$folder/grown.npy/tables.C1.ids.npy" 8 | awk 'NR == 1 { first = $0 } NR == 4 { print first; next } { print }' |
  put_npy "$folder/turned/tables.C1.ids.npy" "$rows," '<i8'
must_fail ' twice, in rows 0 and 3; give each id one row' import "$deck" --from "$folder/turned" "${growing[@]}" --set "run.output=$folder/x"
numbers "$folder/grown.npy/tables.C1.ids.npy" 8 | head -n 5 | put_npy "$folder/turned/tables.C1.ids.npy" '5,' '<i8'
must_fail "is [$rows, $columns], but the file has 5 ids of the table" import "$deck" --from "$folder/turned" --fewer-rows "${growing[@]}" --set "run.output=$folder/x"
cp "$folder/grown.npy/tables.C1.ids.npy" "$folder/turned"
numbers "$folder/grown.npy/tables.C1.weight.npy" $((4 * columns)) | head -n 5 | put_npy "$folder/turned/tables.C1.weight.npy" "5, $columns"
must_fail "is [5, $columns], but the file has $rows ids of the table" import "$deck" --from "$folder/turned" --fewer-rows "${growing[@]}" --set "run.output=$folder/x"
cp "$folder/turned/dense.top.0.bias.npy" "$folder/turned/tables.C1.ids.npy"
must_fail 'tables.C1.ids is <f4 [' import "$deck" --from "$folder/turned" "${growing[@]}" --set "run.output=$folder/x"
few=("${growing[@]}")
few[1]=${few[1]/rows=2048/rows=1024}
awk 'BEGIN { for (i = 1; i <= 2000; ++i) printf "%02x %02x 00 00 00 00 00 00\n", i % 256, i / 256 }' |
  put_npy "$folder/turned/tables.C1.ids.npy" '2000,' '<i8'
put_npy "$folder/turned/tables.C1.weight.npy" "2000, $columns" </dev/null
head -c $((2000 * 4 * columns)) /dev/zero >>"$folder/turned/tables.C1.weight.npy"
must_fail 'table C1: a block has more ids than the 1 rows' import "$deck" --from "$folder/turned" "${few[@]}" --set "run.output=$folder/x"
[ ! -e "$folder/x/checkpoints/step_000000000" ] || complain "a refused import has written"
# Another rank's older copy under the same path.
if [ "$RANKS" -gt 1 ]; then
  mkdir "$folder/new" "$folder/old"
  cp "$folder/w.safetensors" "$folder/new"
  { head -c -8 "$folder/w.safetensors"; printf 'older...'; } >"$folder/old/w.safetensors"
  one=("$TESSEREC" import "$deck" --from /proc/self/fd/9/w.safetensors --set "run.output=$folder/copies")
  in_folder=(bash -c 'exec 9<"$0"; exec "$@"')
  $LAUNCH 1 "${in_folder[@]}" "$folder/new" "${one[@]}" : -n 1 "${in_folder[@]}" "$folder/old" "${one[@]}" >"$folder/out" 2>"$folder/err"
  code=$?
  [ "$code" = 2 ] && grep -q 'look for an older copy on another node' "$folder/err" || complain 'an older copy is not found'
fi
head -c 1000 "$folder/w.safetensors" >"$folder/cut.safetensors"
must_fail 'cut.safetensors: ' import "$deck" --from "$folder/cut.safetensors" --set "run.output=$folder/x"
[ ! -e "$folder/x/checkpoints/step_000000000" ] || complain "a checkpoint after an error"
finish
