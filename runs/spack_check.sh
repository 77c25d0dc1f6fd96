#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# spack_check.sh [SPACK]: does the recipe of runs/spack_repo do what it says? Its audit, what Spack chooses for each variant
# and what it must refuse; then, on Debian 12 and over its libraries, an installation in $WORK (build/spack) with the
# smoke test. SPACK is a Spack 1, its folder or its program. $VARIANT, as +shared, is what is installed. 20 minutes on
# two cores; without a network where Spack has its packages and its concretizer.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source runs/packages.sh

spack=${1:-spack}
[[ -d $spack ]] && spack=$spack/bin/spack
variant=${VARIANT:-}
work=${WORK:-build/spack}
mkdir -p "$work/recipe" "$work/env"
work=$(realpath "$work")
echo "repos: {tesserec: '$PWD/runs/spack_repo/tesserec'}" >"$work/recipe/repos.yaml"
"$spack" --version

echo "== audit"
"$spack" -C "$work/recipe" audit packages tesserec

echo "== variants"
specs=(tesserec tesserec@main tesserec+openmp tesserec+shared "tesserec+cuda cuda_arch=90"
       "tesserec+cuda+openmp~nccl cuda_arch=80")
for spec in "${specs[@]}"; do
  # shellcheck disable=SC2086
  "$spack" -C "$work/recipe" spec $spec >"$work/spec"
  printf '%-42s' "$spec"
  grep -oE '\^(kokkos|cuda|nccl|openmpi|mpich|hdf5|catch2)@[0-9.-]+' "$work/spec" | sort -u | tr '\n' ' '
  echo
done
refused() { # SPEC REASON
  # shellcheck disable=SC2086
  if "$spack" -C "$work/recipe" spec $1 >"$work/spec" 2>&1 || ! grep -qF "$2" "$work/spec"; then
    echo "FAILED: $1 is not refused because $2"
    exit 1
  fi
  printf '%-42srefused: %s\n' "$1" "$2"
}
refused tesserec+cuda "name the GPU"
refused "tesserec+cuda+shared cuda_arch=90" "shared libraries have not been tried with CUDA"
refused "tesserec %llvm" "g++ alone"
refused tesserec+ipo "link-time optimisation has not been tried"

echo "== installation of tesserec$variant"
need_packages "${program_packages[@]}" "${test_packages[@]}"
mkdir -p "$work/here"
cat >"$work/here/config.yaml" <<END
config:
  install_tree: {root: $work/opt}
  build_stage: $work/stage
  test_stage: $work/tests
  build_jobs: ${JOBS:-2}
END
sed -E "s#- tesserec@main .*#- tesserec@main$variant#; s#path: \.#path: $PWD#; s#\./runs#$PWD/runs#; s#view: true#view: $work/view#" \
  spack.yaml >"$work/env/spack.yaml"
here=("$spack" -C runs/spack_repo/debian12 -C "$work/here" -e "$work/env")
"${here[@]}" concretize --force >"$work/concretize"
"${here[@]}" install --fail-fast

echo "== smoke test"
"${here[@]}" test run tesserec
"$work/view/bin/tesserec" --version
test -s "$work/view/share/man/man1/tesserec-train.1"
echo "all as expected"
