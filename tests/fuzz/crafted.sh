#!/bin/bash
# tests/fuzz/crafted.sh BUILD: writes the crafted datasets of tests/fuzz/crafted.hpp and trains on each with the
# program, on 1 and 2 ranks. Expected: exit code 2, after half a minute if HDF5 does not end. Files *_luck.h5 have
# damaged bytes and may be read. Takes about half an hour.
set -u
build=$(realpath "$1") folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" && mkdir files && TESSEREC_CRAFTED=$folder/files "$build/tests/test_fuzz" "make_source: refuses crafted*" >/dev/null
cat >d.toml <<'DECK'
[run]
output = "out"
[data]
train = ["x.h5"]
[model]
embedding_dim = 4
bottom = [4]
top = [1]
[train]
batch_size = 4
DECK
silent=0 crashed=0 hung=0 runs=0
for file in files/*.h5; do
  for ranks in 1 2; do
    rm -rf out && ln -sf "$file" x.h5
    launch=(mpirun --allow-run-as-root --oversubscribe --bind-to none -n "$ranks")
    [ $ranks -gt 1 ] || launch=()
    timeout -s KILL 180 "${launch[@]}" "$build/tesserec" train d.toml >log 2>&1
    code=$? runs=$((runs + 1))
    case $code in
      2) ;;
      0) [[ $file == *_luck.h5 ]] || { silent=$((silent + 1)); echo "$file on $ranks: silent"; } ;;
      137) hung=$((hung + 1)) && echo "$file on $ranks: no end" ;;
      *) crashed=$((crashed + 1)) && echo "$file on $ranks: exit code $code: $(tail -n 1 log)" ;;
    esac
    grep -aq 'internal error' log && echo "$file on $ranks: $(grep -a 'internal error' log | head -n 1)"
  done
done
echo "$runs runs: $silent silent, $crashed crashed, $hung without end"
[ $((silent + crashed + hung)) = 0 ]
