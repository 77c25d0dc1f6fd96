#!/usr/bin/env bash
# Refused memory: the error names table, layer or batch and the bytes; no crash, no "internal error".
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_samples.sh"
deck="$folder/deck.toml"
planted_deck "$deck"
# within KIB "message" ARGS...: checks tesserec under ulimit -v.
within() {
  local kib=$1 part=$2
  shift 2
  bash -c 'ulimit -v "$0" && exec "$@"' "$kib" timeout 60 "$TESSEREC" "$@" >"$folder/out" 2>"$folder/err" </dev/null
  code=$?
  [ "$code" = 2 ] || complain "exit code $code, not 2: $*"
  [ "$(grep -c '^tesserec: ' "$folder/err")" = 1 ] || complain "not one message: $*"
  grep -qE -- "$part" "$folder/err" || complain "the message lacks \"$part\": $*"
}
large=(--set data.synthetic.rows.0=30000000 --set model.embedding_dim=32 --set 'model.bottom=[8, 32]')
adam=(--set data.synthetic.rows.0=12000000 --set model.embedding_dim=32 --set 'model.bottom=[8, 32]' --set optimizer.sparse.type=adam)
unplanned=(--set plan.memory=8000000000)

# First, sizes that the plan knows; then memory that only the process is refused.
within 2000000 'the tables do not fit: .* from ulimit -v.*The largest table is "C1" with 3960000000 bytes' train "$deck" "${large[@]}"
within 2000000 'not enough memory for table C1, its weights of 30000000 x 32: 3.58 GiB; use more ranks' train "$deck" "${large[@]}" "${unplanned[@]}"
within 2000000 'not enough memory for table C1, its exp_avg(_sq)? of 12000000 x 32: 1.43 GiB; use more ranks' train "$deck" "${adam[@]}" "${unplanned[@]}"
within 2000000 'not enough memory for .*top.1.weight has 30000 x 30000: 3.35 GiB; use more ranks' train "$deck" --set 'model.top=[30000, 30000, 1]'
[ ! -e "$folder/run/checkpoints" ] || [ -z "$(ls -A "$folder/run/checkpoints")" ] || complain "a checkpoint of a run without memory"
finish
