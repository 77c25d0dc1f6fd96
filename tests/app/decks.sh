#!/usr/bin/env bash
# decks.sh NAME: runs inputs/NAME.toml with only --set overrides, small, in a folder of its own. Makes the deck's input,
# then trains on $RANKS ranks, evaluates and predicts. Of a public data set the input is made up in the published form, and
# its labels must be learned. Code 77: the build lacks Arrow for the deck's Parquet files.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_samples.sh"
. "$(dirname "$0")/lib_sets.sh"
source_folder=$(cd "$(dirname "$0")/../.." && pwd)
deck="$source_folder/inputs/$1.toml"
cd "$folder" || exit 1
ln -s "$source_folder/inputs" inputs
least_auc=0
# public_set ROWS ARGS...: makes the files of the data set, preprocesses them and sets what a small run needs.
public_set() {
  local rows=$1
  shift
  small=(--set train.batch_size=64 --set train.lanes=4 --set train.epochs=3 --set optimizer.dense.lr=0.005
         --set optimizer.sparse.lr=0.1 "$@")
  least_auc=0.6
  "set_$deck_name"
  run "$TESSEREC" preprocess "$deck" --json "${small[@]}"
  if grep -qF 'this build has no Arrow' "$folder/err"; then
    echo "skipped: this build has no Arrow to read the Parquet files of $deck_name"
    exit 77
  fi
  [ "$code" = 0 ] || complain "exit code $code, not 0: tesserec preprocess $deck"
  grep -qF "\"rows\": $rows" "$folder/out" || complain "not $rows rows"
}
deck_name=$1
criteo_small=(--set train.log_every=1 --set optimizer.dense.type=adam --set optimizer.sparse.type=adagrad)
case $1 in
  adult)
    small=(--set train.epochs=1)
    least_auc=0.6
    # The files as UCI has them, then those of inputs/data.
    set_adult
    must_succeed '"rows": 1600' preprocess "$deck" --json --set preprocess.train=data/adult/adult.data \
      --set preprocess.evaluate=data/adult/adult.test --set preprocess.output=uci
    must_succeed '"rows": 32561' preprocess "$deck" --json
    ;;
  avazu) public_set 1800 ;;
  criteo_kaggle) public_set 1600 "${criteo_small[@]}" ;;
  criteo_terabyte) public_set 2300 "${criteo_small[@]}" --set schedule.warmup_steps=10 --set preprocess.minimum_count=2 ;;
  kuairand_pure) public_set 1600 ;;
  movielens_20m) public_set 2700 ;;
  open_bandit) public_set 1800 ;;
  tencentgr_1m)
    public_set 1510 --set preprocess.column.user_id.max_rows=500 --set preprocess.column.item_id.max_rows=1000
    ;;
  yambda_50m)
    public_set 2700 --set preprocess.column.uid.max_rows=500 --set preprocess.column.item_id.max_rows=1000
    ;;
  kaggle_synthetic | dlrm_dcn | dlrm_projection | deepfm | wide_deep | two_tower | two_tasks | mmoe | din | bench | bench_rows | \
  bench_mlperf)
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
awk -v auc="$(value auc)" -v least=$least_auc 'BEGIN { exit !(auc >= least) }' || complain "an AUC below $least_auc"
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
