#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# From a fresh Debian 12 machine to a trained model: installs what is missing, builds, then preprocesses, trains
# and evaluates on UCI Adult (inputs/adult.toml) with 2 ranks. A second run takes seconds: what is done stays done.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source runs/packages.sh

jobs=${JOBS:-2}   # compile jobs; each takes about 1 GB
ranks=2
deck=inputs/adult.toml
run=runs/adult    # run.output of the deck

need_packages "${program_packages[@]}"

if [[ ! -f build/build.ninja ]]; then
  tests=ON
  [[ -e /usr/include/catch2/catch.hpp || -e /usr/include/catch2/catch_all.hpp ]] || tests=OFF
  cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DTESSEREC_TESTS=$tests >&2
fi
ninja -C build -j "$jobs" tesserec >&2
tesserec=build/tesserec

as_root=()
[[ $(id -u) == 0 ]] && as_root=(--allow-run-as-root)
parallel() { mpirun "${as_root[@]}" --oversubscribe -n "$ranks" "$@" </dev/null; }

done_mark=$run/data/.whole    # younger than what it was made from: preprocessing came to its end
is_up_to_date() {
  local input
  for input in "$deck" inputs/data/adult.*.gz; do [[ $done_mark -nt $input ]] || return 1; done
  [[ -f $run/data/train.h5 && -f $run/data/evaluate.h5 ]]
}
if is_up_to_date; then
  echo "The data set is up to date: $run/data" >&2
else
  parallel "$tesserec" preprocess "$deck"
  touch "$done_mark"
fi
parallel "$tesserec" train "$deck"   # resumes by itself; a finished run is found finished
result=$(parallel "$tesserec" evaluate "$deck" --json)

number() { sed -nE "s/.*\"$1\": *([0-9.eE+-]+).*/\1/p" <<<"$result" | head -n 1; }
auc=$(number auc)
if [[ -z $auc ]]; then
  echo "evaluate gave no AUC: $result" >&2
  exit 1
fi
echo
fmt -w 110 <<EOF
The model reaches a test AUC of $(printf %.4f "$auc") on the $(number samples) people of UCI Adult's test file. Its
checkpoint is in $run/checkpoints, its metrics, one JSON object a line, in $run/metrics.jsonl. Next, look at every key
of a deck with "build/tesserec describe", change one for a run of its own with "build/tesserec train $deck --set
run.output=runs/adult_cat --set model.interaction=cat", make clicks of the Criteo Kaggle shape with
inputs/kaggle_synthetic.toml, or bring your own log: docs/data.md says how.
EOF
