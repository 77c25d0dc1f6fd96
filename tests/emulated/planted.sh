#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# planted.sh PLAIN THREADS ADDRESSES [NAME]: runs the faults that planted/ lists, in three builds. The build that a
# fault names must report it, and the program without the fault must end quietly there.
set -euo pipefail
declare -A program=([plain]=$1 [threads]=$2 [addresses]=$3)
chosen=${4:-}
export TESSEREC_EMULATED=order=lazy ASAN_OPTIONS=abort_on_error=0 TSAN_OPTIONS="exitcode=66 halt_on_error=0"
# ThreadSanitizer of g++ 12 does not know the random addresses of newer kernels; some containers forbid fixing them.
fixed=()
! setarch -R true 2>/dev/null || fixed=(setarch -R)
run() { "${fixed[@]}" "$@"; }
failures=0 count=0
fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}
while read -r name build report; do
  [[ -z $chosen || $name == "$chosen" ]] || continue
  count=$((count + 1))
  code=0
  out=$(run "${program[$build]}" "$name" 2>&1) || code=$?
  [[ -z $chosen ]] || echo "$out"
  ((code != 0)) || fail "$name is not reported by $build"
  grep -qzE -- "$report" <<<"$out" || fail "$name ($build): no \"$report\" in: ${out:0:2000}"
  out=$(run "${program[$build]}" "$name" right 2>&1) || fail "$name without its fault ends with $? ($build)"
  [[ -z $out ]] || fail "$name without its fault prints ($build): ${out:0:2000}"
done < <("${program[plain]}")
((count > 0)) || fail "no fault is named $chosen"
((failures == 0)) || exit 1
echo "$count planted faults reported"
