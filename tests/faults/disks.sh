#!/usr/bin/env bash
# shellcheck disable=SC2317 source-path=SCRIPTDIR
# SPDX-License-Identifier: Apache-2.0
# Real disks: full after 0, 1, 2, ... blocks, read-only, and a /dev/shm that is too small. Outcomes as in faults.sh.
#   tests/faults/disks.sh         every size, 1 to 4 ranks: some minutes
#   tests/faults/disks.sh short   some sizes
# Needs root, for file systems of its own in a private mount namespace; exits with 77 without it.
if [ -z "${FAULTS_INSIDE:-}" ]; then
  if [ "$(id -u)" != 0 ] || ! unshare -m true 2>/dev/null; then
    echo "skipped: mounting needs root"
    exit 77
  fi
  FAULTS_INSIDE=1 exec unshare -m bash "${BASH_SOURCE[0]}" "$@"
fi
# Outside /dev/shm, because one is mounted over it.
TMPDIR=${TMPDIR:-/tmp}
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
mount -t tmpfs tmpfs "$folder" && : >"$results" || exit 1
. "$here/commands.sh"
form=${1:-long}
read -ra commands <<<"${COMMANDS:-checkpoint preprocess predict metrics}"
if [ "$form" = short ]; then
  read -ra ranks_list <<<"${RANKS_LIST:-2}"
else
  read -ra ranks_list <<<"${RANKS_LIST:-1 2 3 4}"
fi
block=4096
make_bases
cd "$folder" || exit 1

# full COMMAND RANKS BLOCKS: runs on a disk with so many free blocks.
full() {
  local command=$1 ranks=$2 blocks=$3 place=$folder/full.$1.$2.$3 restore=give_room used
  logs=$place.logs
  mkdir -p "$place" "$logs"
  fill() {
    mount -t tmpfs -o size=64m tmpfs "$place" && cp -a "$base/$command/." "$place" && cd "$place" || exit 1
    used=$(df --output=used -B $block . | tail -n 1)
    mount -o remount,size=$(((used + blocks) * block)) "$place" || exit 1
  }
  give_room() { mount -o remount,size=64m "$place"; }
  empty() { cd "$folder" && umount "$place"; }
  again() { empty && fill; }
  local reset=again
  fill
  arguments "$command"
  attempt "$ranks" -- "${arguments[@]}"
  outcome "$command" FULL
  record "$command" "$ranks" disk "$outcome" "$blocks blocks free: $detail"
  empty
  rm -rf "$place" "$logs"
}

# read_only COMMAND RANKS: runs on a read-only disk.
read_only() {
  local command=$1 ranks=$2 place=$folder/ro.$1.$2 restore=allow
  logs=$place.logs
  mkdir -p "$logs" && cp -a "$base/$command" "$place" || exit 1
  mount --bind "$place" "$place" && mount -o remount,ro,bind "$place" && cd "$place" || exit 1
  allow() { mount -o remount,rw,bind "$place"; }
  arguments "$command"
  attempt "$ranks" -- "${arguments[@]}"
  outcome "$command" RO
  record "$command" "$ranks" read-only "$outcome" "$detail"
  cd "$folder" && umount "$place"
  rm -rf "$place" "$logs"
}

for command in "${commands[@]}"; do
  # The old output stays until the new one is whole: this is the most space needed.
  need=$((($(awk '{ n += int(($2 + 4095) / 4096) } END { print n }' "$base/$command.new")) + 5))
  for ranks in "${ranks_list[@]}"; do
    in_turn read_only "$command" "$ranks"
    step=1
    [ "$form" != short ] || step=$(((need + 3) / 4))
    for blocks in $(seq 0 $step $need); do in_turn full "$command" "$ranks" "$blocks"; done
  done
done
all_done

# shared RANKS SIZE TRANSPORT STEPS MODEL...: trains a dense half that does not fit into /dev/shm. Each rank takes a
# copy, and the bits are the same.
shared() {
  local ranks=$1 size=$2 transport=$3 steps=$4 place=$folder/shm.$1.$2 expected
  shift 4
  mkdir -p "$place" && cp "$base/checkpoint/deck.toml" "$place" && cd "$place" || exit 1
  local run=(train deck.toml --json --set "train.steps=$steps" --set data.synthetic.evaluate_samples=0 "$@")
  attempt 1 -- "${run[@]}"
  expected=$(digests)
  rm -r run
  mount -t tmpfs -o "size=$size" tmpfs /dev/shm || exit 1
  OMPI_MCA_btl=$transport attempt "$ranks" -- "${run[@]}"
  case $code in
    0) [ -n "$expected" ] && [ "$(digests)" = "$expected" ] && outcome=ok || outcome=silent ;;
    2) outcome=reported ;;
    hang) outcome=hang ;;
    *) outcome=crash ;;
  esac
  record shm "$ranks" "$size" "$outcome" "code $code: $(message)"
  umount /dev/shm
  cd "$folder" && rm -rf "$place"
}
# One after the other, because they share one /dev/shm. MPI's own messages avoid a tiny one.
for ranks in "${ranks_list[@]}"; do
  shared "$ranks" 20k self,tcp 3 --set 'model.top=[256,64,1]'
  [ "$form" = short ] || shared "$ranks" 64m self,vader 1 --set 'model.bottom=[4096,4096,4]'
done
table
