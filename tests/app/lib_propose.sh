# shellcheck shell=bash
# Decks of preprocess --propose, for the tests of it. Sourced behind lib.sh.

# prepare NAME FILE...: proposes a deck for the files and preprocesses by it.
prepare() {
  local name=$1
  shift
  rm -rf runs
  run "$TESSEREC" preprocess --propose "$@"
  [ "$code" = 0 ] || complain "no deck for $*"
  cp out "$name.toml"
  run "$TESSEREC" preprocess "$name.toml"
  [ "$code" = 0 ] || complain "$(cat "$name.toml"); preprocess refuses the deck for $*"
  cp err "$name.txt"
}

# says NAME TEXT...: checks that the deck has the texts.
says() {
  local name=$1 text
  shift
  for text in "$@"; do
    grep -qF -- "$text" "$name.toml" || complain "$(cat "$name.toml"); the deck lacks: $text"
  done
}
