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
