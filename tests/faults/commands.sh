# shellcheck shell=bash disable=SC2154,SC2034 source-path=SCRIPTDIR
# SPDX-License-Identifier: Apache-2.0
# The commands that write: their input, their run, and the check of their output. Sourced after lib.sh.
#   base/COMMAND        a folder with old output
#   base/COMMAND.old    checksums of that output, base/COMMAND.new of the output of an undisturbed run; both verified
# In a folder, `arguments COMMAND` fills $arguments, and `output COMMAND` names the output folder. checkpoint: the next
# step's checkpoint replaces the one of the step before. replace: another one of the same step. metrics: many lines and
# one checkpoint. Each divides its output into at least four parts, so that each of four ranks writes.

output() {
  case $1 in
    checkpoint | replace | metrics) echo run ;;
    preprocess) echo data ;;
    predict) echo scores ;;
  esac
}

arguments() {
  local few='--set checkpoint.every_steps=1 --set checkpoint.keep=1 --set train.steps=3'
  case $1 in
    checkpoint) read -ra arguments <<<"train deck.toml --json $few" ;;
    replace) read -ra arguments <<<"train deck.toml --json --set train.steps=2 --set run.seed=2 --set checkpoint.resume=never --set run.overwrite=true" ;;
    # Enough lines for several blocks of a disk, and only the last checkpoint.
    metrics) read -ra arguments <<<"train deck.toml --json --set checkpoint.keep=1 --set train.log_every=1 --set train.epochs=40 --set train.steps=80" ;;
    preprocess) read -ra arguments <<<'preprocess criteo.toml' ;;
    predict) read -ra arguments <<<'predict deck.toml --scores scores/scores.h5 --set checkpoint.resume=run/checkpoints/step_000000002' ;;
  esac
  small_parts "$1"
  arguments+=("${parts[@]}")
}

# Sets $parts to the bytes of a part.
small_parts() {
  case $1 in
    preprocess | data*) parts=(--set run.part_bytes=8192) ;;
    *) parts=(--set run.part_bytes=640) ;;
  esac
}

undisturbed() { # undisturbed ARGS...
  attempt 1 -- "$@" "${parts[@]}"
  [ "$code" = 0 ] || { echo "FAILED without any fault: $*: exit code $code"; cat "$logs/err"; exit 1; }
}

# Makes both decks with paths relative to their folder.
small_decks() {
  planted_deck deck.toml
  criteo_deck criteo.toml
  sed -i "s|$folder/||g; s/^samples = .*/samples = 200/; s/^evaluate_samples = .*/evaluate_samples = 300/" deck.toml criteo.toml
  sed -Ei 's|"raw/(train\|test).txt"|"raw/\1.0.txt", "raw/\1.1.txt", "raw/\1.2.txt", "raw/\1.3.txt"|' criteo.toml
}
# deal_rows: splits raw/*.txt into four files each, one per rank.
deal_rows() {
  split -n l/4 -d -a 1 --additional-suffix=.txt raw/train.txt raw/train.
  split -n l/4 -d -a 1 --additional-suffix=.txt raw/test.txt raw/test.
}

# whole COMMAND: checks that the output is verified and in parts.
whole() {
  local one
  for one in $(outputs "$1"); do
    if ! verified "$one"; then
      echo "FAILED: verify refuses $one of an undisturbed $1"
      cat verify
      exit 1
    fi
    grep -q 'with [0-9]* parts' verify || { echo "FAILED: $one of $1 has no parts"; exit 1; }
  done
  rm -f verify
}
outputs() {
  case $1 in
    checkpoint | replace | metrics) find run/checkpoints -name 'step_*[0-9]' ;;
    preprocess) echo data/train.h5 data/evaluate.h5 ;;
    predict) echo scores/scores.h5 ;;
  esac
}

# make_bases: makes old outputs and the checksums of the new ones, for the commands in $commands.
make_bases() {
  local command
  mkdir -p "$folder/base/checkpoint" "$folder/next" && cd "$folder/base/checkpoint" || exit 1
  small_decks
  mv "$folder/raw" "$folder/raw.new"
  small_parts checkpoint
  undisturbed train deck.toml --set train.steps=2 --set checkpoint.every_steps=1 --set checkpoint.keep=1
  cp -a . ../metrics
  cp -a . ../replace

  # Scores of the first step's weights, which those of the second step replace.
  mkdir ../predict && cd ../predict && cp -a ../checkpoint/{deck.toml,run} .
  undisturbed train deck.toml --set train.steps=1 --set run.output=first
  mkdir scores
  undisturbed predict deck.toml --scores scores/scores.h5 --set checkpoint.resume=first/checkpoints/step_000000001
  rm -r first

  # A dataset of fewer rows, which the new one replaces.
  mkdir -p ../preprocess/raw && cd ../preprocess && cp ../checkpoint/criteo.toml .
  head -n 150 "$folder/raw.new/train.txt" >raw/train.txt
  head -n 60 "$folder/raw.new/test.txt" >raw/test.txt
  deal_rows
  small_parts preprocess
  undisturbed preprocess criteo.toml
  cp "$folder"/raw.new/* raw/
  deal_rows

  for command in "${commands[@]}"; do
    cd "$folder/base/$command" && rm -f out err
    whole "$command"
    sums "$(output "$command")" >"../$command.old"
    cp -a . ../whole && cd ../whole || exit 1
    arguments "$command"
    undisturbed "${arguments[@]}"
    digests >"../$command.digests"
    metrics run/metrics.jsonl >"../$command.metrics"
    sums "$(output "$command")" >"../$command.new"
    whole "$command"
    cmp -s "../$command.old" "../$command.new" && { echo "FAILED: $command changes nothing"; exit 1; }
    cd .. && rm -r whole
  done
}

new_stands() { holds "$(output "$1")" "$base/$1.new" && same_metrics "$1"; }
old_stands() { holds "$(output "$1")" "$base/$1.old" || { [ "$1" = replace ] && set_aside; }; }
same_metrics() {
  case $1 in checkpoint | replace | metrics) ;; *) return 0 ;; esac
  diff -q <(metrics run/metrics.jsonl) "$base/$1.metrics" >/dev/null
}
# Between two renames, the older checkpoint of the same step has the name STEP.old and is readable there.
set_aside() {
  [ ! -e run/checkpoints/step_000000002 ] &&
    cmp -s <(sums run | grep step_000000002.old/ | sed 's/\.old//') "$base/replace.old" &&
    "$TESSEREC" evaluate deck.toml >/dev/null 2>&1
}

# A checkpoint under its plain name is whole, old or new: a torn one must never look whole.
torn() {
  local one
  for one in run/checkpoints/step_*[0-9]; do
    [ ! -d "$one" ] || grep -qxF -- "$(sums run | grep -F "/${one##*/}/" | tr '\n' '|')" \
      <(for list in "$base/$1".{old,new}; do grep -F "/${one##*/}/" "$list" | tr '\n' '|' && echo; done) || return 0
  done
  return 1
}

# outcome COMMAND KIND: judges the last attempt by $code and its output; sets $outcome and $detail.
outcome() {
  local command=$1 kind=$2 first_code=$code
  detail="code $code: $(message)"
  if [ "$code" = 0 ]; then
    outcome=ok
    if ! new_stands "$command"; then
      outcome=silent
      detail="exit code 0 but other output"
    elif [ "$(digests)" != "$(cat "$base/$command.digests")" ]; then
      outcome=silent
      detail="exit code 0 but other digests"
    fi
    ! is "$(output "$command")" "$base/$command.new" || return 0
  elif [ "$code" = hang ]; then
    outcome=hang
  elif [ "$code" = 137 ] && [ "$kind" = KILL ]; then
    outcome=ok
  elif [ "$code" = 2 ] && has_message; then
    outcome=reported
  else
    outcome=crash
  fi
  # Only output that was replaced already is called trash.
  case $detail in
    *.trash*'has no checkpoint'*)
      outcome=crash
      detail="$detail: wrong"
      ;;
  esac
  # The old or the new output exists, bit for bit.
  case $command in
    checkpoint | replace | metrics)
      if torn "$command"; then
        outcome=lost
        detail="$detail, a torn checkpoint under a plain name"
      fi
      ;;
  esac
  if ! old_stands "$command" && ! holds "$(output "$command")" "$base/$command.new"; then
    if [ "$command" != preprocess ] || ! mixed; then
      outcome=lost
      detail="$detail, old output gone"
    elif [ "$(remembered mixed mixed_is_refused)" != ok ]; then
      outcome=silent
      detail="$detail, old and new files of a data set are trained on together"
    else
      detail="$detail, new train.h5 beside the old evaluate.h5"
    fi
  fi
  # The next run succeeds too.
  local next
  next=$(remembered "$command" next_run "$command")
  if [ "$next" != ok ]; then
    outcome=lost
    detail="$detail; next run: $next"
  fi
  code=$first_code
}

# remembered NAME FUNCTION ARGS...: prints the function's result, computed once for all cases with the same bytes.
remembered() {
  local name=$1 key said
  shift
  key=$({ sums .; find . -mindepth 1 -type d; metrics run/metrics.jsonl; } | grep -vE ' \./(out|err|verify)$' | sort | sha256sum | cut -c 1-32)
  said=$folder/next/$name.$key
  if [ ! -s "$said" ]; then
    "$@" >"$said.$BASHPID" && mv "$said.$BASHPID" "$said"
  fi
  cat "$said"
}

# next_run COMMAND: prints "ok", or the fault of a run without planted faults.
next_run() {
  local command=$1
  [ -z "${restore:-}" ] || $restore
  attempt 1 -- "${arguments[@]}"
  if [ "$code" != 0 ]; then
    echo "code $code: $(message)"
  elif ! new_stands "$command" || [ "$(digests)" != "$(cat "$base/$command.digests")" ]; then
    echo "other output"
  elif ! is "$(output "$command")" "$base/$command.new" && ! tidied "$command"; then
    echo "leaves $(find "$(output "$command")" | tr '\n' ' ')"
  else
    echo ok
  fi
}

# A finished run writes no more checkpoint; a run that writes one cleans everything up.
tidied() {
  [ "$1" = checkpoint ] || return 1
  attempt 1 -- "${arguments[@]}" --set train.steps=4 --set train.epochs=2
  [ "$code" = 0 ] && [ "$(find run/checkpoints -mindepth 1 -maxdepth 1)" = run/checkpoints/step_000000004 ] &&
    verified run/checkpoints/step_000000004
}

# A failure between the renames of two files leaves each whole, old or new.
mixed() {
  local name
  for name in train evaluate; do
    sums data | grep -F " ./$name.h5" | grep -qxFf <(cat "$base"/preprocess.{old,new}) || return 1
    verified data/$name.h5 || return 1
  done
}
mixed_is_refused() {
  attempt 1 -- train criteo.toml --set run.output=after
  rm -rf after
  if [ "$code" = 2 ] && has_message; then echo ok; else echo "code $code"; fi
}
base=$folder/base
