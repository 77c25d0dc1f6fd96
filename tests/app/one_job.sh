#!/usr/bin/env bash
# One job, one deck, on two ranks: if rank 1 has anything else, all ranks end with exit code 2 and one message. It names
# the rank, the difference and both values. tests/one_deck.sh tests every key of a deck.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_samples.sh"
deck="$folder/deck.toml"
planted_deck "$deck"
launcher=${LAUNCH% *} flag=${LAUNCH##* }

# differ "part of the message" RANK-0-WORDS... : RANK-1-WORDS...
differ() {
  local part=$1
  shift
  # shellcheck disable=SC2086
  timeout 60 $launcher $flag 1 $(printf '%s\n' "$@" | sed "s/^:\$/: $flag 1/") >"$folder/out" 2>"$folder/err" </dev/null
  code=$?
  [ "$code" = 2 ] || complain "exit code $code, not 2: $*"
  [ "$(grep -c '^tesserec: ' "$folder/err")" = 1 ] || complain "not one message: $*"
  grep -qF -- "$part" "$folder/err" || complain "the message lacks \"$part\": $*"
  [ ! -s "$folder/out" ] || complain "something on stdout: $*"
}
T=$TESSEREC

# Values of keys, and files whose other text may differ.
differ 'rank 1: optimizer.dense.lr is 0.1, rank 0 has 0.05; start all ranks' $T train "$deck" : $T train "$deck" --set optimizer.dense.lr=0.1
differ 'rank 1 has no table.C1.name, which is "C1" on rank 0' $T check "$deck" --set 'table=[{name="C1"}]' : $T check "$deck"
{ echo '# another text'; cat "$deck"; } >"$folder/same.toml"
sed 's/^lanes = 4/lanes = 8/' "$deck" >"$folder/other.toml"
differ 'rank 1: train.lanes is 8, rank 0 has 4' $T train "$deck" : $T train "$folder/other.toml"
# shellcheck disable=SC2086
timeout 60 $launcher $flag 1 $T check "$deck" : $flag 1 $T check "$folder/same.toml" >"$folder/out" 2>"$folder/err"
code=$?
[ $code = 0 ] || complain "two texts of one deck are refused"

# A deck that one rank cannot read, a wrong word, another command, option, argument.
differ 'none.toml: cannot read the deck' $T train "$deck" : $T train "$folder/none.toml"
differ '--set 1: train.lanes must be a power of two' $T evaluate "$deck" : $T evaluate "$deck" --set train.lanes=3
differ 'has no option --fast' $T train "$deck" : $T train "$deck" --fast
differ 'rank 1: the command is evaluate, rank 0 has train' $T train "$deck" : $T evaluate "$deck"
differ 'rank 1: the command is --help, rank 0 has train' $T train "$deck" : $T --help
differ 'rank 1: --json is given, rank 0 has none' $T train "$deck" : $T train "$deck" --json
differ 'rank 1: --scores is b.h5, rank 0 has a.h5' $T predict "$deck" --scores a.h5 : $T predict "$deck" --scores=b.h5
differ 'rank 1: the path is b, rank 0 has a' $T verify a : $T verify b
differ "rank 1: --ranks is 4, rank 0 has 2" $T plan "$deck" --ranks 2 : $T plan "$deck" --ranks 4

# Other programs, working folders and environments.
cp "$T" "$folder/patched"
printf '\0' >>"$folder/patched"
differ 'rank 1: the program is tesserec ' $T check "$deck" : "$folder/patched" check "$deck"
mkdir "$folder/elsewhere"
differ "rank 1: the working folder is $folder/elsewhere, rank 0 has " $T check "$deck" : env -C "$folder/elsewhere" $T check "$deck"
differ "rank 1: the environment's NVIDIA_TF32_OVERRIDE is 1, rank 0 has none" $T check "$deck" : env NVIDIA_TF32_OVERRIDE=1 $T check "$deck"

# Files under one path: rank 1 has a mount of its own, if that is permitted.
if unshare -m true 2>/dev/null; then
  $T plan "$deck" --json --ranks 2 >"$folder/plan.json" 2>/dev/null
  { cat "$folder/plan.json"; echo; } >"$folder/stale.json"
  over="mount --bind $folder/stale.json $folder/plan.json && exec $T check $deck --set plan.file=$folder/plan.json"
  printf '%s\n' "$over" >"$folder/over.sh"
  differ 'rank 1: the file of plan.file is ' $T check "$deck" --set "plan.file=$folder/plan.json" : unshare -m sh "$folder/over.sh"

  # Files that evaluate, predict and verify read: data, scores, checkpoints. other FILE COMMAND...: rank 1 sees another
  # file.
  other() {
    local seen=$1 old=$2
    shift 2
    printf 'mount --bind %s %s && exec %s %s\n' "$old" "$seen" "$T" "$*" >"$folder/over.sh"
    differ "rank 1: $seen is " $T "$@" : unshare -m sh "$folder/over.sh"
  }
  criteo_deck "$folder/files.toml"
  $T preprocess "$folder/files.toml" >/dev/null 2>&1
  $T train "$folder/files.toml" >/dev/null 2>&1
  $T predict "$folder/files.toml" >/dev/null 2>&1
  scores=$folder/run/scores.h5 first=$(echo "$folder"/run/checkpoints/step_*)
  $T train "$folder/files.toml" --set run.seed=2 --set "run.output=$folder/other" >/dev/null 2>&1
  $T predict "$folder/files.toml" --set run.seed=2 --set "run.output=$folder/other" >/dev/null 2>&1
  $T preprocess "$folder/files.toml" --set "preprocess.evaluate=$folder/raw/train.txt" --set "preprocess.output=$folder/later" >/dev/null 2>&1
  for command in evaluate predict train; do
    other "$folder/data/evaluate.h5" "$folder/later/evaluate.h5" $command "$folder/files.toml"
  done
  other "$scores" "$folder/other/scores.h5" verify "$scores"
  for command in "verify $first" "evaluate $folder/files.toml" "predict $folder/files.toml"; do
    # shellcheck disable=SC2086
    other "$first" "$(echo "$folder"/other/checkpoints/step_*)" $command
  done
else
  echo "skipped: no mounts of one's own"
fi
finish
