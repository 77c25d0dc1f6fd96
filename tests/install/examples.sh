#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# examples.sh PROGRAM: checks a program of examples/, or of docs/own_model.md, built by outside.sh against an
# installation. It does what its page says, on 1 to 3 ranks.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../mpi.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
fail() { echo "FAILED: $*"; cat err 2>/dev/null; exit 1; }
# on RANKS PROGRAM ARGS...: runs the program, with its stdout and `err`.
on() {
  # shellcheck disable=SC2086
  timeout 60 $LAUNCH "$1" "$OUTSIDE/$2" "${@:3}" </dev/null 2>err
}
# alike PROGRAM ARGS...: checks that 1, 2 and 3 ranks print the same, and sets $text to it.
alike() {
  text=$(on 1 "$@") || fail "$1"
  head -n 3 <<<"$text"
  for ranks in 2 3; do [ "$(on $ranks "$@")" = "$text" ] || fail "$1 says something else on $ranks ranks"; done
}
# refuses "MESSAGE" RANKS PROGRAM ARGS...: checks exit code 2 and one such message.
refuses() {
  local code=0
  on "${@:2}" >out || code=$?
  [ "$code" = 2 ] && [ "$(grep -c '^tesserec: ' err)" = 1 ] && grep -Eqx "tesserec: $1" err || fail "exit code $code, not 2 with: $1"
}

case $1 in
  lookup)
    for ranks in 1 2 3; do
      [ "$(on $ranks examples/lookup | grep -cx '4000 rows gathered; the sharded tables have the bits of the whole ones')" = 1 ] ||
        fail "lookup on $ranks ranks"
    done
    ;;
  plan)
    "$OUTSIDE/examples/plan" | tee out
    [ "$(grep -cE '^[1248] nodes?: tables take [0-9.e+-]+ ms a step, at most [0-9.e+-]+ % from the best$' out)" = 4 ] || fail "not four machines"
    ;;
  own_layer)
    alike examples/own_layer
    [ "$(grep -c ' gradients agree with differences$' <<<"$text")" = 2 ] || fail "not two checks"
    ;;
  train_loop)
    alike examples/train_loop
    [[ $text =~ ^AUC\ 0\.[0-9]+,\ after\ 79\ steps\ 0\.[78][0-9]*,\ digest\ [0-9a-f]{16}$ ]] || fail "other words"
    ;;
  mmoe)
    expected=$(on 1 examples/mmoe run_1 12) || fail "mmoe"
    echo "$expected"
    [[ $expected == "step 12, loss "*", digest "* ]] || fail "other words"
    for ranks in 2 3; do [ "$(on $ranks examples/mmoe run_$ranks 12)" = "$expected" ] || fail "other bits on $ranks ranks"; done
    for ranks in "2 3" "3 1" "1 2"; do
      read -r before after <<<"$ranks"
      on "$before" examples/mmoe "run_$before$after" 5 >out || fail "5 steps on $before ranks"
      [ "$(on "$after" examples/mmoe "run_$before$after" 12)" = "resumed, $expected" ] || fail "begun on $before ranks, resumed on $after"
    done
    for ranks in 1 2 3; do
      refuses "feature user, sample (0|64|80) of the batch: id 800 is outside table user of 800 rows" $ranks examples/mmoe bad_$ranks 12 bad
    done
    refuses 'usage: mmoe FOLDER STEPS \[bad\]' 2 examples/mmoe
    ;;
  scorer)
    on 2 examples/mmoe run 16 >out || fail "mmoe"
    awk 'BEGIN { for (s = 0; s < 300; ++s) printf "%d,%d;%d,%.2f,%.2f,%.2f,%.2f\n", s * 7 % 800, s % 300, s * 11 % 300, s % 5 - 2, s % 3 - 1, 1, 0 }' >rows.csv
    alike examples/scorer run rows.csv
    [ "$(wc -l <<<"$text")" = 300 ] && tail -n 1 <<<"$text" | grep -Eqx '299,0\.[0-9]+(e-[0-9]+)?,0\.[0-9]+(e-[0-9]+)?' || fail "not 300 scores"
    # Clicked samples have users divisible by 3, or a large first number.
    awk -F, 'NR == FNR { click[NR] = $1 % 3 == 0 || $3 > 1; next } { sum[click[FNR]] += $2; ++count[click[FNR]] }
      END { exit !(sum[1] / count[1] > sum[0] / count[0] + 0.05) }' rows.csv <(echo "$text") || fail "clicks have no higher scores"
    refuses 'run.output: there is no whole checkpoint in nothing/checkpoints; train first, .*' 3 examples/scorer nothing rows.csv
    sed -i '17s/;/;x/' rows.csv
    refuses 'rows.csv:17: "x[0-9]+" is no number' 2 examples/scorer run rows.csv
    ;;
  own_model)  # a program of one's own with all commands: its layer, loss, model and source in a deck, each with keys of its own
    cp "$OUTSIDE/own_model.toml" .
    on 1 build/own_model check own_model.toml | grep -F 'bounded      bounded of all: 20 wide'
    on 1 build/own_model plan own_model.toml --ranks 2 >out
    on 1 build/own_model generate own_model.toml --print 1 | grep -F 'visits: 32 batches of 128 samples'
    digests() { grep -o '"[a-z]*_digest": "[0-9a-f]*"' || fail "no digests"; }
    expected=$(on 1 build/own_model train own_model.toml --json --set run.output=run_1 | digests)
    [ "$(wc -l <<<"$expected")" = 2 ] || fail "not two digests"
    for ranks in 2 3; do
      [ "$(on $ranks build/own_model train own_model.toml --json --set run.output=run_$ranks | digests)" = "$expected" ] || fail "other digests on $ranks ranks"
    done
    on 2 build/own_model train own_model.toml --set run.output=resumed --set train.steps=20 --set checkpoint.every_steps=10 >out || fail "20 steps"
    [ "$(on 3 build/own_model train own_model.toml --json --set run.output=resumed | digests)" = "$expected" ] || fail "begun on 2 ranks, resumed on 3"
    on 2 build/own_model evaluate own_model.toml --json --set run.output=resumed | grep -Eo '"auc": 0\.[89][0-9]*' || fail "clicks were not learnt"
    on 2 build/own_model predict own_model.toml --set run.output=resumed --scores scores.h5 >out || fail "predict"
    # Layer by layer the bits are the same. The deck then has the layer's own key.
    on 1 build/own_model check own_model.toml --network >network.toml
    grep -Fqx 'bound = 2.0' network.toml || fail "no key of the layer in $(cat network.toml)"
    [ "$(on 2 build/own_model train network.toml --json --set run.output=network | digests)" = "$expected" ] || fail "other digests layer by layer"
    # Each own key counts: another value is another task.
    for change in model.input_bound=1.5 model.task_widths=[16] model.loss_purchase=0.25 data.visits.buyers=5; do
      [ "$(on 1 build/own_model train own_model.toml --json --set run.output="run_$change" --set "$change" | digests)" != "$expected" ] || fail "$change changes nothing"
      key=${change%=*}
      refuses ".*was made with $key = .*, but this deck has .*; set it back.*" 2 build/own_model train own_model.toml --set run.output=resumed --set "$change"
    done
    # Ranges, types and lines of errors.
    refuses '--set 1: data\.visits\.buyers must be an integer, at least 1, but is the integer 0' 2 build/own_model check own_model.toml --set data.visits.buyers=0
    refuses '--set 1: model\.loss_purchase must be a finite number, 0 to 100, but is the integer 101' 2 build/own_model check own_model.toml --set model.loss_purchase=101
    refuses 'own_model\.toml:15: model\.loss_purchase does not apply to model\.loss = "bce", which reads loss_threshold' 1 build/own_model check own_model.toml --set model.loss=bce
    refuses '--set 1: model\.task_width is unknown; did you mean model\.task_widths\?' 1 build/own_model check own_model.toml --set model.task_width=[3]
    line=$(grep -n '^bound = ' network.toml | cut -d: -f1)
    sed -i 's/^bound = 2.0/bound = 0.0/' network.toml
    refuses "network\\.toml:$line: model\\.layer\\.bounded\\.bound must be a finite number, 0\\.01 to 1000, but is the number 0\\.0" 2 build/own_model check network.toml
    refuses 'own_model\.toml:[0-9]+: data\.source and data\.train are both given; keep one' 1 build/own_model check own_model.toml --set data.train=a.h5
    refuses 'own_model\.toml:[0-9]+: data\.source is "visits", which has no evaluation data; .*' 2 build/own_model evaluate own_model.toml --set data.visits.evaluate_samples=0
    # Descriptions in every form.
    on 1 build/own_model describe >out
    for text in 'source: choice, visits; default unset' '[data.visits]  Made-up visits' 'buyers: integer, at least 1; default 6' \
      'input_bound: number, 0.01 to 1000; default 1.0' 'loss_purchase: number, 0 to 100; default 1.0' 'two_tasks: Factor of the purchase' \
      'task_widths: list of integers, each 1 to 4096, in neurons; default [16]' 'bound: number, 0.01 to 1000; default 1.0'; do
      grep -Fq "$text" out || fail "describe lacks $text"
    done
    on 1 build/own_model describe --markdown >out
    grep -Fq '| `buyers` | integer | `6` | at least 1 |' out || fail "describe --markdown lacks buyers"
    bash "$here/help.sh" "$OUTSIDE/build/own_model" # man pages and completions agree with describe --json
    on 1 build/own_model describe --completion bash >out
    for text in "'data.visits.buyers'" "'model.loss_purchase'" "'model.task_widths'" "data.source) candidates=('visits')"; do
      grep -Fq "$text" out || fail "the completion lacks $text"
    done
    ;;
esac
echo "all as expected"
