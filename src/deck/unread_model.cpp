// SPDX-License-Identifier: Apache-2.0
// Rules of [model], [[table]], [optimizer] and the tables' own optimizers.
#include <algorithm>
#include <iterator>
#include <set>

#include "section.hpp"
#include "unread_rules.hpp"
#include <tesserec/core/text.hpp>

namespace tesserec::deck {
namespace {

/// Number that only some types of optimizer read.
struct OptimizerNumber {
  const char* key;
  double optim::Settings::*member;
};
constexpr OptimizerNumber optimizer_numbers[] = {
    {"eps", &optim::Settings::eps},
    {"beta1", &optim::Settings::beta1},
    {"beta2", &optim::Settings::beta2},
    {"initial_accumulator", &optim::Settings::initial_accumulator},
};

std::string types_that_read(const std::vector<optim::TypeInfo>& types, const std::string& key) {
  std::vector<optim::TypeInfo> readers;
  std::ranges::copy_if(types, std::back_inserter(readers), [&](const auto& type) { return type.reads(key); });
  return join(readers, ", ", &optim::TypeInfo::name);
}

/// Returns whether `key` of [optimizer.sparse] gets to a table's own optimizer that reads it.
bool is_inherited(const Deck& deck, const std::string& key) {
  return std::ranges::any_of(deck.tables, [&](const embedding::EmbeddingBagConfig& table) {
    if (!table.optimizer || deck.lines.count(concat("table.", table.name, ".optimizer.", key)) != 0) return false;
    return key == "decay" ? table.optimizer->weight_decay > 0 : optim::info(table.optimizer->type).reads(key);
  });
}

/// Adds the rules of the optimizer at `path`. A table's own optimizer has the values of `base` where it gives none.
void add_optimizer(const Deck& deck, const std::string& path, const optim::Settings& optimizer,
                   const optim::Settings* base, std::vector<UnreadRule>& rules) {
  const optim::TypeInfo& type = optim::info(optimizer.type);
  const std::vector<optim::TypeInfo> types = path == "optimizer.dense" ? optim::tensor_types() : optim::types();
  const bool inherited = path == "optimizer.sparse";
  for (const OptimizerNumber& number : optimizer_numbers)
    rules.push_back({concat(path, ".", number.key),
                     type.reads(number.key) || (inherited && is_inherited(deck, number.key)),
                     concat(path, ".type is ", quoted(type.name), ", which does not read it"),
                     concat("set ", path, ".type to one of ", types_that_read(types, number.key)),
                     base != nullptr ? shortest(base->*number.member) : ""});
  const bool decoupled = base != nullptr && base->decay == optim::Decay::decoupled;
  const char* const decay = decoupled ? "\"decoupled\"" : "\"l2\"";
  rules.push_back({path + ".decay", optimizer.weight_decay > 0 || (inherited && is_inherited(deck, "decay")),
                   concat(path, ".weight_decay is 0"), concat("set ", path, ".weight_decay"), decay});
}

/// Returns whether each table gets the dense kernel, and with it [optimizer.dense].
bool all_dense(const Deck& deck) {
  using planning::ComputeKernel;
  const auto only_dense = [](const planning::ComputeKernels& kernels) {
    return kernels.forced() && kernels.has(ComputeKernel::dense);
  };
  if (!deck.plan.file.empty() || !only_dense(deck.plan.kernel)) return false;
  return std::ranges::all_of(deck.plan.tables, [&](const auto& table) {
    return table.second.kernel.empty() || only_dense(table.second.kernel);
  });
}

}  // namespace

std::vector<UnreadRule> model_rules(const Deck& deck) {
  const network::Settings& model = deck.model;
  const network::SmallerTables& smaller = model.smaller;
  const std::string no_qr = "model.qr_collisions is 0, so no table is cut in two";
  const std::string no_md = "model.md_temperature is 0, so no table has mixed dimensions";
  const bool own_qr = std::ranges::any_of(
      deck.tables, [](const auto& table) { return table.half || table.qr_collisions.value_or(0) > 0; });
  const bool ranks = model.cross.type == network::Cross::low_rank || model.cross.type == network::Cross::mixture;
  std::vector<UnreadRule> rules = {
      {"model.qr_threshold", smaller.qr_collisions > 0,
       own_qr ? "model.qr_collisions is 0, and table.NAME.qr_collisions cuts tables of any size" : no_qr,
       "set model.qr_collisions"},
      {"model.qr_operation", smaller.qr_collisions > 0 || own_qr, no_qr, "set model.qr_collisions"},
      {"model.md_threshold", smaller.md_temperature > 0, no_md, "set model.md_temperature"},
      {"model.md_round_dims", smaller.md_temperature > 0, no_md, "set model.md_temperature"},
      {"model.itself", model.interaction == network::Interaction::dot, "model.interaction is not \"dot\"",
       "set model.interaction = \"dot\""},
      {"model.cross_rank", ranks, "model.cross is neither \"low_rank\" nor \"mixture\"",
       "set model.cross to one of them"},
      {"model.cross_experts", model.cross.type == network::Cross::mixture, "model.cross is not \"mixture\"",
       "set model.cross = \"mixture\""},
  };
  for (const embedding::EmbeddingBagConfig& table : deck.tables) {
    bool pools = false;
    for (std::size_t f = 0; f < table.feature_names.size(); ++f) pools = pools || table.pools(f);
    const std::string path = "table." + table.name;
    rules.push_back({path + ".pooling", pools, path + ".unpooled has all features of the table",
                     concat("remove one from ", path, ".unpooled")});
  }
  return rules;
}

std::vector<UnreadRule> optimizer_rules(const Deck& deck) {
  const optim::Settings &dense = deck.optimizer.dense, &sparse = deck.optimizer.sparse;
  std::vector<UnreadRule> rules;
  add_optimizer(deck, "optimizer.dense", dense, nullptr, rules);
  const bool own = std::ranges::any_of(deck.tables, [](const auto& table) { return table.optimizer.has_value(); });
  if (all_dense(deck) && !own) {
    for (const KeyValue& entry : deck.given)
      if (entry.key.starts_with("optimizer.sparse."))
        rules.push_back({entry.key, false, "all tables have kernel \"dense\", which [optimizer.dense] moves",
                         "set it in [optimizer.dense]"});
  } else {
    add_optimizer(deck, "optimizer.sparse", sparse, nullptr, rules);
  }
  for (const embedding::EmbeddingBagConfig& table : deck.tables)
    if (table.optimizer)
      add_optimizer(deck, concat("table.", table.name, ".optimizer"), *table.optimizer, &sparse, rules);
  return rules;
}

}  // namespace tesserec::deck
