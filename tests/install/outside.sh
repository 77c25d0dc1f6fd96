#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# outside.sh: `cmake --install` to a temporary prefix, then a project that knows nothing but find_package(Tesserec).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../mpi.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$CMAKE" --install "$BUILD" --prefix "$scratch/prefix" >"$scratch/log"
[ -x "$scratch/prefix/bin/tesserec" ] || { echo "FAILED: no program below the prefix"; exit 1; }
"$scratch/prefix/bin/tesserec" --version
for file in man/man1/tesserec.1 man/man1/tesserec-train.1 man/man5/tesserec-deck.5 bash-completion/completions/tesserec zsh/site-functions/_tesserec; do
  [ -s "$scratch/prefix/share/$file" ] || { echo "FAILED: no share/$file"; exit 1; }
done
# Where the program cannot start (a rank whose MPI does not), the rest is installed.
OMPI_COMM_WORLD_RANK=0 OMPI_MCA_pml=none "$CMAKE" --install "$BUILD" --prefix "$scratch/mute" >"$scratch/log" 2>&1
grep -q 'no manual pages and completions' "$scratch/log" || { echo "FAILED: no warning"; exit 1; }
[ -x "$scratch/mute/bin/tesserec" ] && [ ! -e "$scratch/mute/share/man/man1" ] || { echo "FAILED: not the rest"; exit 1; }
mv "$scratch/prefix" "$scratch/moved"   # nothing may remember where it was
if grep -rlF -e "$BUILD" -e "$scratch" "$scratch/moved" --include='*.cmake'; then
  echo "FAILED: the package names a folder of the build"
  exit 1
fi
cp -r "$here/outside" "$scratch/source"
# block LANGUAGE: the one code block of this language in docs/own_model.md.
block() { awk -v fence='```' -v first="$1" '$0 == fence { on = 0 } on { print } $0 == fence first { on = 1 }' "$here/../../docs/own_model.md"; }
block cpp >"$scratch/source/own_model.cpp"
block toml >"$scratch/own_model.toml"
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

# A program of one's own with all commands: its layer, loss and model in a deck.
own() { # RANKS ARGS...
  # shellcheck disable=SC2086
  timeout 60 $LAUNCH "$1" "$scratch/build/own_model" "${@:2}" </dev/null 2>"$scratch/err" || { cat "$scratch/err"; return 1; }
}
cd "$scratch"
own 1 check own_model.toml | grep -F 'u            unit_length of query: 8 wide'
own 1 plan own_model.toml --ranks 2 >/dev/null
expected=
for ranks in 1 2 3; do
  digests=$(own $ranks train own_model.toml --json --set run.output=run_$ranks | grep -o '"[a-z]*_digest": "[0-9a-f]*"')
  echo "$ranks ranks: $digests"
  [ "$digests" = "${expected:=$digests}" ] && [ "$(wc -l <<<"$digests")" = 2 ] || { echo "FAILED: other digests"; exit 1; }
done
own 2 train own_model.toml --set run.output=resumed --set train.steps=20 --set checkpoint.every_steps=10 >/dev/null
digests=$(own 3 train own_model.toml --json --set run.output=resumed | grep -o '"[a-z]*_digest": "[0-9a-f]*"')
[ "$digests" = "$expected" ] || { echo "FAILED: begun on 2 ranks, resumed on 3: $digests"; exit 1; }
own 2 evaluate own_model.toml --set run.output=resumed
