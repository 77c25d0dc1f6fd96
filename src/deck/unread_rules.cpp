// SPDX-License-Identifier: Apache-2.0
// Rules of [run], [data], [train], [checkpoint], [evaluate] and [plan].
#include "unread_rules.hpp"

#include <algorithm>

#include "section.hpp"
#include <tesserec/core/text.hpp>
#include <tesserec/data/make_source.hpp>
#include <tesserec/data/synthetic.hpp>
#include <tesserec/metrics/names.hpp>

namespace tesserec::deck {
namespace {

using Names = std::vector<std::string>;

bool has_one_of(const Names& names, const Names& wanted) {
  return std::ranges::any_of(names, [&](const std::string& name) { return std::ranges::count(wanted, name) > 0; });
}

/// Returns the rules of [data.synthetic]. kind = "none" switches the whole block off, as messages advise.
std::vector<UnreadRule> synthetic_rules(const data::SyntheticSettings& s) {
  if (s.kind == data::SyntheticKind::none) return {};
  const bool planted = s.kind == data::SyntheticKind::planted, labels = !s.labels.names.empty();
  const std::string reference = "data.synthetic.kind is \"reference\"", to_planted = "set kind = \"planted\"";
  const bool linked = !s.pair.empty() || !s.sequence.empty();
  return {
      {"data.synthetic.ids_per_bag", s.bag_lengths.empty(), "data.synthetic.bag_lengths has the lengths of all bags",
       "remove bag_lengths"},
      {"data.synthetic.zipf", data::id_law(s) == data::IdLaw::zipf, "data.synthetic.ids is not \"zipf\"",
       "set ids = \"zipf\""},
      {"data.synthetic.click_rate", planted, reference, to_planted},
      {"data.synthetic.click_rate", !planted || s.labels.rates.empty(),
       "data.synthetic.label_rates has the rates of all labels", "remove label_rates"},
      {"data.synthetic.label_correlation", labels, "data.synthetic.labels names no labels", "set labels"},
      {"data.synthetic.strength", planted, reference, to_planted},
      {"data.synthetic.pair_rank", linked, "data.synthetic.pair and sequence are empty", "set one of them"},
      {"data.synthetic.round_targets", !planted, "data.synthetic.kind is \"planted\", whose targets are 0 or 1",
       "set kind = \"reference\""},
  };
}

std::vector<UnreadRule> evaluate_rules(const Deck& deck) {
  const train::EvaluateSettings& evaluate = deck.evaluate;
  const Names by_threshold = {"accuracy", "precision", "recall", "f1"},
              by_k = {"ndcg", "recall_at_k", "candidate_recall"};
  const Names by_group = {"gauc", "ndcg", "recall_at_k"};
  const auto rule = [&](const char* key, bool is_read, const Names& readers) {
    return UnreadRule{concat("evaluate.", key), is_read, "evaluate.metrics has none of " + join(readers),
                      "add one to evaluate.metrics"};
  };
  const bool thresholds = has_one_of(evaluate.metrics, by_threshold) || has_one_of(deck.train.metrics, by_threshold);
  return {
      rule("threshold", thresholds, by_threshold),
      rule("group", has_one_of(evaluate.metrics, by_group), by_group),
      rule("group_weight", has_one_of(evaluate.metrics, {"gauc"}), {"gauc"}),
      rule("k", has_one_of(evaluate.metrics, by_k), by_k),
      {"evaluate.monitor", evaluate.patience > 0 || deck.checkpoint.keep_best,
       "evaluate.patience is 0 and checkpoint.keep_best is false", "set one of the two"},
      {"evaluate.every_steps", data::has_source(deck.data, data::Use::evaluate), "there are no evaluation data",
       "give data.evaluate or data.synthetic.evaluate_samples"},
  };
}

}  // namespace

std::vector<UnreadRule> run_rules(const Deck& deck) {
  std::vector<UnreadRule> rules = {
      {"run.graphs", deck.run.kernels != Kernels::simd, "run.kernels is \"simd\"", "set another run.kernels"}};
  for (const char* fact : {"org", "platform", "division", "status"})
    rules.push_back({concat("run.mlperf_", fact), !deck.run.mlperf_log.empty(),
                     "run.mlperf_log is empty, so no MLPerf log is written", "set run.mlperf_log"});
  return rules;
}

std::vector<UnreadRule> data_rules(const Deck& deck) {
  const data::Settings& data = deck.data;
  const bool generated = data.synthetic.kind != data::SyntheticKind::none;
  std::vector<UnreadRule> rules = synthetic_rules(data.synthetic);
  rules.push_back({"data.multi_hot_seed", !data.multi_hot_sizes.empty(),
                   "data.multi_hot_sizes is empty, so no ids are added", "set multi_hot_sizes"});
  rules.push_back({"data.trust", !generated, "the samples are those of [data.synthetic], not of files"});
  return rules;
}

std::vector<UnreadRule> train_rules(const Deck& deck) {
  const train::CheckpointSettings& checkpoint = deck.checkpoint;
  std::vector<UnreadRule> rules = {
      {"train.window", !deck.train.metrics.empty(), "train.metrics is empty", "set train.metrics"},
      {"checkpoint.every_steps", checkpoint.keep > 0, "checkpoint.keep = 0 writes no checkpoint", "keep at least 1"},
      {"checkpoint.relane", checkpoint.resume != "never", "checkpoint.resume is \"never\"",
       "set checkpoint.resume = \"auto\""},
  };
  for (UnreadRule& rule : evaluate_rules(deck)) rules.push_back(std::move(rule));
  return rules;
}

std::vector<UnreadRule> plan_rules(const Deck& deck) {
  using planning::ShardingType;
  std::vector<UnreadRule> rules;
  for (const auto& [name, table] : deck.plan.tables) {
    const bool by_default = table.sharding.empty() && deck.plan.default_type;
    const planning::ShardingTypes types =
        by_default ? planning::ShardingTypes(*deck.plan.default_type) : table.sharding;
    const bool cuts = types.allow(ShardingType::column_wise) || types.allow(ShardingType::table_column_wise) ||
                      types.allow(ShardingType::grid);
    const std::string path = "plan.tables." + name;
    rules.push_back({path + ".min_partition", cuts, "the sharding of the table cuts no columns",
                     concat("allow column_wise, table_column_wise or grid in ", path, ".sharding")});
  }
  return rules;
}

}  // namespace tesserec::deck
