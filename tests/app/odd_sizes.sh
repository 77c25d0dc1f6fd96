#!/usr/bin/env bash
# Sizes at the edge: more ranks than rows, empty bags, a table of one row, odd widths, one sample, labels of one class. The
# digests of $RANKS ranks are those of one.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_samples.sh"
deck="$folder/deck.toml"
planted_deck "$deck"
odd=(--set data.synthetic.samples=7 --set data.synthetic.evaluate_samples=5 --set "data.synthetic.rows=[1, 2, 5]"
     --set data.synthetic.dense_features=3 --set data.synthetic.ids_per_bag=2 --set data.synthetic.variable_bags=true
     --set model.embedding_dim=3 --set "model.bottom=[5, 3]" --set "model.top=[7, 1]" --set train.batch_size=3)
some=$RANKS
same_on_one() {
  rm -rf "$folder/run"
  must_succeed weights_digest train "$deck" --json "${odd[@]}" "$@"
  "$JSON_CHECK" <"$folder/out" || complain "--json is not one JSON object: $*"
  local weights state
  weights=$(value weights_digest) state=$(value state_digest)
  rm -rf "$folder/run"
  RANKS=1
  must_succeed "\"weights_digest\": \"$weights\", \"state_digest\": \"$state\"" train "$deck" --json "${odd[@]}" "$@"
  RANKS=$some
}
same_on_one
same_on_one --set data.synthetic.samples=1
same_on_one --set "data.synthetic.rows=[1]" --set plan.default=row_wise --set model.itself=true
same_on_one --set plan.default=data_parallel --set optimizer.sparse.type=adam --set model.interaction=cat

# Five samples of one class: what is not defined is null.
must_succeed '"auc": null' evaluate "$deck" --json "${odd[@]}" --set plan.default=data_parallel \
  --set optimizer.sparse.type=adam --set model.interaction=cat
"$JSON_CHECK" <"$folder/out" || complain "--json is not one JSON object"
grep -q 'auc undefined' "$folder/err" || complain "the undefined AUC is not named"
finish
