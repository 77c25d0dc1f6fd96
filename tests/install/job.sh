#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# shellcheck source-path=SCRIPTDIR disable=SC2154
# job.sh: submits a job of an installation's train.sbatch to the cluster of tests/slurm; it succeeds. A job whose
# launcher does not fit ends at once.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../slurm/cluster.sh"
need_slurm
start_cluster
share=$OUTSIDE/prefix/share/tesserec
cd "$cluster" || exit 1
cp -r "$share/inputs" .
printf '%s\n' 'NODES=2 RANKS_PER_NODE=1 CORES_PER_RANK=1 TIME=10' 'LAUNCH=(srun --mpi=pmix --wait=2)' >site.env
sed 's/--mpi=pmix/--mpi=none/' site.env >none.env
words=(inputs/deepfm.toml --set train.steps=20 --set data.synthetic.samples=4096 --set evaluate.every_steps=0)
# submit SITE: sets $job and $log.
submit() {
  job=$(SITE=$1 "$share/runs/train.sbatch" --time 00:05:00 "${words[@]}" --set "run.output=runs/$1" | sed -n 's/^Submitted batch job //p')
  [ -n "$job" ] || die "$1: not submitted"
  log=runs/slurm/deepfm-$job.out
}
is_over() { squeue -h -t all -j "$job" -o %T | grep -qE '^(COMPLETED|FAILED)$'; }

submit site.env
await 60 "the end" is_over
grep -qF ", inputs/deepfm.toml: 2 ranks on 2 nodes, " "$log" && grep -q '^train.sbatch: exit code 0 at ' "$log" || die "the job: $(cat "$log")"
submit none.env
await 60 "the end of a launcher that does not fit" is_over
[ "$(grep -c '^train.sbatch: start ' "$log")" = 1 ] || die "started again: $(cat "$log")"
grep -qE 'srun --mpi=pmix|does LAUNCH of none.env fit its MPI' "$log" || die "no word on the launcher: $(cat "$log")"
cat "$log"
echo "all as expected"
