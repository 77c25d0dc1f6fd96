// SPDX-License-Identifier: Apache-2.0
// Keys that do nothing, because of the values of other keys.
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "unread_rules.hpp"
#include <tesserec/core/text.hpp>
#include <tesserec/deck/schema.hpp>

namespace tesserec::deck {
namespace {

/// Returns the default of a key that belongs to no named block; "" = none.
std::string preset(const std::string& key) {
  for (const BlockInfo& block : schema())
    for (const KeyInfo& info : block.keys)
      if (block.path + "." + info.name == key) return info.default_value;
  return "";
}

bool same_value(const std::string& a, const std::string& b) {
  const std::optional<double> number = parse_number<double>(a);
  return a == b || (number && number == parse_number<double>(b));
}

/// Returns the message for each rule of a key that nothing reads, and to which the deck gives another value than its
/// default. Effective decks name all keys, so a default is no sign of a wish.
std::vector<std::string> messages_of(const Deck& deck, const std::vector<UnreadRule>& rules) {
  std::map<std::string, std::string> given;
  for (const KeyValue& entry : deck.given) given.emplace(entry.key, entry.value);
  std::vector<std::string> messages;
  for (const UnreadRule& rule : rules) {
    const auto found = given.find(rule.key);
    if (rule.is_read || found == given.end()) continue;
    if (same_value(found->second, rule.preset.empty() ? preset(rule.key) : rule.preset)) continue;
    messages.push_back(concat(deck.at(rule.key), " does nothing, because ", rule.reason, "; remove it",
                              rule.remedy.empty() ? "" : ", or " + rule.remedy));
  }
  return messages;
}

bool keeps_caches(const planning::ComputeKernels& kernels) {
  return kernels.allow(planning::ComputeKernel::disk) || kernels.allow(planning::ComputeKernel::host_cached);
}

}  // namespace

std::vector<std::string> unread_keys(const Deck& deck, const std::vector<std::string>& blocks) {
  std::vector<UnreadRule> rules;
  for (const auto make : {run_rules, data_rules, model_rules, optimizer_rules, train_rules, plan_rules})
    for (UnreadRule& rule : make(deck)) rules.push_back(std::move(rule));
  if (!blocks.empty())
    std::erase_if(rules, [&](const UnreadRule& rule) {
      const std::string head = rule.key.substr(0, rule.key.find('.'));
      return std::find(blocks.begin(), blocks.end(), head) == blocks.end();
    });
  return messages_of(deck, rules);
}

std::vector<std::string> unread_caches(const Deck& deck, const TableKernels& kernels) {
  const planning::Settings& plan = deck.plan;
  const std::string remedy = "set plan.kernel = \"disk\", or on a GPU \"host_cached\", for tables beyond memory";
  const auto any = [&](const auto& test) { return std::any_of(kernels.begin(), kernels.end(), test); };
  const bool caches = any([](const auto& table) { return keeps_caches(table.second); });
  const bool disk = any([](const auto& table) { return table.second.allow(planning::ComputeKernel::disk); });
  const bool shared = any([&](const auto& table) {
    const auto own = plan.tables.find(table.first);
    return keeps_caches(table.second) && (own == plan.tables.end() || !own->second.cache);
  });
  UnreadRule cache = {"plan.cache", shared, "all tables lie whole in memory", remedy};
  UnreadRule folder = {"plan.disk_folder", disk, "all tables lie whole in memory", remedy};
  if (caches) {
    cache = {"plan.cache", shared, "each table with a cache has its own plan.tables.NAME.cache"};
    folder = {"plan.disk_folder", disk, "no table has kernel \"disk\""};
  }
  std::vector<UnreadRule> rules = {std::move(cache), std::move(folder)};
  for (const auto& [name, constraints] : plan.tables) {
    const auto table = kernels.find(name);
    const std::string path = "plan.tables." + name;
    rules.push_back({path + ".cache", table == kernels.end() || keeps_caches(table->second),
                     "the table lies whole in memory",
                     concat("set ", path, ".kernel = \"disk\", or on a GPU \"host_cached\"")});
  }
  return messages_of(deck, rules);
}

}  // namespace tesserec::deck
