#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What run.sh leaves out for its time, some two hours on two processors: tests with the label long, most of them other rank
# counts; faults of every call, fuzzers for minutes each, crafted files, damaged requests, many kills, every model by every optimizer.
#   tests/long.sh [NAME...]     all, or those named; BUILD names the build folder (build)
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
build=$(realpath "${BUILD:-build}")
export TESSEREC=${TESSEREC:-$build/tesserec}
launch="${MPIEXEC:-mpirun} --allow-run-as-root --oversubscribe -n"
failed=0

# check NAME COMMAND...
check() {
  local name=$1
  shift
  [ ${#wanted[@]} = 0 ] || [[ " ${wanted[*]} " = *" $name "* ]] || return 0
  echo "== $name: $*"
  "$@" || { echo "FAILED: $name"; failed=$((failed + 1)); }
}
wanted=("$@")

check ctest ctest --test-dir "$build" --output-on-failure -L long
check fuzz env TESSEREC_FUZZ_SECONDS=285 "$build/tests/test_fuzz"
check crafted tests/fuzz/crafted.sh "$build"
check requests tests/fuzz/requests.sh "$build" 120
check faults env SHIM="$build/tests/faults_shim.so" MUTATE="$build/tests/fault_mutate" LAUNCH="$launch" tests/faults/faults.sh
check rows env SHIM="$build/tests/faults_shim.so" LAUNCH="$launch" tests/faults/rows.sh
for ranks in 1 2 3 4; do check every $launch $ranks "$build/tests/test_train" "[every]"; done
check disk env LAUNCH="$launch" RANKS=1 tests/app/disk.sh long
check kills env LAUNCH="$launch" tests/restart/kill_test.sh 20
check deltas env LAUNCH="$launch" tests/restart/kill_test.sh 20 1 0.02
check tiers env LAUNCH="$launch" tests/restart/kill_test.sh 20 1 0 tiers_deck
check tiers_deltas env LAUNCH="$launch" tests/restart/kill_test.sh 20 1 0.1 tiers_deck
check matrix tests/matrix.sh "$build"
check one_deck tests/one_deck.sh "$build"
# Each source alone, as the README's cmake line compiles: a missing include shows itself.
check plain bash -c 'cmake -S . -B build/plain -G Ninja -DCMAKE_BUILD_TYPE=Release >/dev/null && ninja -C build/plain -j "${JOBS:-2}"'
echo "$failed failed"
[ "$failed" = 0 ]
