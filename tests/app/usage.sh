#!/usr/bin/env bash
# Usage of the command line itself.
. "$(dirname "$0")/lib.sh"
touch "$folder/any.toml"
must_succeed "usage: tesserec COMMAND" --help
must_succeed "usage: tesserec COMMAND" help
must_succeed "usage: tesserec check DECK.toml [OPTION]..." check --help
must_succeed "  --network              print the deck" help check
must_succeed "usage: tesserec bench [DECK.toml] [OPTION]..." bench a.toml -h
must_fail "\"chekc\" is not a command; did you mean check?" help chekc
must_succeed "tesserec " --version
grep -qE '^tesserec [0-9.]+, Kokkos [0-9]+\.[0-9]+\.[0-9]+, HDF5 [0-9]+\.[0-9]+\.[0-9]+, .*[0-9]' "$folder/out" || complain "a version is missing"
must_fail '"chekc" is not a command; did you mean check?' chekc "$folder/any.toml"
must_fail '"frobnicate" is not a command' frobnicate
must_fail 'usage: tesserec COMMAND' frobnicate
must_fail 'tesserec check needs a deck' check
must_fail 'tesserec check takes one deck' check a.toml b.toml
must_fail 'tesserec check has no option --jsno; did you mean --json?' check a.toml --jsno
must_fail 'tesserec check has no option --markdown' check a.toml --markdown
must_fail "has no option --epochs; to set the deck's key, give --set train.epochs=VALUE" train a.toml --epochs 3
must_fail '--set needs a value: --set block.key=value' check a.toml --set
must_fail 'tesserec check: a path must not be empty, but is ""' check ""
must_fail 'tesserec describe takes no deck, but got "a.toml"' describe a.toml
must_fail 'tesserec describe has no option --set' describe --set a.b=1
must_fail '--markdown takes no value, but has "yes"' describe --markdown=yes
must_fail '--json and --markdown are both given' describe --json --markdown
must_fail '--json and --man are both given' describe --json --man "$folder/man"
[ ! -e "$folder/man" ] || complain 'written all the same'
must_fail '--completion must be one of bash | zsh, but is "fish"' describe --completion fish
must_fail '--completion needs a value: --completion SHELL' describe --completion
for option in --log=FILE --vocabulary=FILE --name=NAME; do
  must_fail "${option%=*} needs a value: ${option%=*} ${option#*=}" serve "$folder" "${option%=*}" ""
done
must_fail '--only needs a value: --only PATTERNS' import a.toml --from x --only=
must_fail '--scores needs a value: --scores FILE' predict a.toml --scores ''
must_fail '--to needs a value: --to PATH' export "$folder" --to ''
must_fail '--device must be one of cpu | cuda, but is "tpu"' plan a.toml --device tpu
must_fail "$folder/any.toml" describe --man "$folder/any.toml/man"

# Every command refuses words that a deck's rules for names and paths refuse, on one line.
must_refuse() {
  must_fail "$@"
  [ "$(wc -l <"$folder/err")" = 1 ] || complain "a message of several lines: $2"
}
for command in preprocess generate train evaluate predict plan bench report 'sweep list' 'sweep run' 'sweep collect' verify diff check help; do
  place=2
  [ "${command#sweep }" = "$command" ] || place=3
  # shellcheck disable=SC2086
  must_refuse "argument $place: \"a\\x0Ab\\x1B[31m.toml\" cannot be used: its byte 1 is the control character \\x0A" \
    $command $'a\nb\e[31m.toml'
done
must_refuse 'argument 1: "bad\x0Acommand"' $'bad\ncommand'
must_refuse 'argument 4 after --set: "run.output="a\x0Ab""' check "$folder/any.toml" --set $'run.output="a\nb"'
must_refuse 'argument 3: "--set=run.output=a\xFF" cannot be used: its byte 18 (\xFF) is not UTF-8' \
  check "$folder/any.toml" --set=$'run.output=a\xff'
must_refuse 'argument 4 after --output: "a\u202Eb.html"' report "$folder" --output $'a\xe2\x80\xaeb.html'
must_refuse 'argument 4 after --scores: "a\x09b"' predict "$folder/any.toml" --scores $'a\tb'
must_refuse 'argument 3: "--kokkos-num-threads=\x1B"' train "$folder/any.toml" $'--kokkos-num-threads=\e'
printf '[run]\nname = "a"\n' >"$folder/tab.toml"
must_refuse '--set 1: preprocess.separators is unknown' check "$folder/tab.toml" --set $'preprocess.separators="\t"'

# No word at all: the usage, but no success.
run "$TESSEREC"
[ "$code" = 2 ] || complain "no command: exit code $code"
grep -q '^usage: ' "$folder/out" || complain "no command: no usage"

# Commands that do not compute start without a working MPI; a single rank starts without ssh and the launcher's
# programs.
if [ "$RANKS" = 1 ]; then
  inputs="$(dirname "$0")/../../inputs"
  export OMPI_MCA_pml=none
  run "$TESSEREC" generate "$inputs/reference_batches.toml" --print 1
  [ "$code" != 0 ] || complain "MPI starts all the same"
  must_succeed "tesserec " --version
  must_succeed "usage: " help
  must_succeed "[run]" describe
  must_succeed "tables" check "$inputs/deepfm.toml"
  must_succeed "tables" plan "$inputs/deepfm.toml" --ranks 2
  unset OMPI_MCA_pml
  mkdir "$folder/none"
  run env PATH="$folder/none" "$TESSEREC" generate "$inputs/reference_batches.toml" --print 1
  [ "$code" = 0 ] || complain "no rank without a PATH"
fi

# Output that cannot be written is a failure.
timeout 60 "$TESSEREC" describe >/dev/full 2>"$folder/err"
code=$?
[ "$code" = 2 ] || complain "a full disk: exit code $code"
grep -q 'cannot write to standard output' "$folder/err" || complain "a full disk: no message"
finish
