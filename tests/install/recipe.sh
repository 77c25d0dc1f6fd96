#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# recipe.sh ROOT: compares Spack's recipe with its sources: docs/installing.md has each variant, CMake each option, the list
# of Debian's packages each library but Arrow, which Debian lacks; the release is CMake's. Only runs/spack_check.sh
# shows that Spack accepts it.
# Container recipes copy existing files, and all that CMake installs.
set -euo pipefail
cd "$1"
recipe=runs/spack_repo/tesserec/packages/tesserec/package.py
failures=0
same() { # WHAT LIST LIST
  [[ -n $2 ]] && diff <(sort -u <<<"$2") <(sort -u <<<"$3") || { echo "FAILED: $1"; failures=$((failures + 1)); }
}
same "variants in docs/installing.md" "$(grep -oE '^    variant\("[a-z]+' "$recipe" | cut -d'"' -f2)
cuda" "$(sed -n '/^| variant /,/^$/p' docs/installing.md | grep -oE '^\| `[a-z]+' | tr -d '|` ')"
options=$(grep -oE 'define(_from_variant)?\("(BUILD|TESSEREC)_[A-Z_]+' "$recipe" | cut -d'"' -f2)
same "options of CMake" "$options" "$(grep -rhoE '^ *option\([A-Z_]+' CMakeLists.txt cmake | cut -d'(' -f2)"
needed=$(grep -oE '^    depends_on\("[a-z0-9-]+' "$recipe" | cut -d'"' -f2 | grep -vxE 'c|cxx|arrow' && printf '%s\n' gmake ninja openmpi zlib)
same "libraries of Debian" "$needed" "$(grep -oE '^  [a-z0-9-]+:' runs/spack_repo/debian12/packages.yaml | tr -d ' :')"
version=$(sed -nE 's/^project\(Tesserec VERSION ([0-9.]+) .*/\1/p' CMakeLists.txt)
grep -qF "version(\"$version\", tag=\"v$version\")" "$recipe" || { echo "FAILED: the recipe lacks release $version"; failures=$((failures + 1)); }
copied=$(sed -nE '/^COPY --from/d; s/^COPY (.*) [^ ]+$/\1/p' runs/container/Containerfile | tr ' ' '\n')
for path in $copied; do [[ -e $path ]] || { echo "FAILED: Containerfile copies $path"; failures=$((failures + 1)); }; done
same "what containers copy" "$copied" "$(sed -nE '/^%files$/,/^$/s,^    ([a-zA-Z][^ ]*) /.*,\1,p' runs/container/tesserec.def)"
installed=$(sed -nE 's/.*\$\{PROJECT_SOURCE_DIR\}\/([a-z][a-z.\/]*).*/\1/p; s/^foreach\(file (.*)\)/\1/p' cmake/TesserecInstall.cmake | tr ' ' '\n')
for path in $installed; do
  grep -qE "^(${path%%/*}|$path)(/|$)" <<<"$copied" || { echo "FAILED: containers lack $path, which is installed"; failures=$((failures + 1)); }
done
((failures == 0)) && echo "all as expected"
exit $((failures > 0))
