#!/usr/bin/env bash
# Failures on one rank or on all: exit code 2, one message, no hang. Codes other than failures reach the launcher.
. "$(dirname "$0")/lib.sh"
last=$((RANKS - 1))
probe() { run "$VERDICT_PROBE" "$@"; }
expect() {
  [ "$code" = "$1" ] || complain "$2: exit code $code, not $1"
  [ "$(grep -c '^tesserec: ' "$folder/err")" = "$3" ] || complain "$2: not $3 message(s)"
  [ "$(grep '^noted: ' "$folder/err" | cut -d ' ' -f 2-)" = "$(grep '^tesserec: ' "$folder/err" | cut -d ' ' -f 2-)" ] ||
    complain "$2: who speaks does not note it"
}
probe succeed;           expect 0 "success" 0
probe all;               expect 2 "failure on all ranks" 1
grep -q '^tesserec: rank 0 failed' "$folder/err" || complain "the lowest rank speaks"
probe "one-$last";       expect 2 "failure on the last rank, the others done" 1
grep -q "^tesserec: rank $last failed" "$folder/err" || complain "the failing rank speaks"
if [ "$RANKS" -gt 1 ]; then
  probe "stuck-$last";   expect 2 "failure on the last rank, the others wait for it" 1
  probe "stuck-0";       expect 2 "failure on rank 0, the others wait for it" 1
fi
probe "code-$last";      expect 85 "exit code 85 on one rank" 0

# One message after a signal, though the launcher sends SIGTERM to the other ranks when one aborts, and kills them a
# second later.
kills_late() { OMPI_MCA_odls_base_sigkill_timeout=1 probe "$@"; }
kills_late signal;            expect 138 "a signal to ranks that do not look for it" 1
if [ "$RANKS" -gt 1 ]; then
  for rank in 0 "$last"; do
    kills_late "signal-$rank"; expect 138 "a signal that rank $rank does not look for" 1
  done
fi

# Ranks that others wait for, with a patience of 2 s.
if [ "$RANKS" -gt 1 ]; then
  for rank in 0 "$last"; do
    probe "stops-$rank"
    [ "$code" = 2 ] || complain "rank $rank is stopped: exit code $code, not 2"
    grep -qE "^tesserec: rank $rank \(process [0-9]+ on [^;]*; it was stopped by a signal such as SIGSTOP\): no answer for 2 s" "$folder/err" ||
      complain "the stopped rank $rank is named"
    probe "hangs-$rank"
    [ "$code" = 2 ] || complain "rank $rank hangs in the kernel: exit code $code, not 2"
    grep -qE "^tesserec: rank $rank \(.*, last seen at act 7; it waits for a disk or a network file system\): no sign of work for 2 s" "$folder/err" ||
      complain "the rank $rank that hangs is named"
    probe "works-$rank"; expect 0 "rank $rank works longer than the others are patient" 0
  done
fi

# The launcher started several tasks, but MPI sees one.
launcher() { # CODE VARIABLE...
  env -u OMPI_COMM_WORLD_SIZE -u PMI_SIZE "${@:2}" "$VERDICT_PROBE" launcher >"$folder/out" 2>"$folder/err"
  code=$?
  expect "$1" "${*:2}, one rank" $(($1 / 2))
}
launcher 2 SLURM_NTASKS=4
grep -q '4 tasks (SLURM_NTASKS).*`srun --mpi=pmix`' "$folder/err" || complain "the message tells srun --mpi=pmix"
launcher 2 PMI_SIZE=3 SLURM_NTASKS=3  # mpirun or srun of another MPI
grep -q '3 tasks (PMI_SIZE)' "$folder/err" || complain "the message tells PMI_SIZE"
launcher 0 SLURM_NTASKS=1
launcher 0 OMPI_COMM_WORLD_SIZE=1 SLURM_NTASKS=4
finish
