#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Survival of a power cut. Every file is synced after its last write, and every rename and every new folder is followed
# by a sync of its parent folder. The calls of train, preprocess and predict on 2 ranks show it. A disk that reports
# more than it wrote is found before it replaces anything.
. "$(dirname "$0")/../app/lib.sh"
. "$(dirname "$0")/../app/lib_samples.sh"
RANKS=2
criteo_deck "$folder/deck.toml"

# in_order NAME COMMAND...: runs the command with its calls recorded, and checks their order.
in_order() {
  local name=$1 calls="$folder/calls.$1"
  shift
  run env LD_PRELOAD="$SHIM" FAULT_PREFIX="$folder" FAULT_COUNT="$calls" "$TESSEREC" "$@"
  [ "$code" = 0 ] || complain "exit code $code: $*"
  awk -v name="$name" '
    function above(path) { sub(/\/[^\/]*$/, "", path); return path }
    wanted[$1] != "" {
      if ($3 != "fsync" || $4 != wanted[$1]) print name ": no sync of " wanted[$1] " after " call[$1]
      wanted[$1] = ""
    }
    $4 ~ /\/calls\./ || $4 ~ /[\/.]lock$/ { next }  # who holds a lock may be forgotten
    $4 ~ /\/rows-[^\/]*$/ { next }  # kept rows serve the start that wrote them
    $3 == "write" || $3 == "pwrite" { dirty[$1 " " $4] = 1; ++writes }
    $3 == "fsync" { delete dirty[$1 " " $4] }
    $3 ~ /^rename/ || $3 == "mkdir" { wanted[$1] = above($4); call[$1] = $3 " " $4; ++names }
    END {
      for (file in dirty) print name ": no sync after the last write of " file
      if (writes < 5 || names < 2) print name ": " writes + 0 " writes and " names + 0 " names are too few to tell"
    }' "$calls" >"$folder/breaches"
  [ ! -s "$folder/breaches" ] || { cat "$folder/breaches"; complain "$name: files that a power cut may take"; }
}

in_order preprocess preprocess "$folder/deck.toml" --set run.part_bytes=8192
in_order train train "$folder/deck.toml" --set run.part_bytes=2000 --set checkpoint.every_steps=1 --set checkpoint.keep=1
in_order predict predict "$folder/deck.toml" --set run.part_bytes=300

# lies FOLDER WRITES COMMAND...: lets each of these writes of the first rank below FOLDER, one per run, store half of the
# bytes that it reports.
lies() {
  local n prefix=$1 writes=$2
  shift 2
  for n in $writes; do
    run env LD_PRELOAD="$SHIM" FAULT_PREFIX="$prefix" FAULT_KIND=LIE FAULT_RANK=0 FAULT_CALL="$n" "$TESSEREC" "$@"
    [ "$code" = 2 ] || complain "exit code $code, not 2, when write $n is a lie: $*"
    grep -qE 'bytes are on the disk, but|the bytes on the disk differ from those written' "$folder/err" ||
      complain "the message does not tell of a lie, write $n: $*"
  done
}
# The first write names the job; without it a later start takes nothing over.
lies "$folder/data/train.parts.tmp" "2 3 4" preprocess "$folder/deck.toml" --set run.part_bytes=8192
rm -r "$folder/run/checkpoints" "$folder/run/metrics.jsonl"
lies "$folder" "1 2 3" train "$folder/deck.toml" --set run.part_bytes=2000 --set checkpoint.every_steps=1 --set checkpoint.keep=1
finish
