#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# threads.sh PREFIX [BUILD]: what several threads of a rank compute. Builds against the OpenMP Kokkos below PREFIX in
# BUILD (without it build/threads), runs the tests that launch on 1, 2 and 3 threads, and asks for one digest of a
# training in each precision on 1 and 2 ranks of 1, 2 and 3 threads each. Debian's Kokkos is Serial, so ctest cannot.
set -euo pipefail
[ $# -ge 1 ] || { echo "usage: threads.sh PREFIX_OF_AN_OPENMP_KOKKOS [BUILD]" >&2; exit 2; }
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
prefix=$(cd "$1" && pwd)
build=${2:-$root/build/threads}
folders=${FOLDERS:-core comm jagged optim embedding products layers losses network model sharding tiers train}
cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$prefix"
# shellcheck disable=SC2086
ninja -C "$build" tesserec $(printf 'test_%s ' $folders)

# Threads that wait let the others run: there are more of them than cores.
export OMP_PROC_BIND=false OMP_WAIT_POLICY=passive OMPI_MCA_rmaps_base_oversubscribe=1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# The sizes of the model and batch leave every thread work: two lanes and more, several tasks of rows.
cat >"$folder/deck.toml" <<END
[data.synthetic]
kind = "planted"
samples = 4096
evaluate_samples = 512
rows = [20000, 7, 500]
ids_per_bag = 5
dense_features = 5
[model]
embedding_dim = 12
bottom = [32, 12]
top = [64, 1]
[train]
batch_size = 1024
[run]
overwrite = true
[checkpoint]
resume = "never"
END
for threads in 1 2 3; do
  export OMP_NUM_THREADS=$threads
  echo "-- $threads threads"
  ctest --test-dir "$build" --output-on-failure -R "^($(tr ' ' '|' <<<"$folders"))\\.ranks[12]\$"
  for precision in fp32 bf16; do
    for ranks in 1 2; do
      mpirun --allow-run-as-root --oversubscribe --bind-to none -n $ranks "$build/tesserec" train "$folder/deck.toml" --json \
        --set run.output="$folder/run" --set model.precision=$precision </dev/null >"$folder/out" 2>"$folder/err" ||
        { cat "$folder/err"; exit 1; }
      grep -qE "\"backend\": *\"OpenMP, $threads thread" "$folder/out" || { echo "FAILED: not on $threads threads:"; cat "$folder/out"; exit 1; }
      grep -oE '"(weights|state)_digest": *"[0-9a-f]+"' "$folder/out" | tr '\n' ' ' >>"$folder/$precision"
      echo >>"$folder/$precision"
    done
  done
done
for precision in fp32 bf16; do
  echo "$precision: $(sort -u "$folder/$precision")"
  [ "$(wc -l <"$folder/$precision")" = 6 ] && [ "$(sort -u "$folder/$precision" | wc -l)" = 1 ] || { echo "FAILED: not one digest"; exit 1; }
done
[ "$(sort -u "$folder/fp32")" != "$(sort -u "$folder/bf16")" ] || { echo "FAILED: both precisions have one digest"; exit 1; }
echo "one digest of each precision on 1 and 2 ranks of 1, 2 and 3 threads"
