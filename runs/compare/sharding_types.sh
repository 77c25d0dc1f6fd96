#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Milliseconds of a step for every sharding type, for large, small and wide tables on 1, 2 and 4 ranks (nodes of 2): a
# Markdown table. Embeddings only matter here: the MLPs are as small as they can be. REPEATS, STEPS, TESSEREC as in
# common.sh.
set -euo pipefail
cd "$(dirname "$0")/../.."
source runs/compare/common.sh

list() { printf '[%s]' "$(printf "$2,%.0s" $(seq "$1") | sed 's/,$//')"; }
shapes=("large: 8 tables of 1000000 x 32, 10 ids|8 1000000 32 10" "small: 64 tables of 1000 x 32, 1 id|64 1000 32 1"
  "wide: 4 tables of 50000 x 256, 4 ids|4 50000 256 4")
types=(auto table_wise row_wise column_wise table_row_wise table_column_wise grid data_parallel)

for shape in "${shapes[@]}"; do
  read -r tables rows dim ids <<< "${shape#*|}"
  echo
  echo "| ${shape%|*} | 1 rank | 2 ranks | 4 ranks |"
  echo "|---|---|---|---|"
  for type in "${types[@]}"; do
    line="| \`$type\` |"
    for ranks in 1 2 4; do
      line+=" $(milliseconds "$ranks" data.synthetic.rows="$(list "$tables" "$rows")" data.synthetic.max_rows=0 \
        data.synthetic.ids_per_bag="$ids" data.synthetic.dense_features=4 model.embedding_dim="$dim" \
        "model.bottom=[$dim]" 'model.top=[1]' model.interaction=cat plan.default="$type" \
        plan.ranks_per_node=$((ranks > 2 ? 2 : ranks))) |"
    done
    echo "$line"
  done
done
