#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checkpoints of one table of $GIB GiB (4) on 1, 2 and 4 ranks: GB/s written, proven and renamed, and GB/s compared and
# read, beside dd with fsync and dd from the disk; medians of alternating runs, a Markdown table.
#   [GIB=4] [REPEATS=3] [RANKS="1 2 4"] [FOLDER=/where/it/writes] [BESIDE=/another/tesserec] runs/compare/checkpoint.sh
# BESIDE names another build, whose lines have its path; one that does not print its rates is timed from outside: a run
# with a checkpoint less one without, and no rate of reading.
set -euo pipefail
cd "$(dirname "$0")/../.."
source runs/compare/common.sh
place=$(mktemp -d "${FOLDER:-$folder}/checkpoint.XXXXXX")
trap 'rm -rf "$folder" "$place"' EXIT
gib=${GIB:-4}
read -ra ranks_list <<< "${RANKS:-1 2 4}"
programs=("$program" ${BESIDE:+"$BESIDE"})

cat > "$folder/deck.toml" << DECK
[run]
output = "$place/run"
[data.synthetic]
kind = "reference"
samples = 256
rows = [$((gib * 4194304)), 1000]
dense_features = 4
[model]
embedding_dim = 64
bottom = [64]
top = [8, 1]
[train]
batch_size = 128
lanes = 4
steps = 1
[plan]
default = "row_wise"
DECK

# seconds PROGRAM RANKS OVERRIDE...: of a whole run; what it says is in $folder/log.
seconds() {
  local command=("$1" train "$folder/deck.toml") ranks=$2 begin
  shift 2
  for override in "$@"; do command+=(--set "$override"); done
  begin=$(date +%s.%N)
  launch "$ranks" "${command[@]}" > "$folder/log" 2>&1 || { cat "$folder/log" >&2; exit 1; }
  awk -v a="$begin" -v b="$(date +%s.%N)" 'BEGIN { print b - a }'
}
# GB/s of a line that ends in ", RATE UNIT/s".
rate() {
  sed -nE "s|^$1.*, ([0-9.]+) ([KMGT]?i?B)/s\$|\1 \2|p" "$folder/log" |
    awk '{ f["B"] = 1; f["KiB"] = 2 ^ 10; f["MiB"] = 2 ^ 20; f["GiB"] = 2 ^ 30; f["TiB"] = 2 ^ 40; print $1 * f[$2] / 1e9 }'
}

for ((i = 0; i < repeats; ++i)); do
  sync
  dd if=/dev/zero of="$place/dd" bs=64M count=$((gib * 16)) conv=fsync 2>&1 |
    awk -v bytes="$((gib * 1073741824))" '/copied/ { for (f = 1; f <= NF; ++f) if ($f ~ /^s,$/) print bytes / $(f - 1) / 1e9 }' >> "$folder/dd.write"
  dd of="$place/dd" oflag=nocache conv=notrunc,fdatasync count=0 2> /dev/null
  dd if="$place/dd" of=/dev/null bs=64M 2>&1 |
    awk -v bytes="$((gib * 1073741824))" '/copied/ { for (f = 1; f <= NF; ++f) if ($f ~ /^s,$/) print bytes / $(f - 1) / 1e9 }' >> "$folder/dd.read"
  rm "$place/dd"
  for which in "${!programs[@]}"; do
    for ranks in "${ranks_list[@]}"; do
      rm -rf "$place/run"
      sync
      without=$(seconds "${programs[$which]}" "$ranks" checkpoint.keep=0)
      rm -rf "$place/run"
      with=$(seconds "${programs[$which]}" "$ranks")
      written=$(rate "checkpoint .*step_")
      [[ -n $written ]] || written=$(awk -v s="$with" -v w="$without" -v g="$gib" 'BEGIN { print g * 1.073741824 / (s - w) }')
      echo "$written" >> "$folder/$which.$ranks.write"
      seconds "${programs[$which]}" "$ranks" > /dev/null
      rate "checkpoint read" >> "$folder/$which.$ranks.read"
    done
  done
done

echo "| | ranks | written, GB/s | read, GB/s |"
echo "|---|---|---|---|"
echo "| dd | | $(median < "$folder/dd.write") | $(median < "$folder/dd.read") |"
for which in "${!programs[@]}"; do
  for ranks in "${ranks_list[@]}"; do
    read_rate="not said"
    [[ ! -s $folder/$which.$ranks.read ]] || read_rate=$(median < "$folder/$which.$ranks.read")
    echo "| ${programs[$which]} | $ranks | $(median < "$folder/$which.$ranks.write") | $read_rate |"
  done
done
