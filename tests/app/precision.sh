#!/usr/bin/env bash
# model.precision: every instruction set of the machine gives the digests of the plain one, for each kind of layer that
# multiplies matrices, in either precision. A checkpoint resumes in its own precision and evaluates in any.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_samples.sh"
planted_deck "$folder/planted.toml"
digests() { grep -oE '"(weights|state)_digest": "[0-9a-f]*"' "$folder/out" | tr '\n' ' '; }
sets=
for set in plain avx2 avx512 avx512_bf16 avx512_amx; do
  TESSEREC_INSTRUCTION_SET=$set run "$TESSEREC" train "$folder/planted.toml" --set train.steps=1
  if grep -q 'but this machine has' "$folder/err"; then echo "SKIPPED: this machine has no $set"; else sets+=" $set"; fi
done
all_of() { # KEYS OF [model]...
  sed '/^bottom/d; /^top/d' "$folder/planted.toml" >"$folder/deck.toml"
  for key in "$@"; do sed -i "s|^embedding_dim = 4|&\n$key|" "$folder/deck.toml"; done
  for precision in fp32 bf16; do
    local expected=
    for set in $sets; do
      rm -rf "$folder/run"
      export TESSEREC_INSTRUCTION_SET=$set
      must_succeed state_digest train "$folder/deck.toml" --json --set train.steps=6 --set model.precision=$precision
      unset TESSEREC_INSTRUCTION_SET
      [ "$(digests)" = "${expected:=$(digests)}" ] || complain "$precision, $set: $(digests), plain: $expected: $*"
    done
    eval "$precision=\$expected"
  done
  # shellcheck disable=SC2154
  [ "$fp32" != "$bf16" ] || complain "bf16 is fp32: $*"
}
mlps=('bottom = [9, 4]' 'top = [33, 5, 1]')
all_of "${mlps[@]}" 'activation = "tanh"'
for cross in low_rank full mixture; do
  all_of 'type = "dlrm_dcn"' "${mlps[@]}" "cross = \"$cross\"" 'cross_rank = 3' 'cross_experts = 2'
done
all_of "${mlps[@]}"
precision=(--set model.precision=bf16)
must_succeed 'precision    bf16' check "$folder/deck.toml" "${precision[@]}"
must_succeed 'precision    fp32' check "$folder/deck.toml"
must_succeed '"auc"' evaluate "$folder/deck.toml" --json "${precision[@]}"
must_succeed '"auc"' evaluate "$folder/deck.toml" --json
resume=(--set train.steps=8 --set checkpoint.resume=auto --set run.overwrite=false)
must_fail 'model.precision = "bf16", but this deck has "fp32"' train "$folder/deck.toml" "${resume[@]}"
must_succeed '"steps": 8' train "$folder/deck.toml" --json "${resume[@]}" --set 'checkpoint.accept=["model.precision"]'
must_fail 'model.precision' check "$folder/deck.toml" --set model.precision=fp16
must_fail '--set 1: model.precision = "tf32", but simd kernels do not multiply in tf32; set fp32' check "$folder/deck.toml" --set model.precision=tf32
must_fail '--set 1: run.kernels = "cublaslt", but this build has no cuBLASLt' train "$folder/deck.toml" --set run.kernels=cublaslt
finish
