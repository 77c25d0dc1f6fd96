#!/usr/bin/env bash
# shellcheck source-path=SCRIPTDIR
# SPDX-License-Identifier: Apache-2.0
# Two jobs in one folder: the second waits run.lock_wait seconds and then refuses; the first does not notice. If the
# first dies, the second continues. Outcomes as in faults.sh.
#   tests/faults/jobs.sh [RANKS...]
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
[ $# -gt 0 ] || set -- 1 3
small=(--json --set train.epochs=1000000 --set train.log_every=500 --set checkpoint.every_steps=200 --set checkpoint.keep=2)

# job NAME RANKS ARGS...: starts a job in the background as $job; out, err and code are in NAME/.
job() {
  local name=$1 ranks=$2
  shift 2
  mkdir -p "$name"
  rm -f "$name/code"
  (
    trap - EXIT INT TERM
    logs=$name mark=$name.$ranks
    attempt "$ranks" -- "$@"
    echo "$code" >"$name/code"
  ) &
  job=$!
}

await_steps() {
  for _ in $(seq 600); do
    [ -s run/metrics.jsonl ] && return
    sleep 0.05
  done
  echo "FAILED: training does not begin"
  cat ./*/err
  exit 1
}

# right: checks that the folder's training continues for some steps, with the bits of an undisturbed run.
right() {
  local last steps
  last=$(find run/checkpoints -name 'step_*[0-9]' | sort | tail -n 1)
  steps=$((10#${last##*_} + 10))
  logs=.
  attempt 1 -- train deck.toml "${small[@]}" --set "train.steps=$steps" || return 1
  local went_on
  went_on=$(digests)
  [ "$code" = 0 ] || return 1
  attempt 1 -- train deck.toml "${small[@]}" --set "train.steps=$steps" --set run.output=alone
  [ "$code" = 0 ] && [ -n "$went_on" ] && [ "$went_on" = "$(digests)" ]
  local same=$?
  rm -rf alone
  return $same
}

for ranks; do
  # The second is refused while the first runs until it is told to end.
  mkdir -p "$folder/two.$ranks" && cd "$folder/two.$ranks" || exit 1
  planted_deck deck.toml
  sed -i "s|$folder/||g" deck.toml
  LIMIT=120 job first "$ranks" train deck.toml "${small[@]}"
  first=$job
  await_steps
  logs=second
  mkdir second
  # More steps than the first will have: a second job that is let in has work to do.
  attempt "$ranks" -- train deck.toml "${small[@]}" --set run.lock_wait=1 --set train.steps=1000
  case $code in
    2) if grep -q 'is in use by' second/err; then outcome=reported; else outcome=crash; fi ;;
    0) outcome=silent ;;
    hang) outcome=hang ;;
    *) outcome=crash ;;
  esac
  record two-jobs "$ranks" second "$outcome" "code $code: $(message)"
  [ -s first/code ] && record two-jobs "$ranks" first crash "ended with code $(cat first/code) beside the second"
  logs=first
  for pid in $(marked "$session.first.$ranks."); do
    [ "$(readlink "/proc/$pid/exe")" = "$TESSEREC" ] && kill -TERM "$pid"
  done
  wait "$first"
  code=$(cat first/code)
  if [ "$code" != 85 ]; then
    record two-jobs "$ranks" first crash "code $code: $(message)"
  elif right; then
    record two-jobs "$ranks" first ok "code 85"
  else
    record two-jobs "$ranks" first lost "other bits afterwards: $(message)"
  fi

  # The first is killed while the second waits, and in another case before the second starts.
  for when in waits begins; do
    rm -rf run
    LIMIT=120 job first "$ranks" train deck.toml "${small[@]}"
    first=$job
    await_steps
    [ $when = waits ] || { end_all "$session.first.$ranks."; wait "$first"; }
    job second "$ranks" train deck.toml "${small[@]}" --set run.lock_wait=60 --set train.steps=2000
    [ $when = begins ] || { sleep 1.5; end_all "$session.first.$ranks."; wait "$first"; }
    wait "$job"
    code=$(cat second/code) logs=second
    case $code in
      0) if right; then outcome=ok; else outcome=lost; fi ;;
      2) outcome=lost ;;
      hang) outcome=hang ;;
      *) outcome=crash ;;
    esac
    record two-jobs "$ranks" "$when" "$outcome" "first killed, second $when: code $code"
  done
done
cd "$folder" || exit 1
table
