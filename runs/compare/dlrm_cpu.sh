#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Whole runs, start and making of the samples included, of a published CPU table of the reference DLRM: inputs/dlrm_cpu_*.toml.
# A Markdown table of seconds and memory, and what ten times the samples cost.
#   runs/compare/dlrm_cpu.sh [DECK...]
# DECKs are 1 2 3 4 if not given. From the environment: REPEATS (3), of which the median counts; RANKS ("1 2"), and THREADS (1) of a
# rank where Kokkos has OpenMP; TESSEREC.
set -euo pipefail
cd "$(dirname "$0")/../.."
source runs/compare/common.sh
decks=("$@")
(($# > 0)) || decks=(1 2 3 4)
read -ra ranks_list <<< "${RANKS:-1 2}"

for ((round = 1; round <= repeats; ++round)); do
  for ranks in "${ranks_list[@]}"; do
    for deck in "${decks[@]}"; do
      begin=$(date +%s.%N)
      launch "$ranks" "$program" train "inputs/dlrm_cpu_$deck.toml" --json \
        --set run.output="$folder/run" > "$folder/out" 2> "$folder/log" || { cat "$folder/log" >&2; exit 1; }
      awk -v b="$begin" -v e="$(date +%s.%N)" 'BEGIN { print e - b }' >> "$folder/seconds.$deck.$ranks"
      field samples < "$folder/out" > "$folder/samples.$deck"
      field peak_memory_bytes < "$folder/out" >> "$folder/memory.$deck.$ranks"
      echo "round $round of $repeats, $ranks ranks, deck $deck: $(tail -n 1 "$folder/seconds.$deck.$ranks") s" >&2
    done
  done
done

echo "| deck | ranks | seconds, median | fastest run | slowest run | samples/s | memory of a rank, MB |"
echo "|---|---|---|---|---|---|---|"
for deck in "${decks[@]}"; do
  for ranks in "${ranks_list[@]}"; do
    sort -g "$folder/seconds.$deck.$ranks" |
      awk -v d="$deck" -v r="$ranks" -v m="$(median < "$folder/seconds.$deck.$ranks")" -v n="$(cat "$folder/samples.$deck")" \
        -v bytes="$(median < "$folder/memory.$deck.$ranks")" 'NR == 1 { least = $1 } { most = $1 } END {
          printf "| `dlrm_cpu_%s` | %s | %.2f | %.2f | %.2f | %.0f | %.1f |\n", d, r, m, least, most, n / m, bytes / 1e6 }'
  done
done
if [[ " ${decks[*]} " == *" 1 "* && " ${decks[*]} " == *" 4 "* ]]; then
  echo
  for ranks in "${ranks_list[@]}"; do
    awk -v r="$ranks" -v one="$(median < "$folder/seconds.1.$ranks")" -v ten="$(median < "$folder/seconds.4.$ranks")" \
      'BEGIN { printf "Ten times the samples, %s ranks: %.2f times the seconds.\n", r, ten / one }'
  done
fi
