# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# A Slurm cluster of two nodes on this machine, all of it below a temporary folder and by ports that were free: nothing of
# another Slurm here is touched. Sourced; leaves $cluster, the folder, and stops everything when the shell ends.
#   need_slurm                  ends with 77, a skip to ctest, where a part of Slurm is missing
#   start_cluster [CONF...]     lines to add to slurm.conf; n1 and n2 are idle when it returns
#   start_node NODE, kill_node NODE    a node comes; dies with all that runs on it, without a word
#   await SECONDS WHAT COMMAND...      until COMMAND succeeds; die where it does not
#   die MESSAGE                 shows what the jobs and daemons said, and ends with 1
set -uo pipefail
cluster=$(mktemp -d)
export SLURM_CONF=$cluster/slurm.conf
# Two nodes on one machine: shared memory's names would meet.
export OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,tcp OMPI_MCA_btl_tcp_if_include=lo OMPI_MCA_mpi_yield_when_idle=1
trap stop_cluster EXIT
trap 'exit 130' INT TERM

need_slurm() {
  local part
  for part in munged slurmctld slurmd sbatch srun; do
    PATH=$PATH:/usr/sbin command -v $part >/dev/null || { echo "skipped: no $part (Debian: apt-get install slurm-wlm munge)"; exit 77; }
  done
  PATH=$PATH:/usr/sbin
}

die() {
  echo "FAILED: $*"
  timeout 5 squeue -a 2>&1
  timeout 5 sinfo -N 2>&1
  tail -n 30 "$cluster"/log/slurmctld "$cluster"/runs/slurm/* 2>/dev/null
  exit 1
}

await() {
  local deadline=$((SECONDS + $1))
  while ((SECONDS <= deadline)); do
    "${@:3}" && return
    sleep 0.1
  done
  die "not in $1 s: $2"
}

# Ours: every process was started with our SLURM_CONF.
ours() (
  conf=$SLURM_CONF
  unset SLURM_CONF
  grep -lsz "^SLURM_CONF=$conf\$" /proc/[0-9]*/environ | cut -d / -f 3
)

# free_port: one that nobody listens on.
free_port() {
  local port
  while port=$((20000 + RANDOM % 10000)); do
    (: >/dev/tcp/127.0.0.1/$port) 2>/dev/null || { echo $port; return; }
  done
}

start_cluster() {
  mkdir -p "$cluster"/{log,state,spool,tmp-n1,tmp-n2}
  chmod 755 "$cluster"
  head -c 1024 /dev/urandom >"$cluster/munge.key"
  chmod 600 "$cluster/munge.key"
  munged --foreground --force --socket="$cluster/munge.socket" --key-file="$cluster/munge.key" --pid-file="$cluster/munge.pid" \
    --log-file="$cluster/log/munged" --seed-file="$cluster/munge.seed" </dev/null >/dev/null 2>&1 &
  disown
  await 10 "munged" test -S "$cluster/munge.socket"
  # cred_expire, 5 s at least, is also how long a requeued job waits.
  cat >"$SLURM_CONF" <<CONF
ClusterName=test
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmctldPort=$(free_port)
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
CryptoType=crypto/munge
AuthInfo=socket=$cluster/munge.socket,cred_expire=5
StateSaveLocation=$cluster/state
SlurmctldPidFile=$cluster/slurmctld.pid
SlurmdPidFile=$cluster/slurmd-%n.pid
SlurmdSpoolDir=$cluster/spool/%n
TmpFS=$cluster/tmp-%n
SlurmctldLogFile=$cluster/log/slurmctld
SlurmdLogFile=$cluster/log/slurmd-%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
SchedulerParameters=sched_interval=1,sched_min_interval=100000,bf_interval=1
ReturnToService=2
JobRequeue=1
KillWait=3
SlurmdTimeout=5
MessageTimeout=5
NodeName=n1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=$(free_port) CPUs=4 RealMemory=1000
NodeName=n2 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=$(free_port) CPUs=4 RealMemory=1000
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=60
$(printf '%s\n' "$@")
CONF
  slurmctld -D -i </dev/null >/dev/null 2>&1 &
  disown
  start_node n1
  start_node n2
  await 30 "two idle nodes" are_idle 2
}

are_idle() { [ "$(timeout 5 sinfo -h -N -t idle -o %N 2>/dev/null | sort -u | wc -l)" = "$1" ]; }

start_node() {
  SLURMD_NODENAME=$1 slurmd -D -N "$1" </dev/null >/dev/null 2>&1 &
  disown
}

# Its slurmd and what runs in jobs there; the slurmstepd above these, which overwrites its environment.
kill_node() {
  local pid parent
  while read -r pid; do
    tr '\0' '\n' 2>/dev/null <"/proc/$pid/environ" | grep -qx "SLURMD_NODENAME=$1" || continue
    parent=$(awk '{ sub(/.*\) /, ""); print $2 }' "/proc/$pid/stat" 2>/dev/null)
    [[ $(tr '\0' ' ' 2>/dev/null <"/proc/${parent:-0}/cmdline") != slurmstepd:* ]] || kill -KILL "$parent" 2>/dev/null
    kill -KILL "$pid" 2>/dev/null
  done < <(ours)
}

stop_cluster() {
  local code=$? pids
  trap - EXIT INT TERM
  jobs -p | xargs -r kill 2>/dev/null
  while mapfile -t pids < <(ours) && ((${#pids[@]})); do
    kill -KILL "${pids[@]}" 2>/dev/null
    sleep 0.1
  done
  rm -rf "$cluster"
  exit "$code"
}
