#!/usr/bin/env bash
# shellcheck source-path=SCRIPTDIR
# SPDX-License-Identifier: Apache-2.0
# The n-th call that concerns the output fails: for train with checkpoints, preprocess and predict (commands.sh), each
# over older output, for every n of every rank, on 1 to 4 ranks and for each kind of fault (shim.cpp lists them).
#   tests/faults/faults.sh         all: half an hour on two processors
#   tests/faults/faults.sh short   checkpoint and preprocess: each kind of call once, the kinds of fault in turn
# COMMANDS, RANKS_LIST and KINDS narrow the list; KEEP=FILE keeps one line per case, VERBOSE=1 prints the bad ones at
# once.
# Outcomes of a case:
#   ok        exit code 0, and all output is whole and right; after a KILL: the old or the new is, and so is the next run
#   reported  exit code 2 with a message, the older output unchanged or the new one whole; the next run is right
#   silent    exit code 0, but output is damaged or missing
#   hang      not at its end in $LIMIT seconds
#   crash     any other end
#   lost      the older output is gone or damaged, or the next run fails
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$here/commands.sh"
form=${1:-long}
[ "$form" != short ] || LIMIT=20
every="checkpoint replace preprocess predict"
[ "$form" != short ] || every="checkpoint preprocess"
read -ra commands <<<"${COMMANDS:-$every}"
# ranks_of COMMAND: prints the numbers of ranks.
ranks_of() {
  case $form:$1 in
    short:checkpoint | short:preprocess) echo "${RANKS_LIST:-3}" ;;
    short:*) echo "${RANKS_LIST:-2}" ;;
    *) echo "${RANKS_LIST:-1 2 3 4}" ;;
  esac
}
read -ra kinds <<<"${KINDS:-EIO ENOSPC SHORT HALF FULL KILL}"
make_bases
cd "$folder" || exit 1

# one COMMAND RANKS KIND RANK N: runs one case.
one() {
  local command=$1 ranks=$2 kind=$3 rank=$4 n=$5 at
  local place=$folder/case.$command.$ranks.$kind.$rank.$n
  begin_case() { rm -rf "$place" "$place.calls" && cp -a "$base/$command" "$place" && cd "$place" || exit 1; }
  begin_case
  local reset=begin_case
  arguments "$command"
  attempt "$ranks" FAULT_PREFIX="$place/$(output "$command")" FAULT_CALL="$n" FAULT_KIND="$kind" FAULT_RANK="$rank" \
    FAULT_COUNT="$place.calls" -- "${arguments[@]}"
  at=$(sed -n "s|^$rank $n ||p" "$place.calls" | sed "s|$place/||") # MPI may make its calls in another order than when counted
  outcome "$command" "$kind"
  record "$command" "$ranks" "$kind" "$outcome" "rank $rank, call $n, ${at:-not met}: $detail"
  cd "$folder" && rm -rf "$place" "$place.calls"
}

# Prints the calls of an undisturbed run: "RANK N CALL NAME".
calls() {
  local command=$1 ranks=$2 place=$folder/count
  rm -rf "$place" "$place.calls" && cp -a "$base/$command" "$place" && cd "$place" || exit 1
  arguments "$command"
  attempt "$ranks" FAULT_PREFIX="$place/$(output "$command")" FAULT_COUNT="$folder/calls" -- "${arguments[@]}"
  if [ "$code" != 0 ] || ! new_stands "$command"; then
    echo "FAILED without any fault: $command on $ranks ranks: exit code $code"
    cat err
    exit 1
  fi
  cd "$folder" || exit 1
  sed "s|$place/||" calls | sort -n -k 1,1 -k 2,2 >"calls.$command.$ranks"
  rm -rf calls "$place"
}

turn=0
for command in "${commands[@]}"; do
  for ranks in $(ranks_of "$command"); do
    for rank in $(seq 0 $((ranks - 1))); do
      [ "$form" = short ] && [ "$rank" != 1 ] && continue
      in_turn one "$command" "$ranks" HIDDEN "$rank" 0
    done
    calls "$command" "$ranks"
    if [ "$form" = short ]; then
      # One of each call on each file; steps and parts differ only in their numbers. A checkpoint that replaces one of
      # its step adds only the calls that a new one lacks.
      awk -v few=$((${#commands[@]} > 1)) -v command="$command" '
        few && command == "replace" && $3 !~ /^(rename|unlink|rmdir)/ { next }
        { name = $4; gsub(/[0-9a-f]{16}|[0-9]+/, "#", name) }
        !seen[$1 > 0, $3, name]++' "calls.$command.$ranks" >calls.few
      mv calls.few "calls.$command.$ranks"
    fi
    while read -r rank n call _; do
      turn=$((turn + 1))
      these=("${kinds[@]}")
      if [ "$form" = short ]; then
        these=("${kinds[turn % ${#kinds[@]}]}")
        # A part of a write only where something is written; there it is the likeliest to be overlooked.
        case $call:${these[0]} in *write*:HALF) these+=(SHORT) ;; *write*:*) these+=(HALF) ;; *:SHORT) these=(EIO) ;; *:HALF) these=(FULL) ;; esac
      fi
      for kind in "${these[@]}"; do
        case $kind:$call in SHORT:*write* | HALF:*write*) ;; SHORT:* | HALF:*) continue ;; esac
        in_turn one "$command" "$ranks" "$kind" "$rank" "$n"
      done
    done <"calls.$command.$ranks"
  done
done
all_done
table
