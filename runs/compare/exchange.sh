#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What de-duplicated rows and ids that travel ahead save on two ranks: bytes sent and milliseconds of a step with pooled
# vectors and with rows, without and with the pipeline, for uniform and Zipf ids: a Markdown table.
set -euo pipefail
cd "$(dirname "$0")/../.."
source runs/compare/common.sh

echo "| ids | ids a bag | travel | sent a step, MB | step, ms | step with ids ahead, ms |"
echo "|---|---|---|---|---|---|"
for zipf in 0 1.05 1.3; do
  for ids in 1 20; do
    deck=("data.synthetic.rows=[$(printf '200000,%.0s' {1..7})200000]" data.synthetic.max_rows=0
      data.synthetic.ids_per_bag="$ids" data.synthetic.zipf="$zipf" plan.default=row_wise)
    overrides=()
    for override in "${deck[@]}"; do overrides+=(--set "$override"); done
    "$program" plan inputs/kaggle_synthetic.toml --ranks 2 --json "${overrides[@]}" > "$folder/plan.json"
    for travel in pooled rows; do
      sed -i "s/\"exchange\": \"[a-z]*\"/\"exchange\": \"$travel\"/" "$folder/plan.json"
      job=("${deck[@]}" plan.file="$folder/plan.json")
      bytes=$(json 2 "${job[@]}" | field exchange_bytes)
      apart=$(milliseconds 2 "${job[@]}" train.pipeline=false)
      ahead=$(milliseconds 2 "${job[@]}" train.pipeline=true)
      printf '| %s | %s | %s | %.2f | %s | %s |\n' "$([[ $zipf == 0 ]] && echo uniform || echo "Zipf $zipf")" "$ids" \
        "$travel" "$(awk -v b="$bytes" 'BEGIN { print b / 1e6 }')" "$apart" "$ahead"
    done
  done
done
