#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# shellcheck source-path=SCRIPTDIR disable=SC2154
# runs/train.sbatch on a real cluster, each time to the digests of a run that nobody disturbed: signalled twice; a rank
# killed, then a node; preempted; an array of which one index is signalled; a sweep of 24 of which one is killed. A wrong
# deck and scancel end a job for good. Most of the time is waiting for Slurm, so what can be is done meanwhile.
. "$(dirname "${BASH_SOURCE[0]}")/train_jobs.sh"
need_slurm
start_cluster PreemptType=preempt/partition_prio PreemptMode=REQUEUE \
  "PartitionName=spare Nodes=n1,n2 MaxTime=60 PriorityTier=1 GraceTime=20" "PartitionName=urgent Nodes=n1,n2 PriorityTier=9 PreemptMode=OFF"
enter_cluster
words=(inputs/adult.toml --set train.epochs=20 --set checkpoint.every_steps=200 --set evaluate.every_steps=0)
timeout 120 "$TESSEREC" train "${words[@]}" --set run.output=runs/whole >log/whole 2>&1 || die "undisturbed: $(cat log/whole)"
whole=$(digests log/whole)
[ -n "$whole" ] || die "no digests"

# Twice, as Slurm does before the time limit.
signalled() {
  submit signalled "${words[@]}"
  trains 1
  scancel --signal=USR1 "$job"
  trains 2
  scancel --signal=USR1 "$job"
  ends 3 "$whole"
  [ "$(grep -c '^train.sbatch: exit code 85 ' "$log")" = 2 ] || die "$name: not twice exit code 85"
}
signalled & background=$!

# state STATE: of a job that is over, in one start.
state() {
  await 60 "$name: the end" is_gone
  [ "$(squeue -h -t all -j "$job" -o %T) $(starts)" = "$1 1" ] || die "$name: $(squeue -h -t all -j "$job" -o %T) after $(starts) starts"
  echo "$name: $1"
}
submit wrong "${words[@]}" --set train.lanes=1
state FAILED
grep -q '^train.sbatch: exit code 2 ' "$log" || die "$name: not exit code 2"
submit cancelled "${words[@]}"
trains 1
scancel "$job"
state CANCELLED
wait $background || exit 1

# Slurm notices after SlurmdTimeout that a node is dead, and requeues by itself; one node is what is left.
bereft() {
  submit bereft --nodes=1-2 "${words[@]}"
  trains 1
  kill -KILL "$(pgrep -f "^$TESSEREC train .*run.output=runs/$name( |\$)" | tail -n 1)" || die "no rank"
  trains 2
  kill_node n2
  ends 3 "$whole"
  [ "$(grep -c '^train.sbatch: exit code 137 ' "$log")" = 1 ] || die "$name: not exit code 137 of a killed rank"
  grep '^train.sbatch: start ' "$log" | tail -n 1 | grep -q ', inputs/adult.toml: 1 rank on 1 node, n1$' || die "$name: not on what is left"
}
bereft & background=$!

# An array: the index whose job number is that of the whole array is signalled, and it alone starts again.
cat >sweep <<PROGRAM
#!/bin/bash
[[ "\$1 \$2" != "sweep run" ]] || set -- train "\$3" "\${@:5}" --set "run.output=runs/point\$4"
exec $TESSEREC "\$@"
PROGRAM
chmod +x sweep
sed 's/NODES=2/NODES=1/' site.env >one.env
echo 'OPTIONS=(--nodelist=n1)  # n2 dies' >>one.env
{ cat one.env; echo 'PROGRAM=./sweep'; } >array.env
SITE=array.env submit point1 --array=0-1 "${words[@]}"
log=runs/slurm/adult-${job}_1.out
job=${job}_1
trains 1
scancel --signal=USR1 "$job"
ends 2 "$whole"
name=point0 job=${job%_1}_0 log=${log%_1.out}_0.out
ends 1 "$whole"

# A sweep: what an index that was killed leaves is named, and run here completes it.
sed '/^\[sweep.halving\]/,$d' inputs/sweep.toml >grid.toml
grid=(grid.toml --set 'sweep.keys."schedule.warmup_steps"=[5, 50, 1000]'
      --set 'sweep.keys."optimizer.sparse.lr"=[0.1, 1.0]' --set 'sweep.keys."optimizer.dense.lr"=[0.001, 0.003, 0.01, 0.1]'
      --set train.steps=48)
SITE=one.env submit grid --array=0-23 "${grid[@]}"
runs() { [ "$(squeue -h -j "${job}_7" -o %T 2>/dev/null)" = RUNNING ]; }
await 60 "index 7" runs
scancel "${job}_7"
await 120 "the end of the sweep" is_gone
collect() { timeout 60 "$TESSEREC" sweep "$1" "${grid[@]}" --set run.output=runs/grid 2>&1; }
collect collect | grep -qE '^23 of 24 points ended; (missing|started): index 7$' || die "not 23 points of 24: $(collect collect)"
collect run | grep -q '^24 of 24 points ended$' || die "not completed: $(collect run)"
echo "grid: 23 points of an array, then the one that was killed"
wait $background || exit 1
start_node n2
await 30 "two idle nodes" are_idle 2

# SIGTERM, and later SIGKILL, for a job that may interrupt others.
submit preempted --partition=spare "${words[@]}"
trains 1
sbatch --partition=urgent --nodes=2 --mincpus=4 --output="$cluster/log/urgent" --wrap 'sleep 1' >/dev/null
ends 2 "$whole"
echo "all as expected"
