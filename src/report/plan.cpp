// SPDX-License-Identifier: Apache-2.0
#include "plan.hpp"

#include <algorithm>

#include "record.hpp"
#include "scale.hpp"
#include <tesserec/core/text.hpp>

namespace tesserec::report {
namespace {

Plan::Table table_of(const Json& json, std::size_t ranks) {
  const double rows = json.at("rows").number(), columns = json.at("dim").number();
  Plan::Table table{json.at("name").string(), concat(tick_text(rows), " × ", columns), json.at("type").string(),
                    rows * columns, std::vector<double>(ranks)};
  for (const Json& shard : json.at("shards").elements()) {
    const std::vector<double> size = numbers(shard.at("size"));
    const double rank = shard.at("rank").number();
    if (size.size() == 2 && rank >= 0 && rank < double(ranks) && table.numbers > 0)
      table.shares[std::size_t(rank)] += size[0] * size[1] / table.numbers;
  }
  if (json.at("shards").elements().empty()) std::fill(table.shares.begin(), table.shares.end(), 1.0);
  return table;
}

}  // namespace

Plan plan_of(const Json& json) {
  Plan plan;
  const std::size_t ranks = plan.ranks = std::size_t(std::max(1.0, json.at("ranks").number()));
  for (const Json& table : json.at("tables").elements()) plan.tables.push_back(table_of(table, ranks));
  std::stable_sort(plan.tables.begin(), plan.tables.end(),
                   [](const Plan::Table& a, const Plan::Table& b) { return a.numbers > b.numbers; });
  if (json.has("memory_bytes")) plan.memory = json.at("memory_bytes").number();
  const double before = json.has("taken_bytes") ? json.at("taken_bytes").number() : 0;  // any table
  if (json.has("per_rank"))
    for (const Json& rank : json.at("per_rank").elements()) plan.taken.push_back(before + rank.at("bytes").number());
  if (plan.taken.size() != ranks || !(plan.memory > 0)) plan.taken.clear();
  return plan;
}

}  // namespace tesserec::report
