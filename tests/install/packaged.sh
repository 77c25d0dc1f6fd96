#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# packaged.sh: uses an installation without the source tree: the decks train, manual pages and completion work.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../mpi.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
share=$OUTSIDE/prefix/share
PATH=$OUTSIDE/prefix/bin:$PATH
fail() { echo "FAILED: $*"; exit 1; }

# The program prints its places.
tesserec --help | grep -qxF "  $share/tesserec: decks, train.sbatch, site files and examples, to copy" || fail "help does not name the decks"
tesserec --help | grep -qxF "  $share/doc/tesserec: documentation, beginning with README.md" || fail "help does not name the documentation"

cp -r "$share/tesserec/inputs" .
tesserec preprocess inputs/adult.toml 2>log || fail "preprocess: $(cat log)"
# shellcheck disable=SC2086
$LAUNCH 2 tesserec train inputs/adult.toml --set train.epochs=1 </dev/null 2>log || fail "train: $(cat log)"
auc=$(tesserec evaluate inputs/adult.toml --json 2>log | sed -nE 's/.*"auc": *0\.([0-9]{2}).*/\1/p')
((auc >= 88)) || fail "the AUC is 0.$auc"

if command -v man >/dev/null; then
  man -M "$share/man" -P cat tesserec-train 2>log | grep -q "train from the newest checkpoint or from the start" || fail "man tesserec-train"
  man -M "$share/man" -P cat 5 tesserec-deck 2>log | grep -q batch_size || fail "man tesserec-deck"
fi
(
  set +eu
  # shellcheck source=/dev/null
  source "$share/bash-completion/completions/tesserec"
  COMP_LINE="tesserec train --set train.batch_s" COMP_POINT=34
  _tesserec
  [[ ${COMPREPLY[*]} == train.batch_size= ]]
) || fail "completion"
echo "all as expected"
