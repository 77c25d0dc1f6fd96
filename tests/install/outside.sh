#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# outside.sh: runs `cmake --install` to a prefix, then builds projects that only know find_package(Tesserec): examples/
# and the program of docs/own_model.md. Leaves $OUTSIDE/prefix, $OUTSIDE/examples and $OUTSIDE/build to later tests.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$OUTSIDE"
mkdir -p "$OUTSIDE"
fail() { echo "FAILED: $*"; exit 1; }

"$CMAKE" --install "$BUILD" --prefix "$OUTSIDE/installed" >"$OUTSIDE/log"
[ -x "$OUTSIDE/installed/bin/tesserec" ] || fail "no program below the prefix"
"$OUTSIDE/installed/bin/tesserec" --version
for file in man/man1/tesserec.1 man/man1/tesserec-train.1 man/man5/tesserec-deck.5 bash-completion/completions/tesserec \
  zsh/site-functions/_tesserec tesserec/inputs/adult.toml tesserec/inputs/data/adult.data.gz tesserec/runs/train.sbatch \
  tesserec/runs/sites/cpu.env tesserec/examples/mmoe.cpp doc/tesserec/LICENSE doc/tesserec/README.md doc/tesserec/docs/deck.md \
  doc/tesserec/runs/README.md; do
  [ -s "$OUTSIDE/installed/share/$file" ] || fail "no share/$file"
done
# If the program cannot start (a rank whose MPI does not), the rest is still installed.
OMPI_COMM_WORLD_RANK=0 OMPI_MCA_pml=none "$CMAKE" --install "$BUILD" --prefix "$OUTSIDE/mute" >"$OUTSIDE/log" 2>&1
grep -q 'no manual pages and completions' "$OUTSIDE/log" || fail "no warning"
[ -x "$OUTSIDE/mute/bin/tesserec" ] && [ ! -e "$OUTSIDE/mute/share/man/man1" ] || fail "not the rest"
rm -rf "$OUTSIDE/mute"
mv "$OUTSIDE/installed" "$OUTSIDE/prefix" # no file may depend on the old place
if grep -rlF -e "$BUILD" -e "$OUTSIDE" "$OUTSIDE/prefix" --include='*.cmake'; then
  fail "the package names a folder of the build"
fi

# configure SOURCE FOLDER ...: configures a project.
configure() { "$CMAKE" -S "$1" -B "$OUTSIDE/$2" -DCMAKE_PREFIX_PATH="$OUTSIDE/prefix" "${@:3}" 2>&1; }
configure "$OUTSIDE/prefix/share/tesserec/examples" examples | tee "$OUTSIDE/log"
grep -q 'CMAKE_BUILD_TYPE is empty' "$OUTSIDE/log" || fail "nothing is said of a build without a type"
flags=(-DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE=-O1)  # compiles in half the time
configure "$OUTSIDE/prefix/share/tesserec/examples" examples "${flags[@]}" | tee "$OUTSIDE/log"
! grep -q 'CMAKE_BUILD_TYPE' "$OUTSIDE/log" || fail "a word on a build that has its type"
"$CMAKE" --build "$OUTSIDE/examples" -j 2

cp -r "$here/outside" "$OUTSIDE/source"
# block LANGUAGE: prints the one code block of this language in docs/own_model.md.
block() { awk -v fence='```' -v first="$1" '$0 == fence { on = 0 } on { print } $0 == fence first { on = 1 }' "$here/../../docs/own_model.md"; }
block cpp >"$OUTSIDE/source/own_model.cpp"
block toml >"$OUTSIDE/own_model.toml"
{ # every umbrella header, and a symbol of the topmost library
  for header in "$OUTSIDE"/prefix/include/tesserec/*.hpp; do echo "#include <tesserec/$(basename "$header")>"; done
  echo 'int main() { return tesserec::deck::schema().empty() ? 1 : 0; }'
} >"$OUTSIDE/source/all_headers.cpp"
configure "$OUTSIDE/source" build "${flags[@]}"
"$CMAKE" --build "$OUTSIDE/build" -j 2
"$OUTSIDE/build/all_headers"

# The library for C, by pkg-config: it compiles, starts without MPI, and says what is wrong.
if command -v pkg-config >/dev/null; then
  package=$(find "$OUTSIDE/prefix" -name tesserec-predict.pc)
  flags=$(PKG_CONFIG_PATH=$(dirname "$package") pkg-config --cflags --libs tesserec-predict)
  # shellcheck disable=SC2086
  cc "$here/../predict/program/predict.c" $flags -o "$OUTSIDE/predict_c"
  LD_LIBRARY_PATH=$(dirname "$(dirname "$package")") "$OUTSIDE/predict_c" "$OUTSIDE/none" 2>"$OUTSIDE/log" && fail "scores of nothing"
  grep -q 'this is no model folder' "$OUTSIDE/log" || fail "no message of the library for C"
fi
