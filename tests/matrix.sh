#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# matrix.sh [BUILD]: every model by every optimizer of tables, those of the dense half in turn, on 2, 3 and 4 ranks (or
# $RANKS), under two plans and layer by layer: one weights_digest and one state_digest each. Too long for ctest.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export TESSEREC=${1:-$root/build}/tesserec OPTIMIZERS=all JSON_CHECK=true
export LAUNCH="mpirun --allow-run-as-root --oversubscribe -n"
for ranks in ${RANKS:-2 3 4}; do
  RANKS=$ranks bash "$root/tests/app/models.sh"
done
