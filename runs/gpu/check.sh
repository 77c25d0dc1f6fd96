#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC1091,SC2034,SC2154,SC2015  # shares its names with report.sh
# check.sh FOLDER [OUT]: what a build computes on this machine's GPU, in less than nine minutes and without a network. FOLDER is
# what collect.sh made; OUT (here: gpu_check) gets gpu.json, gpu.md and a log of each part. Parts come in the order of their
# worth, and none ends another. Ends with 1 where one failed, was not at its end in time or not equal, with 3 where the time
# of all was over before some. A build for host processors is checked alike, and the page says so. From the environment: LIMIT,
# the seconds of all (530); GRAPHS, run.graphs of all trainings (true); MAX_ROWS, which caps the tables of what is timed (0: none, 2.1 GB); PYTHON, which has PyTorch
# (python3); ONLY, a pattern of the names of parts.
set -uo pipefail
export LC_ALL=C
(($# == 1 || $# == 2)) || { echo "usage: $0 FOLDER [OUT]" >&2; exit 2; }
[[ -f $1/about && -x $1/run ]] || { echo "$0: $1 is not what collect.sh makes" >&2; exit 2; }
carried=$(cd "$1" && pwd)
out=${2:-gpu_check}
mkdir -p "$out"
out=$(cd "$out" && pwd)
tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
deadline=${LIMIT:-530} graphs=${GRAPHS:-true} max_rows=${MAX_ROWS:-0} python=${PYTHON:-python3} only=${ONLY:-*}
scratch=$(mktemp -d)
cd "$scratch" || exit 2
source "$tree/runs/gpu/report.sh"

wanted() { # NAME
  # shellcheck disable=SC2053
  [[ $1 == $only ]]
}
run() { # NAME SECONDS LINE RANKS COMMAND...
  ! wanted "$1" || part "$1" "$2" "$3" "$carried/run" mpirun -n "$4" "${@:5}"
}

# 1. What is here, and what is missing.
is() { machine+=("$1"$'\t'"$2"); }
while IFS= read -r line; do is "${line%%: *}" "${line#*: }"; done <"$carried/about"
architecture=$(sed -n 's/^gpu: //p' "$carried/about")
[[ $architecture == no ]] && computes_on="host processors: nothing below ran on a GPU" || computes_on="a GPU, code for $architecture"
[[ $architecture != no ]] || miss "a build for GPUs: this one computes on host processors"
ask() { PATH=$PATH:/usr/local/cuda/bin timeout -k 3 30 "$@" 2>/dev/null; }
gpu=$(ask nvidia-smi --query-gpu=name,compute_cap,memory.total,driver_version --format=csv,noheader | tr '\n' ';')
[[ -n $gpu ]] || miss "a GPU with its driver: nvidia-smi finds none"
is GPU "${gpu:-none}"
is "GPU's driver takes CUDA" "$(ask nvidia-smi | grep -oE 'CUDA Version: *[0-9.]+' | grep -oE '[0-9.]+' || echo none)"
is nvcc "$(ask nvcc --version | grep release || echo none)"
is processor "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores, $(($(sed -n 's/^MemTotal: *\([0-9]*\).*/\1/p' /proc/meminfo) >> 20)) GiB"
is system "$(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release 2>/dev/null), Linux $(uname -r)"
sanitizer=$(PATH=$PATH:/usr/local/cuda/bin command -v compute-sanitizer) || miss "compute-sanitizer, of CUDA: memory and races are not looked at"
torch=$(ask "$python" -c 'import torch; print(torch.__version__ + (" with CUDA" if torch.cuda.is_available() else ", no GPU"))') ||
  miss "PyTorch ($python): nothing is timed beside the program"
is PyTorch "${torch:-none}"
[[ $torch != *"no GPU" ]] || miss "a GPU that PyTorch sees: it is timed on the host's processor"
while IFS= read -r line; do
  [[ -z $line ]] || miss "a library: $line"
done < <(ask "$carried/run" ldd "$carried"/bin/* "$carried"/ompi/bin/* | grep 'not found' | sed 's/^[[:space:]]*//' | sort -u)
programs=()
for name in embedding products layers losses cublaslt network train sharding golden comm optim core; do
  if [[ -x $carried/bin/test_$name ]]; then programs+=("$name"); else miss "test_$name: it was not taken along"; fi
done
has() { [[ " ${programs[*]} " == *" $1 "* ]]; }
passed() { [[ $measured == "All tests passed"* ]] || verdict=FAILED; }
tests() { # NAME RANKS SECONDS [FILTER]
  local judge=passed
  ! has "$1" || run "test.$1.$2" "$3" test_line "$2" "test_$1" -d yes "${@:4}"
}

trap 'end_session; write_json; write_page; rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM

run start.1 20 last_line 1 tesserec --version
run start.4 20 last_line 4 tesserec --version

# 2. One digest: of the host's kernels on one rank, and of the portable ones on the GPU, on any ranks, under any plan.
declare -A expected # by what is trained
same() {
  local first=${expected[$trained]:-}
  if [[ ! $measured =~ ^[0-9a-f]{16}\ [0-9a-f]{16}$ ]]; then
    verdict=FAILED measured="no digests: $measured"
  elif [[ $kernels == simd ]]; then
    expected[$trained]=$measured
  elif [[ $measured != "$first" ]]; then
    verdict=DIFFERENT measured="$measured, not ${first:-known what simd has}"
  fi
}
digest() { # OPTIMIZER KERNELS RANKS PLAN SECONDS [STEPS AGAIN]
  local judge=same kernels=$2 trained=$1.${6:-} more=(--set run.graphs="$graphs")
  [[ -z ${6:-} ]] || more+=(--set train.steps="$6" --set train.epochs="$6")
  run "digest.$1.$2.$3.$4${6:+.$6.$7}" "$5" digest_line "$3" tesserec train "$tree/runs/gpu/digest.toml" --json \
    --set run.output="$scratch/run" --set run.kernels="$2" --set optimizer.sparse.type="$1" --set plan.default="$4" "${more[@]}"
  rm -rf "$scratch/run"
}
for optimizer in sgd rowwise_adagrad; do
  for kernels in simd portable; do digest $optimizer $kernels 1 table_wise 40; done
done
graphs=false digest sgd portable 1 row_wise 40 # one launch after the other

# 3. Kernels beside the host's, bit by bit.
one_digest="run.kernels: portable*,train: every plan has one digest,optimizer: every type*,optimizer.max_norm: has one digest*"
tests core 1 30
tests embedding 1 60
tests products 1 60
tests layers 1 60
tests losses 1 60
tests network 1 60 "portable*,graphs*"
tests train 1 90 "$one_digest"
tests golden 1 40 "*with SGD*,two_tower*"

plans=(table_wise row_wise column_wise data_parallel auto)
for optimizer in rowwise_adagrad sgd; do
  for ranks in 2 4; do
    for plan in "${plans[@]}"; do digest $optimizer portable $ranks "$plan" 30; done
  done
done
# Many steps in a process, and that again: what a race gets wrong once stays wrong to the end.
digest rowwise_adagrad simd 1 table_wise 40 200 1
for again in 1 2 3; do digest rowwise_adagrad portable 1 auto 40 200 $again; done

# 4. Products by cuBLASLt have bits of their own: one digest in a precision on any ranks, and again.
alike() {
  if [[ ! $measured =~ ^[0-9a-f]{16}\ [0-9a-f]{16}$ ]]; then
    verdict=FAILED measured="no digests: $measured"
  elif [[ $measured != "${expected[$trained]:=$measured}" ]]; then
    verdict=DIFFERENT measured="$measured, not ${expected[$trained]}"
  fi
}
products() { # PRECISION SAMPLES RANKS AGAIN
  local judge=alike trained=cublaslt.$1.$2
  run "digest.cublaslt.$1.$2.$3.$4" 40 digest_line "$3" tesserec train "$tree/runs/gpu/digest.toml" --json --set run.output="$scratch/run" \
    --set run.kernels=cublaslt --set run.graphs="$graphs" --set model.precision="$1" --set train.batch_size="$2"
  rm -rf "$scratch/run"
}
tests cublaslt 1 60
if [[ $architecture != no ]]; then
  for precision in fp32 tf32 bf16; do
    for ranks in 1 2 4; do products $precision 1024 $ranks 1; done
    products $precision 1024 1 2
  done
  for ranks in 1 2 4; do products fp32 1001 $ranks 1; done # lanes of two lengths
else
  miss "trainings with products by cuBLASLt: this build computes on host processors"
fi

# 5. Memory and races, where launches are small.
sanitize() { # TOOL...
  local tool
  [[ -n $sanitizer ]] || return
  for tool in "$@"; do
    sanitized "$tool" embedding "*simd for copies*,*micro-batches touch,*rows whose other*,*simd for the dense kernel*"
    sanitized "$tool" losses "LossFunction: on a device*"
    sanitized "$tool" network "portable: values*,portable: ranks*"
  done
}
clean() { [[ $measured =~ SUMMARY:\ 0\  ]] && grep -aq "All tests passed" "$out/$name.log" || verdict=FAILED; }
sanitized() { # TOOL TEST FILTER
  local judge=clean
  ! has "$2" || run "sanitizer.$1.$2" 40 sanitizer_line 1 "$sanitizer" --tool "$1" --error-exitcode 9 --target-processes application-only \
    "$carried/bin/test_$2" "$3"
}
sanitize memcheck racecheck

# 6. Speed of a step, ours and PyTorch's, from a batch in memory to the moved weights. A host takes a second for what a GPU does in
# a thousandth of it.
timed() { [[ $measured == "step of "* ]] || verdict=FAILED; }
bench() { # NAME SECONDS LINE WORD...
  run "speed.$1" "$2" "$3" 1 tesserec bench "$tree/inputs/bench.toml" --set data.synthetic.max_rows="$max_rows" \
    --set data.synthetic.zipf=0 --set bench.repeats=3 --set bench.steps=4 --set run.graphs="$graphs" "${@:4}"
}
peer() { # NAME
  [[ -z $torch ]] || ! wanted "speed.$1.$batch" || part "speed.$1.$batch" 90 peer_line "$python" "$tree/runs/compare/peers.py" "$1" \
    --batch "$batch" --steps 50 --max-rows "$max_rows" --threads "$(nproc)" --device "$device"
}
[[ $torch == *"with CUDA" ]] && device=cuda || device=cpu
[[ $architecture != no ]] && batches=(2048 32768) || batches=(2048)
judge=timed
for batch in "${batches[@]}"; do
  bench "tesserec.portable.$batch" 60 whole_line --only step --set train.batch_size="$batch" --set run.kernels=portable
  [[ $architecture == no ]] || bench "tesserec.cublaslt.fp32.$batch.one_by_one" 40 whole_line --only step --set run.kernels=cublaslt \
    --set train.batch_size="$batch" --set run.graphs=false
  [[ $architecture == no ]] || for precision in fp32 tf32 bf16; do
    bench "tesserec.cublaslt.$precision.$batch" 40 whole_line --only step --set train.batch_size="$batch" --set run.kernels=cublaslt \
      --set model.precision=$precision
  done
  peer eager
  peer compiled
done
bench "tesserec.simd.2048" 40 whole_line --only step --set run.kernels=simd
# Each kernel of a step; 20 ids a bag of rows of 64 and 128 columns, uniform and skewed.
kernels() { [[ $measured == "device memory, read"*move_runs* ]] || verdict=FAILED; }
judge=kernels
bench kernels.kaggle 40 kernel_line --only kernels --set train.batch_size="${batches[-1]}" --set run.kernels=portable
[[ $architecture != no ]] && rows=1000000 samples=16384 || rows=20000 samples=256
for dim in 64 128; do
  for zipf in 0 1.05; do
    run "speed.rows.$dim.zipf$zipf" 60 kernel_line 1 tesserec bench "$tree/inputs/bench_rows.toml" --only kernels --set run.kernels=portable \
      --set data.synthetic.max_rows="$rows" --set train.batch_size="$samples" --set data.synthetic.zipf="$zipf" --set bench.steps=3 \
      --set model.embedding_dim="$dim" --set "model.bottom=[512, 256, 64, $dim]" --set bench.memory=1073741824
  done
done
judge=

# 7. Several ranks on one GPU.
for ranks in 2 4; do
  tests sharding $ranks 60 "*oracle's bits of pooled*,*un-pooled vectors and gradients*"
  tests train $ranks 120 "$one_digest"
done
tests network 2 40 "portable*"

# 8. The rest, with the time that is left.
tests sharding 1 120
sanitize initcheck synccheck
for name in optim comm; do tests $name 1 30; done
for ranks in 2 4; do tests comm $ranks 30; done
bench host 60 last_line --only limits,parts --set bench.memory=268435456
wanted digest.models && part digest.models 120 last_line env TESSEREC="$carried/bin/tesserec" RANKS=2 JSON_CHECK=true LAUNCH="mpirun -n" \
  "$carried/run" bash "$tree/tests/app/models.sh"

echo "$out/gpu.md, $out/gpu.json: $(count ok) ok, $(count FAILED TIMEOUT DIFFERENT) not, $(count 'no time') without time, ${#missing[@]} missing" >&2
(($(count FAILED TIMEOUT DIFFERENT) == 0 && $(count ok) > 0)) || exit 1
(($(count "no time") == 0)) || exit 3
