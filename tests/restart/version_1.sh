#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A checkpoint of format version 1, one state.h5 without a seal, is verified and resumed, to the bits that the program
# of that time reached; damage to it is met.
. "$(dirname "${BASH_SOURCE[0]}")/../app/lib.sh"
old="$(dirname "${BASH_SOURCE[0]}")/../golden/data/checkpoint_1"
for RANKS in 1 3; do
  must_succeed '"whole": true' verify "$old" --json
  must_succeed '"weights_digest": "46b5cbc234bfd620"' train "$old/deck.toml" --json --set "run.output=$folder/run$RANKS" --set "checkpoint.resume=$old"
  grep -q '"state_digest": "0ba67b6b8f4bc963"' "$folder/out" || complain "another state digest"
  grep -q '"auc": 0.75250836120401343' "$folder/out" || complain "another AUC"
done
RANKS=2
# A byte of a table, one of the metadata, a cut.
for place in 12000 700 cut; do
  rm -rf "$folder/bad"
  cp -r "$old" "$folder/bad"
  if [ "$place" = cut ]; then truncate -s 20000 "$folder/bad/state.h5"; else
    printf '\245' | dd of="$folder/bad/state.h5" bs=1 seek="$place" conv=notrunc status=none
  fi
  must_fail 'name another checkpoint with checkpoint.resume' verify "$folder/bad"
  must_fail 'state.h5' train "$old/deck.toml" --set "run.output=$folder/run" --set "checkpoint.resume=$folder/bad"
done
finish
