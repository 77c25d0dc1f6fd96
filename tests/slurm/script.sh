#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What runs/train.sbatch demands of a site file and says to Slurm, and when it requeues. Slurm's commands are stand-ins
# that write down what they are told, so that no cluster is needed; jobs.sh has a real one.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
mkdir bin runs
cp -r "$here/../../runs/train.sbatch" "$here/../../runs/sites" runs
cat >bin/sbatch <<'STAND_IN'
#!/bin/bash
echo "${0##*/} $*" | tee -a told
STAND_IN
cp bin/sbatch bin/scontrol
cat >bin/squeue <<'STAND_IN'
#!/bin/bash
case $* in
  *%e*) echo "${END:-N/A}" ;;
  *%T*) if (($(wc -l <slept) <= ${SILENT:-0})); then echo "no answer" >&2; else echo "${STATE:-RUNNING}"; fi ;;
esac
STAND_IN
cat >bin/sleep <<'STAND_IN'
#!/bin/bash
echo "$1" >>slept
STAND_IN
cat >bin/program <<'STAND_IN'
#!/bin/bash
[[ -z ${DUMB:-} ]] || { echo "$DUMB"; exit "$EXIT"; }
echo "tesserec 0.1.0, a stand-in"
echo "$0 $*; end ${SLURM_JOB_END_TIME:-none}, $SLURM_NTASKS_PER_NODE ranks a node, $OMP_NUM_THREADS threads"
echo "locale $LC_ALL, exports ${SLURM_EXPORT_ENV:-all}"
path=runs/step_7/checkpoints/step_000000
[[ -z ${STEP:-} ]] || printf "resumed from $path%03d: step %d\ncheckpoint read: 94.20 KiB in 1.2 ms, 76.70 MiB/s\n" "$STEP" "$STEP"
[[ -z ${DELTA:-} ]] || printf "delta $path%03d.delta: 9.20 KiB in 1.2 ms\n" "$DELTA"
[[ -z ${DELTAS:-} ]] || printf "resumed from ${path}001 and 2 deltas: step %d\n" "$DELTAS"
[[ -z ${MADE:-} ]] || printf "checkpoint $path%03d: 94.20 KiB in 1.2 ms, 76.70 MiB/s\n" "$MADE"
[[ -n ${MUTE:-} ]] || echo "8 steps, 2048 samples, loss 0.5, 1000 samples/s"
exit "${EXIT:-0}"
STAND_IN
chmod +x bin/*
PATH=$folder/bin:$PATH
touch deck.toml
failures=0
complain() { echo "FAILED: $*"; cat out log 2>/dev/null; failures=$((failures + 1)); }

site() { printf '%s\n' 'NODES=1-3 RANKS_PER_NODE=4 CORES_PER_RANK=2 TIME=04:00:00' 'LAUNCH=(env)' 'PROGRAM=bin/program' "$@" >site.env; }
site
unset SITE SLURM_JOB_ID SLURM_TASK_PID

# refuses "part of the message" WORD...: exit code 2, one line, and Slurm is told nothing.
refuses() {
  rm -f told log
  runs/train.sbatch "${@:2}" >out 2>&1
  code=$?
  [ "$code" = 2 ] || complain "exit code $code, not 2: $1"
  [ "$(wc -l <out)" = 1 ] || complain "not one line: $1"
  grep -qF -- "$1" out || complain "not said: $1"
  [ ! -e told ] || complain "told Slurm: $(cat told)"
}
refuses 'SITE is not set; it names the file that describes this cluster: runs/sites/cpu.env runs/sites/gpu.env' deck.toml
SITE=nowhere.env refuses 'SITE=nowhere.env: no such file' deck.toml
export SITE=site.env NODES=7  # of the environment: no value of the site
for name in NODES RANKS_PER_NODE CORES_PER_RANK TIME LAUNCH; do
  site "$name="
  refuses "site.env: no value for $name; runs/sites/cpu.env says what it means" deck.toml
done
for name in LAUNCH OPTIONS; do
  site "unset $name; $name='env -i'"
  refuses "site.env: $name must be a list: $name=(" deck.toml
done
site "OPTIONS='--partition=cpu --exclusive'"
refuses "site.env: OPTIONS must be a list: OPTIONS=(" deck.toml
echo 'TIME=1' >site.env
refuses 'site.env: no value for NODES RANKS_PER_NODE CORES_PER_RANK LAUNCH;' deck.toml
site 'RANKS_PER_NODE=four'
refuses 'site.env: RANKS_PER_NODE=four is no number' deck.toml
site 'PROGRAM='
refuses 'site.env: PROGRAM=build/tesserec is no program' deck.toml
site 'PROGRAM=bin/nothing'
refuses 'site.env: PROGRAM=bin/nothing is no program' deck.toml
site
refuses 'no deck; usage:'
refuses 'nothing.toml: no such deck' nothing.toml
touch runs/slurm
refuses 'runs/slurm: cannot make this folder' deck.toml
rm runs/slurm

# says "what sbatch is told" WORD...
says() {
  runs/train.sbatch "${@:2}" >out 2>&1 || complain "exit code $?"
  grep -qF -- "$1" told || complain "sbatch is not told: $1"
}
common='sbatch --job-name=deck --output=runs/slurm/%x-%j.out --nodes=1-3 --mincpus=8 --time=04:00:00'
says "$common runs/train.sbatch site.env deck.toml --set run.seed=2" deck.toml --set run.seed=2
site 'OPTIONS=(--partition=cpu)'
says "$common --partition=cpu --nodes=2 runs/train.sbatch site.env deck.toml" --nodes=2 deck.toml
for array in --array=0-3%2 '--array 0-3%2' '-a 0-3%2' -a0-3%2; do
  # shellcheck disable=SC2086
  says "--output=runs/slurm/%x-%A_%a.out --nodes=1-3 --mincpus=8 --time=04:00:00 --partition=cpu $array runs/train.sbatch site.env deck.toml" $array deck.toml
done
says "--time=04:00:00 --partition=cpu --time 00:20:00 --exclusive -A ads --hold runs/train.sbatch site.env deck.toml" \
  --time 00:20:00 --exclusive -A ads --hold deck.toml
says "--partition=cpu --of-a-newer-slurm runs/train.sbatch site.env deck.toml" --of-a-newer-slurm deck.toml
for site in cpu gpu; do
  cat "$here/../../runs/sites/$site.env" - <<<PROGRAM=bin/program >example.env
  SITE=example.env says "--partition=$site" deck.toml
done

# job CODE VARIABLE... -- WORD...: as Slurm starts it with what was submitted, with its log appended. It has no SITE.
job() {
  local expected=$1 variables=()
  shift
  while [ "$1" != -- ]; do variables+=("$1"); shift; done
  rm -f told
  : >slept
  # shellcheck disable=SC2016
  env -u SITE SLURM_JOB_ID=12 SLURM_JOB_NUM_NODES=3 SLURM_JOB_NODELIST='n[1-3]' "${variables[@]}" \
    bash -c 'SLURM_TASK_PID=$$ exec runs/train.sbatch site.env "$@"' - "${@:2}" >>log 2>&1
  code=$?
  [ "$code" = "$expected" ] || complain "exit code $code, not $expected: ${variables[*]}"
}
requeued() { grep -qxF "scontrol requeue $1" told 2>/dev/null || complain "not requeued: $1"; }
ended() {
  [ ! -e told ] || complain "requeued: $1"
  grep -qF -- "$1" log || complain "not said: $1"
}
# Of an installation: its own program, by a word of the job's.
mkdir -p prefix/bin prefix/share
cp bin/program prefix/bin/tesserec
mkdir prefix/share/tesserec && cp -r runs prefix/share/tesserec
site 'PROGRAM='
(
  PATH=$folder/bin:$PATH
  SITE=site.env prefix/share/tesserec/runs/train.sbatch deck.toml >out 2>&1
  grep -qF "prefix/share/tesserec/runs/train.sbatch site.env --program=$folder/prefix/bin/tesserec deck.toml" out
) || complain "an installation's script has not its program"
unset SITE
prefix/share/tesserec/runs/train.sbatch deck.toml >out 2>&1
grep -qF 'prefix/share/tesserec/runs/sites/cpu.env' out || complain "an installation's sites are not named"
: >log
job 0 -- --program=prefix/bin/tesserec deck.toml
grep -qF 'prefix/bin/tesserec train deck.toml; end' log || complain "the job has another program"
export SITE=site.env
site

site
: >log
job 0 END=2030-01-01T00:00:00 -- deck.toml --set run.seed=2
ended "bin/program train deck.toml --set run.seed=2; end $(date -d 2030-01-01T00:00:00 +%s), 4 ranks a node, 2 threads"
grep -qE '^train.sbatch: start 1 of job 12 at [-0-9]{10} [:0-9]{8}, deck.toml: 12 ranks on 3 nodes, n\[1-3\]$' log || complain "no start"
grep -qE '^train.sbatch: exit code 0 at [-0-9]{10} [:0-9]{8} after [0-9]+ s: 0.000[0-9] node hours, .*, 333 samples per node second$' log || complain "no cost"
: >log
job 0 SLURM_JOB_END_TIME=5 LC_ALL=de_DE.UTF-8 SLURM_EXPORT_ENV=NONE -- deck.toml
ended "deck.toml; end 5,"
ended "locale C, exports all"
: >log
job 2 EXIT=2 MUTE=1 -- deck.toml
ended "deck.toml; end none,"
grep -qE '^train.sbatch: exit code 2 .* of the whole job$' log || complain "a speed that is not known"
: >log
job 1 EXIT=1 -- deck.toml  # srun's, or MPI's, of a program that had begun
requeued 12
grep -qF "does LAUNCH of site.env fit its MPI?" log || complain "nothing is said of the launcher"
job 1 EXIT=1 DUMB='srun: error: Invalid MPI type' -- deck.toml  # after a start in which it had
requeued 12
: >log
job 1 EXIT=1 DUMB='srun: error: Invalid MPI type' -- deck.toml
ended "not requeued: in no start has a rank come as far as the program's first line"
: >log
job 1 EXIT=1 DUMB='srun: error: Unable to create step: Requested nodes are busy' -- deck.toml
requeued 12
: >log
job 85 EXIT=85 SLURM_ARRAY_JOB_ID=12 SLURM_ARRAY_TASK_ID=3 -- deck.toml --set run.seed=2
requeued 12_3
grep -qF "bin/program sweep run deck.toml 3 --set run.seed=2;" log || complain "an array runs no sweep"
for state in CANCELLED COMPLETING; do
  : >log
  job 85 EXIT=85 STATE=$state SILENT=2 -- deck.toml  # said at the third time of asking
  ended "not requeued: the job was cancelled"
done
: >log
job 85 EXIT=85 SILENT=9 -- deck.toml
requeued 12
[ "$(paste -sd ' ' slept)" = "0 1 5 15" ] || complain "paused otherwise: $(paste -sd ' ' slept)"

# A launcher that cannot be started: not there, or no program.
touch bin/text
for launcher in 127,nowhere 126,bin/text; do
  site "LAUNCH=(${launcher#*,})"
  : >log
  job "${launcher%,*}" -- deck.toml
  ended "see LAUNCH and PROGRAM of site.env"
done
site

# Three in a row without a newer checkpoint; one that resumes from a newer one, or makes one, starts the count again.
: >log
for _ in 1 2 3; do
  job 137 EXIT=137 -- deck.toml
  requeued 12
done
job 85 EXIT=85 MADE=500 -- deck.toml
requeued 12
for _ in 5 6; do
  job 137 EXIT=137 STEP=500 -- deck.toml
  requeued 12
done
job 137 EXIT=137 STEP=500 -- deck.toml
ended "not requeued: 3 requeues in a row brought no newer checkpoint"
: >log
for step in '' '' 10 10 10 20 20 20; do
  job 137 EXIT=137 STEP=$step -- deck.toml
  requeued 12
done
job 85 EXIT=85 STEP=20 -- deck.toml
ended "not requeued: 3 requeues in a row brought no newer checkpoint"

# Deltas are progress, too: those that are written, and those from which a start goes on.
for said in DELTA DELTAS; do
  : >log
  for step in 10 20 30 40 50; do
    job 137 EXIT=137 $said=$step -- deck.toml
    requeued 12
  done
done

# A step a start is progress, with a word on it.
: >log
job 85 EXIT=85 MADE=500 -- deck.toml
job 85 EXIT=85 STEP=500 MADE=502 -- deck.toml
! grep -q 'TIME of' log || complain "too short a time: two steps"
for step in 502 503 504 505 506; do
  job 85 EXIT=85 STEP=$step MADE=$((step + 1)) -- deck.toml
  requeued 12
done
[ "$(grep -c 'this start made one step; if others do too, TIME of site.env is too short' log)" = 5 ] || complain "no word on TIME"
[ $failures = 0 ] && echo "all as expected"
exit $((failures > 0))
