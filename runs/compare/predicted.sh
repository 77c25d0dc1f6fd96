#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Predicted against measured step time on this machine: `tesserec bench` measures the planner's constants, `tesserec plan` predicts
# with them, `tesserec bench --only step` measures, for eight configurations on each number of ranks. docs/performance.md has
# a table made by it. The constants come from other table sizes, dimensions and ids a bag than those that are predicted.
#   ./runs/compare/predicted.sh [PROGRAM]
# From the environment: REPEATS (5), of which the median counts; RANKS ("1 2"); LAUNCH ("mpirun --bind-to core -n"); CLOCK ("wall", or
# "processor" where others compute on this machine meanwhile); ZIPF (0): exponent of the ids' frequency. Memory: 7 GB.
set -euo pipefail
cd "$(dirname "$0")/../.."
TESSEREC=${1:-${TESSEREC:-build/tesserec}} REPEATS=${REPEATS:-5}
source runs/compare/common.sh
ranks_list=${RANKS:-1 2}
launch=${LAUNCH:-mpirun --bind-to core -n}
clock=${CLOCK:-wall}
zipf=${ZIPF:-0.0}
[ "$(id -u)" != 0 ] || export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# A rank that waits leaves the processor to others; else its waiting would count as work.
[ "$clock" = wall ] || export OMPI_MCA_mpi_yield_when_idle=1
configurations=("1000 16 1" "1000000 16 1" "1000 16 20" "1000000 16 20" "1000 64 1" "1000000 64 1" "1000 64 20" "1000000 64 20")

run() { # ranks, command and arguments; stdout to $folder/out
  local ranks=$1
  shift
  # shellcheck disable=SC2086
  $launch "$ranks" "$program" "$@" >"$folder/out" 2>"$folder/err" || { cat "$folder/err" >&2; exit 1; }
}

deck() { # rows dim ids
  local rows
  rows=$(printf "$1, %.0s" $(seq 26))
  cat <<TOML
[run]
name = "predicted"
output = "$folder/run"
[data.synthetic]
kind = "planted"
samples = 2_000_000
rows = [$rows]
ids_per_bag = $3
zipf = $zipf
[model]
embedding_dim = $2
bottom = [512, 256, 64, $2]
[train]
batch_size = 2048
[optimizer]
dense = {type = "sgd", lr = 0.001}
sparse = {type = "sgd", lr = 0.001}
[bench]
repeats = 3
steps = 3
clock = "$clock"
TOML
}

# Constants and steps alternate, so that a slow hour of the machine meets both.
for round in $(seq "$repeats"); do
  for ranks in $ranks_list; do
    rm -f "$folder"/machine.*.toml
    for configuration in "${configurations[@]}"; do
      # shellcheck disable=SC2086
      deck $configuration >"$folder/deck.toml"
      # Rows out of memory cost more the more memory there is: constants are measured at the bytes that a rank's tables have.
      read -r rows dim _ <<<"$configuration"
      memory=$((26 * rows * dim * 4 / ranks))
      [ "$memory" -ge 1000000000 ] || memory=1000000000
      machine="$folder/machine.$memory.toml"
      [ -f "$machine" ] || run "$ranks" bench --only costs --save "$machine" --set bench.clock="$clock" --set bench.memory=$memory
      name="$folder/$ranks $configuration"
      run "$ranks" plan "$folder/deck.toml" --json --set plan.machine="$machine"
      field predicted_step_seconds <"$folder/out" >>"$name predicted"
      field critical_path_seconds <"$folder/out" >>"$name tables"
      run "$ranks" bench "$folder/deck.toml" --only step --json --set plan.machine="$machine"
      field step_seconds <"$folder/out" >>"$name measured"
      echo "round $round of $repeats, $ranks ranks, $configuration: $(tail -n 1 "$name predicted") $(tail -n 1 "$name measured")" >&2
    done
  done
done
echo "| ranks | rows | dim | ids a bag | predicted ms | of it tables ms | measured ms | difference |"
echo "|---|---|---|---|---|---|---|---|"
for ranks in $ranks_list; do
  for configuration in "${configurations[@]}"; do
    name="$folder/$ranks $configuration"
    # shellcheck disable=SC2086
    printf '| %s | %s | %s | %s |' "$ranks" $configuration
    awk -v p="$(median <"$name predicted")" -v t="$(median <"$name tables")" -v m="$(median <"$name measured")" \
      'BEGIN { printf " %.1f | %.1f | %.1f | %+.0f %% |\n", 1e3 * p, 1e3 * t, 1e3 * m, 100 * (p / m - 1) }'
  done
done
