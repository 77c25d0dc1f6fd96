# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034  # some of it is for those that source it
# Sourced by the scripts beside it: one timed training, and the median of several.
program=${TESSEREC:-build/tesserec}
repeats=${REPEATS:-3}
steps=${STEPS:-30}
threads=${THREADS:-1} # of a rank, where Kokkos has them
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mpirun=(mpirun --oversubscribe)
[[ $(id -u) == 0 ]] && mpirun+=(--allow-run-as-root)
cores=$(nproc)

if [[ ! -x $program ]]; then
  echo "$0: $program is not there; build first, or set TESSEREC" >&2
  exit 2
fi

# launch RANKS COMMAND...: on cores of their own, where there are enough.
launch() {
  local ranks=$1 bind=()
  shift
  ((ranks * threads <= cores)) && bind=(--map-by "slot:PE=$threads" --bind-to core)
  OMP_NUM_THREADS=$threads OMP_PROC_BIND=true "${mpirun[@]}" -n "$ranks" "${bind[@]}" "$@"
}

# json RANKS OVERRIDE...: the result of one training without checkpoint or evaluation.
json() {
  local ranks=$1 overrides=()
  shift
  for override in "$@"; do overrides+=(--set "$override"); done
  launch "$ranks" "$program" train inputs/kaggle_synthetic.toml --json \
    --set run.output="$folder/run" --set checkpoint.keep=0 --set checkpoint.resume=never \
    --set data.synthetic.evaluate_samples=0 --set train.steps="$steps" "${overrides[@]}" 2> "$folder/log" ||
    { cat "$folder/log" >&2; exit 1; }
}

# field NAME < JSON: its last number of this name; figures of parts come before the whole.
field() { grep -o "\"$1\": *[-+.0-9eE]*" | tail -n 1 | sed 's/.*: *//'; }

# median < NUMBERS: one a line.
median() { sort -g | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }

# step_milliseconds RANKS OVERRIDE...: of one training, the median step without the time that the generator takes.
step_milliseconds() {
  local text
  text=$(json "$@") || exit 1
  awk -v step="$(field step_seconds <<< "$text")" -v data="$(field 'next batch' <<< "$text")" -v n="$steps" \
    'BEGIN { print 1000 * (step - data / n) }'
}

# milliseconds RANKS OVERRIDE...: the median of several trainings.
milliseconds() {
  local i
  for ((i = 0; i < repeats; ++i)); do step_milliseconds "$@"; done | median
}
