#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Step time of the Criteo Kaggle layers against the batch size, the number of tables and the ids a bag, on 1 and 2 ranks: three
# Markdown tables. Making samples is not counted.
#   runs/compare/sweep.sh [batch|tables|ids...]
# All three if not given. REPEATS, TESSEREC as in common.sh; RANKS ("1 2").
set -euo pipefail
cd "$(dirname "$0")/../.."
source runs/compare/common.sh
read -ra ranks_list <<< "${RANKS:-1 2}"

# table TITLE OVERRIDE VALUE...: a line for each value of what is varied; OVERRIDE has VALUE where it goes.
table() {
  local title=$1 override=$2 value ranks line ms batch lanes
  shift 2
  line="| $title |"
  for ranks in "${ranks_list[@]}"; do line+=" ms, $ranks ranks | us a sample, $ranks ranks |"; done
  printf '\n%s\n|---%s\n' "$line" "$(printf '|---|---%.0s' "${ranks_list[@]}")|"
  for value in "$@"; do
    batch=2048 lanes=0
    [[ $override != train.batch_size=* ]] || batch=$value
    ((batch > 64)) || lanes=2 # else it would have one
    steps=$((200 * 2048 / batch)) # as many samples in each training
    steps=$((steps < 6 ? 6 : steps > 400 ? 400 : steps))
    [[ $override != tables ]] || steps=$((200 / (1 + value / 8))) # pairs of tables grow faster than tables
    line="| $value |"
    for ranks in "${ranks_list[@]}"; do
      ms=$(milliseconds "$ranks" data.synthetic.max_rows=100000 train.epochs=1000 train.lanes="$lanes" \
        optimizer.dense.lr=0.001 optimizer.sparse.lr=0.001 \
        "$(if [[ $override == tables ]]; then rows "$value"; else echo "${override/VALUE/$value}"; fi)")
      line+=$(awk -v ms="$ms" -v n="$batch" 'BEGIN { printf " %.3f | %.2f |", ms, 1000 * ms / n }')
    done
    echo "$line"
  done
}

rows() { echo "data.synthetic.rows=[$(printf '100000,%.0s' $(seq "$1") | sed 's/,$//')]"; }

what=("$@")
(($# > 0)) || what=(batch tables ids)
for each in "${what[@]}"; do
  case $each in
    batch) table "batch size" train.batch_size=VALUE 64 128 256 512 1024 2048 4096 8192 16384 32768 65536 ;;
    tables) table "tables of 100 000 rows" tables 1 4 16 64 256 ;;
    ids) table "ids a bag" data.synthetic.ids_per_bag=VALUE 1 2 5 10 20 50 ;;
    *) echo "$0: $each is not batch, tables or ids" >&2 && exit 2 ;;
  esac
done
