#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# help.sh PROGRAM: compares manual pages and completions with the program's tables; formatter and shells accept them.
set -euo pipefail
program=$1
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0
failed() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

# Pages: every command, each of its options, every key; the formatter warns of nothing.
"$program" describe --man "$scratch/man"
read_page() { groff -man -ww -Tascii -P-cbou -rLL=1000n "$scratch/man/$1" 2>"$scratch/warnings"; }
mapfile -t commands < <("$program" --help | awk '/^commands:/ { on = 1; next } !NF { on = 0 } on { print substr($0, 3, 14) }' | sed 's/ *$//')
pages=("${commands[@]// /-}")
((${#commands[@]} >= 10)) || failed "only ${#commands[@]} commands in --help"
for page in man1/tesserec.1 man5/tesserec-deck.5 "${pages[@]/#/man1/tesserec-}"; do
  [[ $page == *.? ]] || page+=.1
  read_page "$page" >"$scratch/page" || failed "$page: groff"
  [[ ! -s $scratch/warnings ]] || failed "$page: $(cat "$scratch/warnings")"
  [[ -s $scratch/page ]] || failed "$page is empty"
done
for command in "${commands[@]}"; do
  read_page "man1/tesserec-${command// /-}.1" >"$scratch/page"
  read -ra name <<<"$command"
  "$program" "${name[@]}" --help | sed -n 's/^  --/--/p' | tr -s ' ' >"$scratch/help"
  grep -q '^--help ' "$scratch/help" || failed "$command --help has no options"
  awk '/^OPTIONS/ { on = 1; next } /^[A-Z]/ { on = 0 } on && NF { printf "%s ", $0 } on && !NF && NR > 1 { print "" }' \
    "$scratch/page" | tr -s ' ' | sed 's/^ //; s/ $//; /^$/d' | diff "$scratch/help" - ||
    failed "tesserec-$command(1) has other options than --help"
  # The program accepts the line for a job of several ranks.
  job=$("$program" "${name[@]}" --help | sed -n 's/^ *mpirun/mpirun/p')
  [[ $job != *"sweep run"* || $job == *"sweep run DECK.toml INDEX ..." ]] || failed "$command --help: $job"
  sed -n 's/^ *mpirun/mpirun/p' "$scratch/page" | diff <(printf '%s' "${job:+$job$'\n'}") - || failed "tesserec-$command(1) has another job than --help"
  # Sections, and exit codes.
  case $command in train | sweep\ run) codes="0 1 2 85" ;; *) codes="0 1 2" ;; esac
  for section in NAME SYNOPSIS DESCRIPTION OPTIONS "EXIT STATUS" "SEE ALSO"; do
    grep -qx "$section" "$scratch/page" || failed "tesserec-$command(1) lacks $section"
  done
  [[ $(awk '/^EXIT STATUS/ { on = 1; next } /^[A-Z]/ { on = 0 } on && $1 ~ /^[0-9]+$/ { print $1 }' "$scratch/page" | paste -sd ' ') == "$codes" ]] ||
    failed "tesserec-$command(1) has other exit codes than $codes"
done
# Files: those that a training writes.
read_page man1/tesserec-train.1 >"$scratch/page"
for file in checkpoints metrics.jsonl run.json result.json; do
  awk '/^FILES/ { on = 1; next } /^[A-Z]/ { on = 0 } on' "$scratch/page" | grep -q "RUN/$file" || failed "tesserec-train(1) lacks $file"
done
read_page man5/tesserec-deck.5 >"$scratch/page"
"$program" describe --json | grep -o '"name": "[a-z_0-9]*", "type": ' | cut -d'"' -f4 >"$scratch/keys"
(($(wc -l <"$scratch/keys") > 150)) || failed "describe --json has only $(wc -l <"$scratch/keys") keys"
grep -oE '^ {7}[a-z_0-9]+( |$)' "$scratch/page" | tr -d ' ' | diff "$scratch/keys" - || failed "tesserec-deck(5) has other keys"
for text in "choice; dot | cat; default \"dot\"" "--set block.key=value (repeatable)"; do
  grep -qF -- "$text" "$scratch/page" || failed "tesserec-deck(5) lacks $text"
done

# Completion: the typed line and its completed form.
cat >"$scratch/lines" <<'END'
tesserec tra|tesserec train
tesserec help prep|tesserec help preprocess
tesserec help sweep coll|tesserec help sweep collect
tesserec help train any_d|tesserec help train any_d
tesserec swe|tesserec sweep
tesserec sweep coll|tesserec sweep collect
tesserec sweep run any_d|tesserec sweep run any_deck.toml
tesserec sweep list --s|tesserec sweep list --set
tesserec train --s|tesserec train --set
tesserec train any_d|tesserec train any_deck.toml
tesserec verify any_da|tesserec verify any_data.h5
tesserec predict any_deck.toml --scores any_da|tesserec predict any_deck.toml --scores any_data.h5
tesserec verify with\ sp|tesserec verify with\ space.h5
tesserec predict any_deck.toml --scores=any_da|tesserec predict any_deck.toml --scores=any_data.h5
tesserec plan --device cp|tesserec plan --device cpu
tesserec plan --device=cp|tesserec plan --device=cpu
tesserec describe --completion z|tesserec describe --completion zsh
tesserec train --set model.interac|tesserec train --set model.interaction=
tesserec train --set=model.interac|tesserec train --set=model.interaction=
tesserec train any_deck.toml --set model.interaction=c|tesserec train any_deck.toml --set model.interaction=cat
tesserec train --set=run.graphs=f|tesserec train --set=run.graphs=false
tesserec evaluate --set evaluate.metrics=gau|tesserec evaluate --set evaluate.metrics=gauc
tesserec train --set nothing.like_i|tesserec train --set nothing.like_i
tesserec train --set tab|tesserec train --set table.
tesserec train --set table.C1.poo|tesserec train --set table.C1.pooling=
tesserec train --set table.C1.pooling=m|tesserec train --set table.C1.pooling=mean
tesserec train --set=plan.tables.C1.ker|tesserec train --set=plan.tables.C1.kernel=
tesserec bench --only limits,co|tesserec bench --only limits,costs
tesserec report any_|tesserec report any_run
tesserec describe --man any_|tesserec describe --man any_run
END
mkdir -p "$scratch/here/any_run" "$scratch/functions"
touch "$scratch/here/any_deck.toml" "$scratch/here/any_data.h5" "$scratch/here/with space.h5"
"$program" describe --completion bash >"$scratch/completion.bash"
"$program" describe --completion zsh >"$scratch/functions/_tesserec"
cut -d'|' -f1 "$scratch/lines" >"$scratch/typed"
cut -d'|' -f2 "$scratch/lines" >"$scratch/expected"

# bash, with = among its word-breaking characters, the default, and without.
for breaks in $' \t\n"\'><=;|&(:' $' \t\n"\'><;|&(:'; do
  (
    cd "$scratch/here"
    set +e  # as in a shell of a person
    # shellcheck source=/dev/null
    source "$scratch/completion.bash"
    COMP_WORDBREAKS=$breaks
    while IFS= read -r COMP_LINE; do
      COMP_POINT=${#COMP_LINE} word=${COMP_LINE##*[^\\] }
      [[ $breaks == *=* ]] && word=${word##*=}
      _tesserec
      ((${#COMPREPLY[@]} == 1)) && COMP_LINE=${COMP_LINE%"$word"}${COMPREPLY[0]// /\\ }  # as readline writes it
      echo "$COMP_LINE"
    done <"$scratch/typed"
  ) >"$scratch/completed"
  diff "$scratch/expected" "$scratch/completed" || failed "bash, words cut at $(printf %q "$breaks")"
done
# One of several choices: all are offered. Every command is offered.
(
  set +e
  # shellcheck source=/dev/null
  source "$scratch/completion.bash"
  COMP_LINE="tesserec train --set model.interaction=" COMP_POINT=39
  _tesserec && echo "${COMPREPLY[*]}"
  COMP_LINE="tesserec " COMP_POINT=9
  _tesserec && echo "${COMPREPLY[*]}"
) >"$scratch/completed"
diff <(echo "dot cat" && echo "$(printf '%s\n' "${commands[@]%% *}" | uniq | tr '\n' ' ')help") "$scratch/completed" || failed "bash: what is offered"

# zsh, on a terminal of its own.
if command -v zsh >/dev/null; then
  timeout 60 zsh -f "$here/zsh_types.zsh" "$scratch" || failed "zsh does not answer"
  diff "$scratch/expected" <(sed 's,[ /]$,,' "$scratch/zsh_completed") || failed "zsh"
else
  echo "no zsh here: its completion was not tried"
fi
((failures == 0)) && echo "all as expected"
exit $((failures > 0))
