#!/usr/bin/env bash
# shellcheck source-path=SCRIPTDIR
# SPDX-License-Identifier: Apache-2.0
# The n-th call on the files of rows of kernel disk fails, in a run on three ranks with checkpoints. The outcomes are
# those of faults.sh; the next run resumes from the last checkpoint and must have the digests of rows in memory.
#   tests/faults/rows.sh [CALLS]    as many calls (240), half of them reads, evenly spaced, the kinds of faults in turn
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
wanted=${1:-240}
read -ra kinds <<<"${KINDS:-EIO ENOSPC SHORT HALF FULL KILL}"
ranks=3
cd "$folder" || exit 1
sed 's|^\[optimizer\]|[run]\noutput = "run"\n[checkpoint]\nevery_steps = 6\n&|' "$here/../app/planted.toml" >deck.toml
disk=(--set plan.kernel=disk --set plan.cache=0.2 --set plan.disk_folder=rows --set plan.default=row_wise)
task=(--json --set 'data.synthetic.rows=[9000, 20000, 6000]' --set data.synthetic.zipf=0 --set model.embedding_dim=256 --set 'model.bottom=[8, 256]'
  --set data.synthetic.samples=12000 --set train.batch_size=512 --set train.steps=22)

attempt 1 -- train deck.toml "${task[@]}"
expected=$(digests)
[ -n "$expected" ] || { echo "FAILED: the run in memory"; cat err; exit 1; }
rm -rf run
attempt $ranks FAULT_PREFIX="$folder/rows" FAULT_COUNT="$folder/calls" -- train deck.toml "${task[@]}" "${disk[@]}"
[ "$(digests)" = "$expected" ] || { echo "FAILED without any fault: $code $(digests), in memory $expected"; cat err; exit 1; }
for call in open pread pwrite fallocate; do
  grep -q " $call" calls || { echo "FAILED: no call of $call"; exit 1; }
done

# Slow reads, while segments are cleaned: no byte may be read from a place that has been reused.
slowly=("${task[@]}" --set train.steps=160 --set train.epochs=9 --set checkpoint.keep=0 --set run.overwrite=true)
rm -rf run
attempt 1 -- train deck.toml "${slowly[@]}"
in_memory=$(digests)
rm -rf run
attempt $ranks FAULT_PREFIX="$folder/rows" FAULT_CALL=1 FAULT_KIND=SLOW -- train deck.toml "${slowly[@]}" "${disk[@]}"
if [ "$(digests)" = "$in_memory" ]; then record slow $ranks SLOW ok; else record slow $ranks SLOW silent "$code $(digests), in memory $in_memory"; fi

# one KIND RANK N: runs one case.
one() {
  local kind=$1 rank=$2 n=$3 place=$folder/case.$1.$2.$3 outcome detail
  begin_case() { rm -rf "$place" && mkdir "$place" && cd "$place" && cp ../deck.toml . || exit 1; }
  begin_case
  local reset=begin_case
  attempt $ranks FAULT_PREFIX="$place/rows" FAULT_CALL="$n" FAULT_KIND="$kind" FAULT_RANK="$rank" -- \
    train deck.toml "${task[@]}" "${disk[@]}"
  detail="exit code $code: $(message)"
  case $code in
    0) [ "$(digests)" = "$expected" ] && outcome=ok || outcome=silent ;;
    2) has_message && outcome=reported || outcome=crash ;;
    hang) outcome=hang ;;
    *) [ "$kind" = KILL ] && outcome=ok || outcome=crash ;;
  esac
  if [ "$code" != 0 ] && [ "$outcome" != hang ]; then
    attempt 2 -- train deck.toml "${task[@]}" "${disk[@]}"
    [ "$code" = 0 ] && [ "$(digests)" = "$expected" ] || { outcome=lost; detail="$detail; next run: $code, $(message)"; }
  fi
  record train $ranks "$kind" "$outcome" "rank $rank, call $n: $detail"
  cd "$folder" && rm -rf "$place"
}

# spaced CALLS: of the lines read, as many, at equal distances; all if there are fewer.
spaced() {
  awk -v calls="$1" '{ line[NR] = $0 }
    END {
      distance = calls < NR ? NR / calls : 1
      for (c = 0; c < calls && c < NR; ++c) print line[1 + int(c * distance)]
    }'
}
turn=0
while read -r rank n _; do
  turn=$((turn + 1))
  in_turn one "${kinds[turn % ${#kinds[@]}]}" "$rank" "$n"
done < <(grep -v ' pread ' calls | spaced $((wanted / 2)); grep ' pread ' calls | spaced $((wanted - wanted / 2)))
all_done
table
