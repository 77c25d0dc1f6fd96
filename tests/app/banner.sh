#!/usr/bin/env bash
# Lines of a run before its first step, on $RANKS ranks: versions, bytes, refused huge pages.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_samples.sh"
deck="$folder/deck.toml"
planted_deck "$deck"
# says "part of stderr" ARGS...: checks the output of one training step.
says() {
  local part=$1
  shift
  rm -rf "$folder/run"
  must_succeed '"steps": 1' train "$deck" --json --set train.steps=1 --set checkpoint.keep=0 "$@"
  grep -qE -- "$part" "$folder/err" || complain "no \"$part\": $*"
}
says '^tesserec [0-9.]+, Kokkos [0-9.]+, HDF5 [0-9.]+, '
says ', simd kernels$'
says ', portable kernels$' --set run.kernels=portable
[ "$RANKS" = 1 ] || says "^between devices: MPI, through host memory$" --set run.kernels=portable
# 81 rows of 4 columns: 1296 bytes, and one sum per row; a table of kernel dense has optimizer.dense, 4 sums per row.
says '324 in tables \(1\.58 KiB with optimizer state\)'
says '324 in tables \(2\.17 KiB with optimizer state\)' --set plan.tables.C1.kernel=dense

# A table of 19 MB asks for huge pages.
large=(--set "data.synthetic.rows=[1200000, 30, 1]" --set plan.default=row_wise)
says "^$RANKS rank" "${large[@]}"
usual=$(grep -cE '(has|have) no huge pages: ' "$folder/err")
if grep -q '\[never\]' /sys/kernel/mm/transparent_hugepage/enabled 2>/dev/null; then expected=1; else expected=0; fi
[ "$usual" = "$expected" ] || complain "$usual lines about huge pages, $expected expected"
"$NO_HUGE_PAGES" true && {
  run "$NO_HUGE_PAGES" "$TESSEREC" train "$deck" --set train.steps=1 --set checkpoint.keep=0 "${large[@]}"
  [ "$code" = 0 ] || complain "exit code $code without huge pages"
  [ "$(grep -cE "^warning: $RANKS ranks? ha(s|ve) no huge pages: " "$folder/err")" = 1 ] || complain "nothing of huge pages"
  says "^$RANKS rank"
  ! grep -q 'no huge pages' "$folder/err" || complain "small tables ask for none"
}
finish
