// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <set>

#include <tesserec/planning/planner.hpp>

namespace tesserec::planning {
namespace {

using embedding::EmbeddingBagConfig;

template <class... Values>
std::string line(const char* format, Values... values) {
  char text[400];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

/// "0-3 5"
std::string runs(const std::set<int>& ranks) {
  std::string text;
  for (auto at = ranks.begin(); at != ranks.end();) {
    const int first = *at;
    int last = first;
    while (++at != ranks.end() && *at == last + 1) ++last;
    text += (text.empty() ? "" : " ") + std::to_string(first) + (last > first ? "-" + std::to_string(last) : "");
  }
  return text;
}

std::size_t name_width(std::span<const EmbeddingBagConfig> tables) {
  std::size_t width = 5;
  for (const EmbeddingBagConfig& table : tables) width = std::max(width, table.name.size());
  return std::min<std::size_t>(width, 40);
}

std::string table_line(const EmbeddingBagConfig& table, const ParameterSharding& sharding, std::size_t width) {
  std::set<int> ranks;
  for (const Shard& shard : sharding.shards) ranks.insert(shard.rank);
  return line("  %-*s %11lld %5lld  %-17s  %-6s  %-6s  %s", static_cast<int>(width), table.name.c_str(),
              static_cast<long long>(table.num_embeddings), static_cast<long long>(table.embedding_dim),
              name(sharding.type), name(sharding.kernel), form_name(sharding.form),
              sharding.shards.empty() ? "all" : runs(ranks).c_str());
}

std::string head(std::size_t width) {
  return line("  %-*s %11s %5s  %-17s  %-6s  %-6s  %s", static_cast<int>(width), "table", "rows", "dim", "type",
              "kernel", "travel", "ranks");
}

}  // namespace

const char* form_name(ExchangeForm form) { return form == ExchangeForm::pooled ? "pooled" : "rows"; }

std::string describe(std::span<const EmbeddingBagConfig> tables, const ShardingPlan& plan) {
  const std::size_t width = name_width(tables);
  std::string text = head(width) + "; shards as rank: [row, column] rows x columns\n";
  for (std::size_t t = 0; t < tables.size(); ++t) {
    text += table_line(tables[t], plan[t], width);
    const embedding::RowBlocks blocks(tables[t].num_embeddings);
    for (const Shard& shard : plan[t].shards) {
      const Range rows = blocks.rows(shard.blocks);
      text += line("%s%d: [%lld, %lld] %lld x %lld", &shard == plan[t].shards.data() ? "; " : ", ", shard.rank,
                   static_cast<long long>(rows.begin), static_cast<long long>(shard.columns.begin),
                   static_cast<long long>(rows.size()), static_cast<long long>(shard.columns.size()));
    }
    text += "\n";
  }
  return text;
}

std::string describe(std::span<const EmbeddingBagConfig> tables, const ProvenPlan& proven) {
  const PlanEstimate& estimate = proven.estimate;
  std::string text = "  rank            bytes       seconds\n";
  for (std::size_t r = 0; r < estimate.seconds.size(); ++r)
    text += line("  %4zu %16.0f  %12.6g\n", r, estimate.bytes[r], estimate.seconds[r]);
  text += line("  critical path %.6g s, lower bound %.6g s, gap %.2f %%%s, imbalance %.3f\n", estimate.critical_path(),
               proven.lower_bound, 100 * proven.gap(), proven.exact ? " (exact)" : "", estimate.imbalance());
  return text + describe(tables, proven.plan);
}

}  // namespace tesserec::planning
