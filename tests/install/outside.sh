#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# outside.sh: `cmake --install` to a temporary prefix, then a project that knows nothing but find_package(Tesserec).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$CMAKE" --install "$BUILD" --prefix "$scratch/prefix" >"$scratch/log"
[ -x "$scratch/prefix/bin/tesserec" ] || { echo "FAILED: no program below the prefix"; exit 1; }
"$scratch/prefix/bin/tesserec" --version
mv "$scratch/prefix" "$scratch/moved"   # nothing may remember where it was
if grep -rlF -e "$BUILD" -e "$scratch" "$scratch/moved" --include='*.cmake'; then
  echo "FAILED: the package names a folder of the build"
  exit 1
fi
cp -r "$here/outside" "$scratch/source"
{ # every umbrella header, and a symbol of the topmost library
  for header in "$scratch"/moved/include/tesserec/*.hpp; do echo "#include <tesserec/$(basename "$header")>"; done
  echo 'int main() { return tesserec::deck::schema().empty() ? 1 : 0; }'
} >"$scratch/source/all_headers.cpp"
"$CMAKE" -S "$scratch/source" -B "$scratch/build" -DCMAKE_PREFIX_PATH="$scratch/moved" -DCMAKE_BUILD_TYPE=Release
"$CMAKE" --build "$scratch/build"
"$scratch/build/all_headers"
for ranks in 1 2; do
  # shellcheck disable=SC2086
  $LAUNCH $ranks "$scratch/build/outside" >"$scratch/out" </dev/null
  cat "$scratch/out"
  [ "$(grep -c '^the sharded lookup has the bits of the whole table$' "$scratch/out")" = 1 ] || { echo "FAILED on $ranks ranks"; exit 1; }
done

# A model of one's own: one digest on any number of ranks, a restart on another, an error of one rank is that of all.
towers() { # RANKS FOLDER STEPS...
  # shellcheck disable=SC2086
  timeout 60 $LAUNCH "$1" "$scratch/build/two_towers" "$scratch/$2" "${@:3}" </dev/null
}
expected=$(towers 1 run_1 7)
echo "$expected"
[[ $expected == "step 7, digest "* ]] || { echo "FAILED: no digest"; exit 1; }
for ranks in 2 3; do
  [ "$(towers $ranks run_$ranks 7)" = "$expected" ] || { echo "FAILED: another digest on $ranks ranks"; exit 1; }
done
for ranks in "2 3" "3 1" "1 2"; do
  read -r before after <<<"$ranks"
  towers "$before" "run_$before$after" 4
  [ "$(towers "$after" "run_$before$after" 7)" = "resumed, $expected" ] ||
    { echo "FAILED: begun on $before ranks, resumed on $after"; exit 1; }
done
for ranks in 1 2 3; do
  code=0
  towers $ranks bad_$ranks 7 bad >"$scratch/out" 2>/dev/null || code=$?
  grep '^error: ' "$scratch/out"
  grep -Eqx 'error: feature user, sample (0|48|60) of the batch: id 700 is outside table users of 700 rows' "$scratch/out" &&
    [ "$code" = 2 ] || { echo "FAILED: an id out of range on the last of $ranks ranks, exit code $code"; exit 1; }
done
