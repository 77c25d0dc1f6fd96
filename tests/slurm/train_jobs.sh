# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash source-path=SCRIPTDIR
# Jobs of runs/train.sbatch on the cluster of cluster.sh, in its folder: inputs, runs and data as in the project's. Sourced.
#   enter_cluster           goes there, with the data of inputs/adult.toml and a site of two nodes, site.env
#   submit NAME WORD...     of train.sbatch; $name, $job, $log from here on; its run is runs/NAME
#   trains START            waits until start number START has made a checkpoint
#   ends STARTS DIGESTS     waits for the end, in so many starts, with these digests
TESSEREC=${TESSEREC:-$(dirname "${BASH_SOURCE[0]}")/../../build/tesserec}
TESSEREC=$(realpath "$TESSEREC")
project=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
. "$project/tests/slurm/cluster.sh"

enter_cluster() {
  cd "$cluster" || exit 1
  mkdir -p runs
  ln -s "$project/inputs" inputs
  ln -s "$project/runs/train.sbatch" runs/train.sbatch
  printf '%s\n' 'NODES=2 RANKS_PER_NODE=1 CORES_PER_RANK=1 TIME=10' 'LAUNCH=(srun --mpi=pmix --wait=2)' "PROGRAM=$TESSEREC" >site.env
  export SITE=site.env
  timeout 60 "$TESSEREC" preprocess inputs/adult.toml >log/preprocess 2>&1 || die "preprocess: $(cat log/preprocess)"
}

submit() {
  name=$1 job=$(runs/train.sbatch "${@:2}" --set "run.output=runs/$1" | sed -n 's/^Submitted batch job //p')
  [ -n "$job" ] || die "$name: not submitted"
  log=runs/slurm/adult-$job.out
}

# Of a log: the last.
digests() { sed -nE 's/^weights ([0-9a-f]{16}), optimizer state ([0-9a-f]{16})$/\1 \2/p' "$1" | tail -n 1; }
newest() { find "runs/$name/checkpoints" -maxdepth 1 -name 'step_?????????' 2>/dev/null | sort | tail -n 1; }
has_moved() { [[ $(newest) > $1 ]]; }
# Those in which MPI started. A rank of Open MPI 4.1 below Slurm's PMIx that is still in the first fence of MPI_Init when a
# message comes from one that has left it dies there (139), once in some dozen pairs of jobs that start at once: the job goes on
# by itself, and the program has said nothing.
starts() {
  [ ! -f "$log" ] || awk '
    /^train.sbatch: start / { ++starts; said = 0; next }
    /^train.sbatch: exit code 139 / && !said { --starts }
    !/^(train.sbatch|srun|slurmstepd[^ ]*): / && !/^\[[^ ]*:[0-9]+\] / { said = 1 }
    END { print starts + 0 }' "$log"
  [ -f "$log" ] || echo 0
}
has_started() { [ "$(starts)" -ge "$1" ]; }
is_gone() {
  local states
  states=$(timeout 5 squeue -h -t all -j "$job" -o %T 2>/dev/null) && ! grep -qvE '^(COMPLETED|FAILED|CANCELLED)$' <<<"$states"
}

trains() {
  await 60 "$name: start $1" has_started "$1"
  await 60 "$name: a checkpoint in start $1" has_moved "$(newest)"
}

ends() {
  await 120 "$name: the end" is_gone
  [ "$(digests "$log")" = "$2" ] || die "$name: $(digests "$log"), undisturbed: $2"
  [ "$(starts)" = "$1" ] || die "$name: $(starts) starts, not $1"
  grep -qE '^train.sbatch: exit code 0 at [-0-9]{10} [:0-9]{8} after [0-9]+ s: 0\.[0-9]{4} node hours, 0\.[0-9]{4} of the whole job, [1-9][0-9]* samples per node second$' "$log" ||
    die "$name: the end lacks its cost"
  echo "$name: $1 starts, $2"
}
