#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# matrix.sh [BUILD]: every model by every optimizer of tables, those of the dense half in turn, on 2, 3 and 4 ranks (or
# $RANKS), under two plans and layer by layer: one weights_digest and one state_digest each. Where the program is built
# over Kokkos' OpenMP (threads.sh does), THREADS="2 3" adds so many threads a rank. Too long for ctest.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export TESSEREC=${1:-$root/build}/tesserec OPTIMIZERS=all JSON_CHECK=true
export LAUNCH="mpirun --allow-run-as-root --oversubscribe${THREADS:+ --bind-to none} -n"
export OMP_PROC_BIND=false OMP_NUM_THREADS=1
for ranks in ${RANKS:-2 3 4}; do
  RANKS=$ranks bash "$root/tests/app/models.sh"
done
