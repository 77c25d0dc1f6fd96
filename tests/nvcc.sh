#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# nvcc.sh SOURCE INCLUDE...: nvcc, where there is one, compiles the kernels of rows, vectors and steps for a GPU, over any Kokkos: bodies
# that call what no device has, or spill registers, show without a CUDA build. Exit code 77 where there is none.
set -uo pipefail
nvcc=$(PATH=$PATH:/usr/local/cuda/bin command -v nvcc) || { echo "skipped: no nvcc"; exit 77; }
source=$1
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
flags=(-x cu -std=c++20 -arch="${ARCH:-sm_90}" --fmad=false -Xptxas -v -Werror all-warnings
  -I "$source/include" -I "$source")
for include; do
  # Compilers look into /usr/include last of all, and overlook what is wrong in a system's headers.
  [[ $include == /usr/include || $include == "$source"* ]] || flags+=(-isystem "$include")
done
compile() { # SOURCE FILE's object and what ptxas says of it
  local out
  out=$folder/$(basename "$1" .cpp)
  "$nvcc" "${flags[@]}" -cubin "$1" -o "$out.cubin" >"$out.log" 2>&1 || { cat "$out.log"; return 1; }
  echo "$1: $(grep -c 'Compiling entry function' "$out.log") kernels, at most $(sed -nE 's/.*Used ([0-9]+) registers.*/\1/p' \
    "$out.log" | sort -n | tail -n 1) registers"
  ! grep -E '[1-9][0-9]* bytes spill' "$out.log"
}
files=("$source"/src/embedding/{device_bags,device_pool,move_rows,move_runs,row_bucket,row_runs,run_sums}.cpp
  "$source"/src/optim/device_move.cpp "$source"/src/sharding/device_vectors.cpp)
wrong=0
for ((i = 0; i < ${#files[@]}; i += 2)); do # two at a time
  compile "${files[i]}" &
  [[ -z ${files[i + 1]:-} ]] || compile "${files[i + 1]}" || wrong=1
  wait $! || wrong=1
done
exit $wrong
