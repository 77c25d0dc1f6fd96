#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# preprocess_killed.sh [long]: kills preprocess (SIGKILL) again and again, at other moments and on other numbers of ranks,
# until so many were killed before their end; then one gets to its end. The data sets must be those of an undisturbed run,
# and nothing else may be left. `long`: more rows, 20 kills; about 10 minutes. At the end: a file system without room for
# the rows that are kept.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
rows=60000 kills=5 delays="0.6 1.2 0.9 1.6 2.2 1.9"
if [ "${1:-}" = long ]; then
  rows=600000 kills=20 delays="1 3 5 8 12 2 4"
fi

awk -v rows=$rows 'BEGIN { srand(7); for (i = 0; i < rows; ++i) printf "%d,%d,a_long_value_%d,%d|%d,%.6f\n", rand() < 0.3,
  rand() * 1000, rand() * rows, rand() * 50, rand() * 500, rand() }' >"$folder/train.csv"
awk -v rows=2000 'BEGIN { srand(8); for (i = 0; i < rows; ++i) printf "%d,%d,a_long_value_%d,%d,%.6f\n", rand() < 0.3,
  rand() * 1000, rand() * 30000, rand() * 50, rand() }' >"$folder/test.csv"
cat >"$folder/deck.toml" <<EOF
[run]
part_bytes = 100_000
[preprocess]
format = "table"
train = ["$folder/train.csv"]
evaluate = ["$folder/test.csv"]
output = "$folder/whole"
memory = 3_000_000
column = [
  {name = "y", kind = "label", positive = ["1"], negative = ["0"]},
  {name = "n", kind = "number", transform = "standardise"},
  {name = "many", kind = "category"},
  {name = "bag", kind = "category", separator = "|"},
  {name = "tenth", kind = "category", quantiles = 10},
]
EOF
digest() { (cd "$1" && find . -type f ! -name '*.lock' | sort | xargs sha256sum); }

run "$TESSEREC" preprocess "$folder/deck.toml"
[ "$code" = 0 ] || complain "exit code $code of the undisturbed run"

# killed_after SECONDS RANKS: starts the job and kills all of its ranks. Returns whether it was still running.
killed_after() {
  local launch="$LAUNCH $2" started
  [ "$2" -gt 1 ] || launch=
  # shellcheck disable=SC2086
  $launch "$TESSEREC" preprocess "$folder/deck.toml" --set preprocess.output="$folder/killed" >/dev/null 2>&1 </dev/null &
  started=$!
  sleep "$1"
  if [ "$2" -gt 1 ]; then
    pkill -KILL -P "$started"
  else
    kill -KILL "$started" 2>/dev/null
  fi
  ! wait "$started" 2>/dev/null
}

hits=0 kept=0 number=0 shorter=1 # Delays are divided by the last, which grows with each start that ended too early.
while [ $hits -lt $kills ]; do
  for delay in $delays; do
    [ $hits -lt $kills ] || break
    number=$((number + 1))
    if killed_after "$(awk "BEGIN { print $delay / $shorter }")" $((number % 3 + 1)); then
      hits=$((hits + 1))
    else
      shorter=$(awk "BEGIN { print 1.2 * $shorter }")
    fi
    for file in "$folder"/killed/.scratch-*/*; do
      case $file in *.tmp | *'*'*) ;; *) kept=$((kept + 1)) && break ;; esac
    done
    [ ! -e "$folder/killed/train.h5" ] || rm -rf "$folder/killed" # It ended before it was killed.
  done
done
RANKS=2
run "$TESSEREC" preprocess "$folder/deck.toml" --set preprocess.output="$folder/killed"
[ "$code" = 0 ] || complain "exit code $code of the last start"
[ "$(digest "$folder/whole")" = "$(digest "$folder/killed")" ] || complain "other data sets after $hits kills"
[ -z "$(find "$folder/killed" -name '.scratch*' -o -name '*.tmp')" ] || complain "$(ls -A "$folder/killed") is left"

# A file system with less than twice the bytes of the text free: rows are not kept, and the data set is the same.
awk 'BEGIN { srand(9); for (i = 0; i < 20000; ++i) printf "%d,%d,%0400d,%d\n", rand() < 0.3, rand() * 1000, i, rand() * 50 }' \
  >"$folder/long.csv"
cat >"$folder/long.toml" <<EOF
[preprocess]
format = "table"
train = ["$folder/long.csv"]
output = "$folder/full"
column = [
  {name = "y", kind = "label", positive = ["1"], negative = ["0"]},
  {name = "n", kind = "number", transform = "log1p"},
  {name = "text", kind = "skip"},
  {name = "c", kind = "category"},
]
EOF
said='so no rows are kept there and the text is read twice'
run "$TESSEREC" preprocess "$folder/long.toml"
[ "$code" = 0 ] || complain "exit code $code with room for rows"
! grep -q "$said" "$folder/err" || complain "rows are not kept though there is room"
once=$(digest "$folder/full")
if unshare -m true 2>/dev/null; then
  rm -rf "$folder/full" && mkdir "$folder/full"
  mounted='mount -t tmpfs -o size=$SIZE none "$0" && "$@" >&2 && cd "$0" && find . -type f | sort | xargs sha256sum'
  SIZE=10m RANKS=1 run unshare -m bash -c "$mounted" \
    "$folder/full" "$TESSEREC" preprocess "$folder/long.toml"
  grep -q "$said" "$folder/err" || complain "nothing says that rows are not kept: $(cat "$folder/err")"
  [ "$(cat "$folder/out")" = "$once" ] || complain "another data set without room for rows: $(cat "$folder/out")"
  # Packed text of random digits unpacks to about twice its size; 26 MB are four times the text.
  awk 'BEGIN { srand(10); for (i = 0; i < 100000; ++i) { text = ""; for (k = 0; k < 6; ++k) text = text int(rand() * 1e9);
    printf "%d,%d,%s,%d\n", rand() < 0.3, rand() * 1000, text, rand() * 50 } }' | gzip >"$folder/long.gz"
  for size in 50m 20m; do
    SIZE=$size RANKS=1 run unshare -m bash -c "$mounted" "$folder/full" \
      "$TESSEREC" preprocess "$folder/long.toml" --set preprocess.train="$folder/long.gz"
    [ "$code" = 0 ] || complain "a packed file and $size free: exit code $code"
    kept=yes
    ! grep -q "$said" "$folder/err" || kept=no
    [ "$size $kept" = "50m yes" ] || [ "$size $kept" = "20m no" ] || complain "a packed file, $size free: kept: $kept"
  done
fi
echo "$hits of $number starts were killed before their end; finished work was left $kept times"
finish
