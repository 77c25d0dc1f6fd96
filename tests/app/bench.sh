#!/usr/bin/env bash
# bench on $RANKS ranks: one JSON object with all members, a file that plan.machine reads, bad input.
. "$(dirname "$0")/lib.sh"
source_folder=$(cd "$(dirname "$0")/../.." && pwd)
cd "$folder" || exit 1
deck="$source_folder/inputs/bench.toml"
quick=(--set bench.seconds=1e-6 --set bench.repeats=2 --set bench.memory=2097152 --set bench.steps=2 --set data.synthetic.max_rows=1000
       --set data.synthetic.samples=3000 --set train.batch_size=64 --set train.lanes=4)

must_succeed '"step_fraction"' bench "$deck" "${quick[@]}" --json --save "$folder/machines/this.toml"
"$JSON_CHECK" <"$folder/out" || complain "--json is not one JSON object"
for key in figures costs ranks ranks_per_node instruction_set step_seconds samples_per_second bottleneck; do
  grep -q "\"$key\": " "$folder/out" || complain "--json lacks $key"
done
for key in row_reads cached_row_reads read_bytes vector_bytes row_updates cached_row_updates update_bytes ids fetched_ids fetched_bytes bags add_bytes dense_flops bf16_flops \
  interaction_flops activation_bytes dense_bytes step_seconds; do
  grep -q "^$key  *= " "$folder/machines/this.toml" || complain "the saved file lacks $key"
done
must_succeed 'predicted step' plan "$deck" "${quick[@]}" --set plan.machine="$folder/machines/this.toml"
must_succeed '"predicted_step_seconds"' plan "$deck" "${quick[@]}" --json --set plan.machine="$folder/machines/this.toml"
must_succeed 'constants of the planner' bench --only costs "${quick[@]:0:8}"
must_succeed 'bottleneck: ' bench "$deck" "${quick[@]}" --only limits,step
must_succeed 'interest1 backward' bench "$source_folder/inputs/din.toml" "${quick[@]}" --only parts
must_succeed 'all kernels of a step' bench "$deck" "${quick[@]}" --only kernels
must_fail 'train.accumulate is 2, but parts and step measure single batches' bench "$deck" "${quick[@]}" --only step --set train.accumulate=2

# The predicted step of a machine half as fast takes longer.
printf 'dense_flops = 1e6\n' >slow.toml
must_succeed '"predicted_step_seconds": ' plan "$deck" "${quick[@]}" --json --set plan.machine=slow.toml
slow=$(grep -o '"predicted_step_seconds": [0-9.e+-]*' "$folder/out" | sed 's/.*: //')
awk -v s="$slow" 'BEGIN { exit !(s > 10) }' || complain "dense_flops does not matter: $slow s"
must_succeed '"predicted_step_seconds": ' plan "$deck" "${quick[@]}" --json --set plan.machine=slow.toml --set model.precision=bf16
fast=$(grep -o '"predicted_step_seconds": [0-9.e+-]*' "$folder/out" | sed 's/.*: //')
awk -v s="$fast" 'BEGIN { exit !(s < 1) }' || complain "bf16_flops does not matter: $fast s"
printf 'name,rows,dim,ids_per_bag\na,10,4,1\n' >tables.csv
must_succeed '"critical_path_seconds"' plan --tables tables.csv --json
! grep -q predicted_step_seconds "$folder/out" || complain "a list of tables has no dense half to predict"

must_fail '--only: "speed" is not a group; give some of limits, costs, parts, step, kernels' bench --only speed
must_fail 'give one, such as inputs/bench.toml' bench --only step
must_fail 'add costs to --only' bench --only limits --save x.toml "${quick[@]:0:8}"
must_fail 'no.toml: cannot read the deck' bench no.toml
must_fail 'bench.repeats must be' bench "$deck" --set bench.repeats=0
must_fail 'bench.sconds is unknown; did you mean bench.seconds?' bench --set bench.sconds=1
must_fail 'has no option --sav' bench "$deck" --sav x
touch file
must_fail 'file exists and is no file of measured costs' bench --only costs "${quick[@]:0:8}" --save file
must_succeed costs bench --only costs "${quick[@]:0:8}" --json --save machines/this.toml
must_fail '--save: file: cannot create this folder: a file has its name' bench --only costs "${quick[@]:0:8}" --save file/x.toml
finish
