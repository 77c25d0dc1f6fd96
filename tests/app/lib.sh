# Functions that the scripts of this folder share. Sourced.
set -uo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0
. "$(dirname "${BASH_SOURCE[0]}")/../mpi.sh"

complain() {
  echo "FAILED: $*"
  echo "--- exit code $code; stdout:"; cat "$folder/out"
  echo "--- stderr:"; cat "$folder/err"
  failures=$((failures + 1))
}

# run PROGRAM ARGS...: runs on $RANKS ranks (one: without a launcher); sets $code and writes $folder/out, $folder/err.
# Kills a hang after 60 s.
run() {
  local launch="$LAUNCH $RANKS"
  [ "$RANKS" -gt 1 ] || launch=
  # shellcheck disable=SC2086
  timeout 60 $launch "$@" >"$folder/out" 2>"$folder/err" </dev/null
  code=$?
}

# must_fail "part of the message" ARGS...: checks exit code 2, that message once, nothing on stdout.
must_fail() {
  local part=$1
  shift
  run "$TESSEREC" "$@"
  [ "$code" = 2 ] || complain "exit code $code, not 2: tesserec $*"
  [ "$(grep -c '^tesserec: ' "$folder/err")" = 1 ] || complain "not one message: tesserec $*"
  grep -qF -- "$part" "$folder/err" || complain "the message lacks \"$part\": tesserec $*"
  [ ! -s "$folder/out" ] || complain "something on stdout: tesserec $*"
}

# must_succeed "part of stdout" ARGS...: checks exit code 0 and the part.
must_succeed() {
  local part=$1
  shift
  run "$TESSEREC" "$@"
  [ "$code" = 0 ] || complain "exit code $code, not 0: tesserec $*"
  grep -qF -- "$part" "$folder/out" || complain "stdout lacks \"$part\": tesserec $*"
  ! grep -q '^tesserec: ' "$folder/err" || complain "a message: tesserec $*"
}

finish() {
  [ "$failures" = 0 ] && echo "all as expected"
  exit $((failures > 0))
}
