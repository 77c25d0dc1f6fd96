// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include <tesserec/schema/model_deck.hpp>
#include <tesserec/scoring/model_folder.hpp>

namespace tesserec::scoring {
namespace {

/// Returns whether a key of a deck says what the model is, beyond how it is trained.
bool is_of_model(const std::string& key) {
  if (key.starts_with("model."))
    return !key.starts_with("model.loss") && key != "model.exchange_backward" && key != "model.task_weights";
  if (!key.starts_with("table.") || key.find(".optimizer.") != std::string::npos) return false;
  constexpr const char* of_training[] = {".start", ".admit_after", ".eviction", ".ttl"};
  return std::ranges::none_of(of_training, [&](const char* end) { return key.ends_with(end); });
}

/// Returns whether a key decides about start values that ids without a row read.
bool reads_start_values(const schema::ModelDeck& deck, const std::string& key) {
  return std::ranges::any_of(deck.tables, [&](const embedding::EmbeddingBagConfig& table) {
    return table.grows() && table.growth.unknown == embedding::UnknownRow::start &&
           (key == "run.seed" || key == "table." + table.name + ".start");
  });
}

std::map<std::string, std::string> model_keys(const TrainedFacts& facts) {
  std::map<std::string, std::string> keys;
  const schema::ModelDeck deck = schema::read_model(facts.deck, facts.file + ": deck");
  for (const schema::KeyValue& entry : deck.given)
    if (is_of_model(entry.key) || reads_start_values(deck, entry.key)) keys[entry.key] = entry.value;
  return keys;
}

}  // namespace

std::string model_difference(const TrainedFacts& a, const TrainedFacts& b) {
  const std::map<std::string, std::string> keys_a = model_keys(a), keys_b = model_keys(b);
  for (const auto* keys : {&keys_a, &keys_b})
    for (const auto& [key, value] : *keys) {
      const auto in_a = keys_a.find(key), in_b = keys_b.find(key);
      if (in_a == keys_a.end() || in_b == keys_b.end() || in_a->second != in_b->second) return key;
    }
  const auto same = [](const embedding::DataFeature& x, const embedding::DataFeature& y) {
    return x.name == y.name && x.ids == y.ids;
  };
  if (!std::ranges::equal(a.features, b.features, same)) return "a feature of the data";
  if (a.dense_features != b.dense_features || a.dense_names != b.dense_names) return "the list of dense features";
  if (a.transforms != b.transforms) return "a transform of the dense features";
  if (a.borders != b.borders) return "a border of quantiles";
  return a.vocabulary == b.vocabulary ? "" : "the vocabulary";
}

}  // namespace tesserec::scoring
