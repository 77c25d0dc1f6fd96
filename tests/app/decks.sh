#!/usr/bin/env bash
# decks.sh NAME: runs inputs/NAME.toml with only --set overrides, small, in a folder of its own. Makes the deck's input,
# then trains on $RANKS ranks, evaluates and predicts.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_samples.sh"
source_folder=$(cd "$(dirname "$0")/../.." && pwd)
deck="$source_folder/inputs/$1.toml"
cd "$folder" || exit 1
ln -s "$source_folder/inputs" inputs
case $1 in
  adult)
    small=(--set train.epochs=1)
    must_succeed '"rows": 32561' preprocess "$deck" --json
    ;;
  kaggle_synthetic | dlrm_dcn | dlrm_projection | deepfm | wide_deep | two_tower | din | bench | bench_rows | bench_mlperf)
    small=(--set data.synthetic.max_rows=1000 --set data.synthetic.samples=3000 --set data.synthetic.evaluate_samples=500
           --set train.batch_size=256 --set train.lanes=4 --set train.steps=10)
    ;;
  sweep)  # as any other deck; tests/app/sweep.sh has its points
    small=(--set data.synthetic.samples=3000 --set data.synthetic.evaluate_samples=500 --set train.steps=10
           --set sweep.halving.first_steps=5)
    must_succeed 'warmup_steps=10000000' sweep list "$deck" "${small[@]}"
    ;;
  reference_batches) small=(--set data.synthetic.evaluate_samples=6 --set checkpoint.keep=1) ;;
  dlrm_cpu_*)  # the decks keep no checkpoint and evaluate nothing
    small=(--set data.synthetic.samples=3000 --set data.synthetic.evaluate_samples=500 --set train.epochs=1
           --set train.lanes=2 --set train.steps=10 --set checkpoint.keep=1)
    ;;
  criteo_kaggle)
    mkdir -p data/criteo
    criteo_rows 600 >data/criteo/train.txt
    criteo_rows 900 | tail -n 300 >data/criteo/test.txt
    small=(--set train.lanes=4 --set train.log_every=1)
    must_succeed '"rows": 600' preprocess "$deck" --json "${small[@]}"
    ;;
  *)
    echo "FAILED: no recipe for inputs/$1.toml; add one to $0"
    exit 1
    ;;
esac
must_succeed '"valid": true' check "$deck" --json "${small[@]}"
must_succeed '"weights_digest"' train "$deck" --json "${small[@]}"
"$JSON_CHECK" <"$folder/out" || complain "train --json is not one JSON object"
digest=$(value weights_digest)
must_succeed '"auc"' evaluate "$deck" --json "${small[@]}"
"$JSON_CHECK" <"$folder/out" || complain "evaluate --json is not one JSON object"
must_succeed '"samples"' predict "$deck" --json "${small[@]}"
[ -s "$folder/runs/$1/scores.h5" ] || complain "no scores"
must_succeed '"samples"' predict "$deck" --json "${small[@]}" --scores "$folder/other/scores.h5"
cmp "$folder/runs/$1/scores.h5" "$folder/other/scores.h5" || complain "predict twice: other scores"
# The same command again has nothing to do and changes nothing.
must_succeed "\"weights_digest\": \"$digest\"" train "$deck" --json "${small[@]}"
# The network form trains to the same bits.
must_succeed 'type = "network"' check "$deck" --network "${small[@]}"
mv "$folder/out" "$folder/layers.toml"
must_succeed "\"weights_digest\": \"$digest\"" train "$folder/layers.toml" --json --set run.output=layers
while IFS= read -r line; do
  "$JSON_CHECK" <<<"$line" || complain "metrics.jsonl: $line"
done <"$folder/runs/$1/metrics.jsonl"
finish
