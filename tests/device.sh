#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# device.sh [BUILD...]: what ctest leaves out of the tests over the emulated device (src/emulated/README.md): 20 seeds in
# random order, all cases in eager and lazy order, 1 to 4 ranks; then AddressSanitizer and ThreadSanitizer. Each build has a
# folder below build/: emulated, emulated_addresses, emulated_threads; name some to have those alone. SEEDS=N: so many seeds.
# FOLDERS: suites (core comm embedding tiers sharding products layers losses optim network train golden, and cublaslt where its header is). Some
# hours on two processors.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folders=${FOLDERS:-core comm embedding tiers sharding products layers losses optim network train golden}
seeds=${SEEDS:-20}
builds=("$@")
((${#builds[@]})) || builds=(emulated emulated_addresses emulated_threads)
failed=0
# ThreadSanitizer of g++ 12 does not know the random addresses of newer kernels; some containers do not let them be fixed.
fixed=()
! setarch -R true 2>/dev/null || fixed=(setarch -R)

build() { # build FOLDER FLAGS
  # shellcheck disable=SC2086
  cmake -S . -B "build/$1" -G Ninja -DCMAKE_BUILD_TYPE=Release -DTESSEREC_DEVICE=emulated -DCMAKE_UNITY_BUILD=ON \
    -DCMAKE_CXX_FLAGS="$2" >/dev/null
  # shellcheck disable=SC2046,SC2086
  ninja -C "build/$1" $(printf 'test_%s ' $folders)
}
# check FOLDER RANKS SETTINGS [all]: the suites; what a report says is printed.
check() {
  local folder launch=()
  (($2 == 1)) || launch=(mpirun --allow-run-as-root --oversubscribe -n "$2")
  for folder in $folders; do
    (($2 == 1)) || [[ $folder =~ ^(comm|sharding|network|train)$ ]] || continue
    echo "== $1 $folder, $2 ranks, $3${4:+, all cases}"
    env TESSEREC_EMULATED="$3" ${4:+TESSEREC_DEVICE_ALL=1} OMPI_MCA_mpi_yield_when_idle=1 "${fixed[@]}" "${launch[@]}" \
      "build/$1/tests/test_$folder" >build/device.log 2>&1 && continue
    tail -n 40 build/device.log
    echo "FAILED: $1 $folder, $2 ranks, $3"
    failed=$((failed + 1))
  done
}

# Open MPI and its libraries are not built for sanitizers.
export ASAN_OPTIONS=detect_leaks=0 TSAN_OPTIONS="ignore_noninstrumented_modules=1 exitcode=66 report_signal_unsafe=0"
for name in "${builds[@]}"; do
  case $name in
    emulated)
      build emulated ""
      for ((seed = 0; seed < seeds; ++seed)); do check emulated 1 "order=random,seed=$seed"; done
      for ranks in 1 2 3 4; do
        check emulated $ranks order=eager,copies=staged all
        check emulated $ranks order=lazy all
        check emulated $ranks order=random,seed=$ranks
      done
      ;;
    emulated_addresses)
      build emulated_addresses -fsanitize=address
      check emulated_addresses 1 order=lazy
      check emulated_addresses 2 order=random,seed=1
      ;;
    emulated_threads)
      build emulated_threads -fsanitize=thread
      check emulated_threads 1 order=lazy
      check emulated_threads 2 order=random,seed=1
      ;;
    *) echo "device.sh: no build is named $name" >&2; exit 2 ;;
  esac
done
echo "$failed failed"
((failed == 0))
