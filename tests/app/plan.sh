#!/usr/bin/env bash
# tesserec plan on $RANKS ranks: numbers of ranks that training also takes, and lists of them.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_samples.sh"
deck="$folder/deck.toml"
planted_deck "$deck" # 64 samples in 4 lanes

# More ranks than lanes or samples: the same error as in training.
must_fail '8 ranks need at least as many lanes, but train.lanes is 4; set train.lanes = 8, or run on 4 ranks at most' plan "$deck" --ranks 8
must_fail '16 ranks need at least as many lanes, but train.lanes is 4' plan "$deck" --ranks 2,16,8
must_fail '3 ranks and train.accumulate = 2 need 6 lanes or more, but train.lanes is 4; set train.lanes = 8 or train.accumulate = 1, or run on 2 ranks at most' \
  plan "$deck" --ranks 3 --set train.accumulate=2
must_fail 'train.batch_size = 64 is smaller than the number of ranks, 128; raise it, or run on 4 ranks at most' plan "$deck" --ranks 128
must_succeed '4 cpu ranks' plan "$deck" --ranks 4
must_fail "train.lanes is 1; set train.lanes = $((RANKS > 1 ? RANKS : 2))" plan "$deck" --set train.lanes=1 --ranks $((RANKS > 1 ? RANKS : 2))
[ "$RANKS" = 1 ] || must_fail "$RANKS ranks need at least as many lanes" plan "$deck" --set train.lanes=1
# A deck with only a list of tables cannot train.
printf 'a,1000,8,1\nb,50,8,1\n' >"$folder/tables.csv"
printf 'a,1000,8,1\nb\033[31m,50,8,1\n' >"$folder/shown.csv"
must_fail 'shown.csv:2: "b\x1B[31m" cannot be a table'"'"'s name: its byte 1 is the control character \x1B' plan --tables "$folder/shown.csv" --ranks 64
must_succeed '64 cpu ranks' plan --tables "$folder/tables.csv" --ranks 64
must_fail '64 ranks need at least as many lanes' plan "$deck" --tables "$folder/tables.csv" --ranks 64

# Several numbers: one line each in their order, and the best.
must_succeed 'best: ' plan "$deck" --ranks 4,1,2
[ "$(sed -n '2,4s/^ *\([0-9]*\) .*/\1/p' "$folder/out" | tr '\n' ' ')" = "4 1 2 " ] || complain "the lines are not those of --ranks"
run "$TESSEREC" plan "$deck" --ranks 1 --json
seconds=$(grep -o '"predicted_step_seconds": [^,]*' "$folder/out")
must_succeed '"best": ' plan "$deck" --ranks 1,2 --json
"$JSON_CHECK" <"$folder/out" || complain "--json is not one JSON object"
grep -qF '"ranks": 1, ' "$folder/out" && grep -qF "$seconds" "$folder/out" || complain "not the prediction of --ranks 1"
# A checkpoint has fp32 whatever the tables' format, and the states of the optimizer that moves the rows.
checkpoint() { # ARGS...
  run "$TESSEREC" plan "$deck" --set data.synthetic.rows.0=200000 --set optimizer.sparse.type=sgd "$@" --json
  tr -d '\n' <"$folder/out" | grep -oE '"bytes_by_holder": \{[^}]*' | grep -oE '"checkpoint": \[[^]]*' | sed 's/.*\[//'
}
fp32=$(checkpoint)
[ -n "$fp32" ] && [ "$(checkpoint --set model.table_format=bf16)" = "$fp32" ] || complain "other checkpoints of bf16 tables than $fp32"
[ "$(checkpoint --set plan.tables.C1.kernel=dense)" != "$fp32" ] || complain "no states of kernel dense in $fp32"
checked=$(checkpoint --set checkpoint.check_memory=true)
printf '%s\n' "$fp32" "$checked" | # the bytes of all ranks
  awk -F, '{ d = -d; for (i = 1; i <= NF; ++i) d += $i } END { exit !(d > 4 * 200000 && d < 4.2 * 200000) }' ||
  complain "checkpoint.check_memory is $checked beside $fp32"
# Deltas need the ids of growing tables at the last state: 8 bytes a row.
{ cat "$deck" && printf '[[table]]\nname = "C1"\nrows = 200000\ngrowing = true\n'; } >"$folder/growing.toml"
fixed=$deck deck="$folder/growing.toml"
grown=$(checkpoint --set data.synthetic.hashed=true)
marked=$(checkpoint --set data.synthetic.hashed=true --set checkpoint.delta_seconds=60)
deck=$fixed
printf '%s\n' "$grown" "$marked" |
  awk -F, '{ d = -d; for (i = 1; i <= NF; ++i) d += $i } END { exit !(d == 8 * 200000) }' ||
  complain "checkpoint.delta_seconds is $marked beside $grown"

# Tables that fit beside a process that does not.
must_succeed '; together ' plan "$deck" --ranks 2 --set plan.memory=30000000
grep -qE '^warning: rank [01] needs .* MiB together, but a rank has 28.61 MiB: its tables and messages fit' "$folder/err" ||
  complain "no warning of a process that does not fit: $(cat "$folder/err")"
must_succeed '; together ' plan "$deck" --ranks 2 --set plan.memory=1000000000
! grep -q '^warning: rank' "$folder/err" || complain "a warning of a process that fits: $(cat "$folder/err")"

# An impossible number has its reason; plan fails if all are impossible. One rank needs all of C1, four a quarter.
must_succeed ' not fit' plan "$deck" --ranks 1,4 --set data.synthetic.rows.0=20000 --set plan.memory=300000
grep -q '^best: 4 ranks' "$folder/out" || complain "4 ranks are not the best"
must_fail '--ranks: none of these numbers of ranks has a plan; 2 ranks: ' plan "$deck" --ranks 1,2 --set plan.memory=100
must_succeed '3 ranks do not divide into nodes of that many' plan "$deck" --ranks 4,3 --ranks-per-node 2
must_fail '--ranks must be an integer, 1 to 1048576, but is "two" in "1,two"' plan "$deck" --ranks 1,two
must_fail '--ranks must be an integer, 1 to 1048576, but is "0" in "1,0"' plan "$deck" --ranks 1,0
must_fail '--ranks must be an integer, 1 to 1048576, but is "" in "1,"' plan "$deck" --ranks 1,
must_fail '--ranks has 2 twice in "2,1,2"' plan "$deck" --ranks 2,1,2
must_fail '--ranks-per-node must be one integer, but is "1,2"' plan "$deck" --ranks 4 --ranks-per-node 1,2
run "$TESSEREC" plan "$deck" --ranks 2 --json
cp "$folder/out" "$folder/plan.json"
must_fail 'plan.json is a plan for one number of ranks, but --ranks is "1,2"' plan "$deck" --ranks 1,2 --evaluate "$folder/plan.json"
must_fail 'plan.json is a plan for one number of ranks, but --ranks is "1,2"' plan "$deck" --ranks 1,2 --set "plan.file=$folder/plan.json"

# Numbers of replica groups: one, a list of which the fastest is taken, and numbers that the ranks do not have.
must_succeed '4 cpu ranks, 4 a node in 2 replica groups' plan "$deck" --ranks 4 --set plan.replicas=2
must_succeed '"replicas": 4' plan "$deck" --ranks 4 --set plan.replicas=4 --json
must_succeed '3: plan.replicas = 3: 4 ranks do not divide' plan "$deck" --ranks 4 --set 'plan.replicas=[1, 2, 3]'
[ "$(grep -A2 'replica groups$' "$folder/out" | awk 'NR > 1 { print $NF }' | tr '\n' ' ')" = "1 2 " ] || complain "not one line per number"
must_succeed '"error": "plan.replicas = 3: ' plan "$deck" --ranks 4 --set 'plan.replicas=[1, 2, 3]' --json
must_fail 'plan.replicas = 3: 4 ranks do not divide into that many groups; set a divisor of 4' plan "$deck" --ranks 4 --set plan.replicas=3
must_fail 'plan.replicas must be an integer, 1 to 2147483647, but is the integer 0' plan "$deck" --set plan.replicas=0
must_fail 'plan.replicas names 2 twice; name it once' plan "$deck" --ranks 4 --set 'plan.replicas=[2, 2]'
[ "$RANKS" = 1 ] || must_fail "plan.replicas = 7: $RANKS ranks do not divide into that many groups" train "$deck" --set plan.replicas=7

# The limits of a process and of a Slurm job are named; those of an ended job are not.
limit() { bash -c 'ulimit -v 4194304 && exec "$@"' - "$TESSEREC" plan "$deck" --ranks 1 >"$folder/out" 2>"$folder/err"; }
limit
grep -q ' 4.00 GiB a rank (from ulimit -v)' "$folder/out" || complain "ulimit -v is not a limit"
SLURM_MEM_PER_NODE=1000 must_succeed '1000 MiB a rank (from SLURM_MEM_PER_NODE=1000)' plan "$deck" --ranks 1
SLURM_JOB_ID=4123456789 SLURM_MEM_PER_NODE=1 SLURM_JOB_END_TIME=5 must_succeed 'a rank (from ' plan "$deck" --ranks 1
! grep -q 'SLURM' "$folder/out" || complain "a job that has ended limits"
[ "$(grep -c '^warning: SLURM_JOB_END_TIME, SLURM_MEM_PER_NODE are ignored, because SLURM_JOB_ID names job 4123456789' "$folder/err")" = 1 ] ||
  complain "not one warning that names the variables of an ended job"
finish
