#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# recipe.sh ROOT: Spack's recipe beside what it speaks of: runs/README.md has each variant, CMake each option that it is given,
# Debian's part each library that it needs. Whether Spack takes it, runs/spack_check.sh shows.
set -euo pipefail
cd "$1"
recipe=runs/spack_repo/tesserec/packages/tesserec/package.py
failures=0
same() { # WHAT LIST LIST
  [[ -n $2 ]] && diff <(sort -u <<<"$2") <(sort -u <<<"$3") || { echo "FAILED: $1"; failures=$((failures + 1)); }
}
same "variants in runs/README.md" "$(grep -oE '^    variant\("[a-z]+' "$recipe" | cut -d'"' -f2)
cuda" "$(sed -n '/^| variant /,/^$/p' runs/README.md | grep -oE '^\| `[a-z]+' | tr -d '|` ')"
options=$(grep -oE 'define_from_variant\("[A-Z_]+' "$recipe" | cut -d'"' -f2)
same "options of CMake" "$options" "$(grep -rhoE '^ *option\([A-Z_]+' CMakeLists.txt cmake | cut -d'(' -f2)"
needed=$(grep -oE '^    depends_on\("[a-z0-9-]+' "$recipe" | cut -d'"' -f2 | grep -vxE 'c|cxx' && printf '%s\n' gmake ninja openmpi zlib)
same "libraries of Debian" "$needed" "$(grep -oE '^  [a-z0-9-]+:' runs/spack_repo/debian12/packages.yaml | tr -d ' :')"
((failures == 0)) && echo "all as expected"
exit $((failures > 0))
