#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# one_deck.sh [BUILD]: for each key of the deck a job of two ranks, rank 1 of which is given another value. Each must end
# within $SECONDS_EACH (5) with exit code 2 and one message that names rank and key. Too long for ctest.
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$(realpath "${1:-$root/build}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
. "$root/tests/mpi.sh"
OTHER_VALUES=$folder "$build/tests/test_deck" '[.other_values]' >"$folder/log" || { cat "$folder/log"; exit 2; }
cd "$folder" || exit 2
keys=0 wrong=0 slowest=0
while IFS=$'\t' read -r key path deck other common; do
  words=()
  if [ -n "$common" ]; then
    IFS=$'\t' read -ra overrides <<<"$common"
    for one in "${overrides[@]}"; do words+=(--set "$one"); done
  fi
  job=("$build/tesserec" train "$deck.toml" "${words[@]}")
  begin=$(date +%s%N)
  timeout -k 3 60 mpirun --allow-run-as-root --oversubscribe --bind-to none -n 1 "${job[@]}" : \
    -n 1 "${job[@]}" --set "$other" >out 2>err </dev/null
  code=$?
  milliseconds=$((($(date +%s%N) - begin) / 1000000))
  keys=$((keys + 1))
  [ $milliseconds -le $slowest ] || slowest=$milliseconds
  why=
  [ $code = 2 ] || why="exit code $code"
  [ $milliseconds -le $((${SECONDS_EACH:-5} * 1000)) ] || why+=" ${milliseconds} ms"
  [ "$(grep -c '^tesserec: rank 1' err)" = 1 ] || why+=" no message, or several"
  grep '^tesserec: rank 1' err | grep -qF "$path" || why+=" the key is not named"
  if [ -n "$why" ]; then
    wrong=$((wrong + 1))
    echo "WRONG $key ($other):$why: $(grep '^tesserec: ' err | head -c 300)"
  fi
done <list
echo "$keys keys, $wrong wrong, the slowest took $slowest ms"
[ $wrong = 0 ] && [ $keys -gt 100 ]
