#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what the tests need, builds and runs them all. The last line is "N passed, N failed".
# Arguments go to ctest: tests/run.sh -R comm
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source runs/packages.sh

need_packages "${program_packages[@]}" "${test_packages[@]}"
# Many sources a compilation take a third of the time.
unity=(-DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=24)
cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DTESSEREC_TESTS=ON "${unity[@]}"
ninja -C build -j "${JOBS:-2}"
# The tests over the emulated device (src/emulated/README.md), which the ctest of build/ runs too.
cmake -S . -B build/emulated -G Ninja -DCMAKE_BUILD_TYPE=Release -DTESSEREC_DEVICE=emulated "${unity[@]}"
ninja -C build/emulated -j "${JOBS:-2}"

# Tests wait half of their time, for a job to start or to end, so twice as many ranks run as there are processors. The
# longest tests are left to tests/long.sh, unless arguments choose.
(($#)) || set -- -LE long
report=build/test_report.xml
rm -rf "$report" build/Testing/mpi/*/* # what killed jobs left
status=0
ctest --test-dir build -j $((2 * ${JOBS:-2})) --output-on-failure --output-junit "$PWD/$report" "$@" || status=$?
if [[ ! -f $report ]]; then
  echo "ctest wrote no report" >&2
  exit 1
fi

# What Catch2 counted: in a test with several ranks each rank counts its own.
log=build/Testing/Temporary/LastTest.log
assertions=$({ grep -oE '\([0-9]+ assertions? in|assertions: +[0-9]+' "$log" || true; } |
             awk '{gsub(/[^0-9]/, ""); n += $0} END {print n + 0}')
total=$(sed -nE 's/.*<testsuite .*[[:space:]]tests="([0-9]+)".*/\1/p; s/^[[:space:]]*tests="([0-9]+)".*/\1/p' "$report" | head -n 1)
failed=$(sed -nE 's/^[[:space:]]*failures="([0-9]+)".*/\1/p' "$report" | head -n 1)
skipped=$(sed -nE 's/^[[:space:]]*(disabled|skipped)="([0-9]+)".*/\2/p' "$report" | awk '{n += $1} END {print n + 0}')
echo "$total tests, $assertions assertions"
echo "$((total - failed - skipped)) passed, $failed failed"
exit "$status"
