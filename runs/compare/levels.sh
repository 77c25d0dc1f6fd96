#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What the exchange by two levels saves between nodes: 8 ranks as simulated nodes, 4 tables of 4096 x 128 with 20 ids a
# bag, each type in turn and the planner's own on a slow network. Bytes of a step that the busiest rank sends to other
# nodes, to all ranks, and the planner's seconds: a Markdown table. Digests must agree. It times nothing.
set -euo pipefail
cd "$(dirname "$0")/../.."
STEPS=${STEPS:-2}
source runs/compare/common.sh

deck=("data.synthetic.rows=[$(printf '4096,%.0s' {1..3})4096]" data.synthetic.max_rows=0 data.synthetic.ids_per_bag=20
  data.synthetic.dense_features=4 model.embedding_dim=128 'model.bottom=[128]' 'model.top=[1]' model.interaction=cat
  train.batch_size=512 plan.costs.between_bytes=1e8)
digest=

echo "| nodes x ranks | type | to other nodes, kB: one level | two | to all ranks, kB: one level | two | predicted, ms: one level | two |"
echo "|---|---|---|---|---|---|---|---|"
for inside in 2 4; do
  for type in table_row_wise table_column_wise grid auto; do
    between=() sent=() predicted=()
    for levels in 1 2; do
      job=("${deck[@]}" plan.default="$type" plan.ranks_per_node="$inside" plan.exchange_levels="$levels")
      text=$(json 8 "${job[@]}")
      between+=("$(field between_nodes_bytes <<< "$text" | awk '{ printf "%.1f", $1 / 1e3 }')")
      sent+=("$(field exchange_bytes <<< "$text" | awk '{ printf "%.1f", $1 / 1e3 }')")
      overrides=()
      for override in "${job[@]}"; do overrides+=(--set "$override"); done
      predicted+=("$("$program" plan inputs/kaggle_synthetic.toml --ranks 8 --json "${overrides[@]}" |
        field critical_path_seconds | awk '{ printf "%.2f", $1 * 1e3 }')")
      new=$(grep -o '"weights_digest": *"[^"]*"' <<< "$text")
      [[ -z $digest || $digest == "$new" ]] || { echo "$0: $type, $levels levels: another digest" >&2; exit 1; }
      digest=$new
    done
    echo "| $((8 / inside)) x $inside | \`$type\` | ${between[0]} | ${between[1]} | ${sent[0]} | ${sent[1]} | ${predicted[0]} | ${predicted[1]} |"
  done
done
