// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <set>

#include <tesserec/core/text.hpp>
#include <tesserec/planning/planner.hpp>

namespace tesserec::planning {
namespace {

using embedding::EmbeddingBagConfig;

/// "0-3 5"
std::string runs_of(const std::set<int>& ranks) {
  std::vector<std::string> runs;
  for (auto at = ranks.begin(); at != ranks.end();) {
    const int first = *at;
    int last = first;
    while (++at != ranks.end() && *at == last + 1) ++last;
    runs.push_back(last > first ? concat(first, "-", last) : std::to_string(first));
  }
  return join(runs, " ");
}

std::size_t name_width(std::span<const EmbeddingBagConfig> tables) {
  std::size_t width = 5;
  for (const EmbeddingBagConfig& table : tables) width = std::max(width, table.name.size());
  return std::min<std::size_t>(width, 40);
}

/// table, rows, dim, type, kernel, travel, ranks
std::string in_columns(const std::array<std::string, 7>& cells, std::size_t width) {
  return concat("  ", left(cells[0], width), ' ', right(cells[1], 11), ' ', right(cells[2], 5), "  ",
                left(cells[3], 17), "  ", left(cells[4], 6), "  ", left(cells[5], 6), "  ", cells[6]);
}

std::string table_line(const EmbeddingBagConfig& table, const ParameterSharding& sharding, std::size_t width) {
  std::set<int> ranks;
  for (const Shard& shard : sharding.shards) ranks.insert(shard.rank);
  return in_columns(
      {table.name, std::to_string(table.num_embeddings), std::to_string(table.embedding_dim), name(sharding.type),
       name(sharding.kernel), form_name(sharding.form), ranks.empty() ? "all" : runs_of(ranks)},
      width);
}

std::string shard_text(const Shard& shard, const embedding::RowBlocks& blocks) {
  const Range rows = blocks.rows(shard.blocks);
  return concat(shard.rank, ": [", rows.begin, ", ", shard.columns.begin, "] ", rows.size(), " x ",
                shard.columns.size());
}

}  // namespace

const char* form_name(ExchangeForm form) {
  return form == ExchangeForm::pooled ? "pooled" : form == ExchangeForm::rows ? "rows" : "two_levels";
}

std::string describe(std::span<const EmbeddingBagConfig> tables, const ShardingPlan& plan) {
  const std::size_t width = name_width(tables);
  std::string text = in_columns({"table", "rows", "dim", "type", "kernel", "travel", "ranks"}, width) +
                     "; shards as rank: [row, column] rows x columns\n";
  for (std::size_t t = 0; t < tables.size(); ++t) {
    const embedding::RowBlocks blocks(tables[t].num_embeddings);
    const auto shard = [&](const Shard& one) { return shard_text(one, blocks); };
    text += table_line(tables[t], plan[t], width) + (plan[t].shards.empty() ? "" : "; ") +
            join(plan[t].shards, ", ", shard) + "\n";
  }
  return text;
}

std::string describe(std::span<const EmbeddingBagConfig> tables, const ProvenPlan& proven) {
  const PlanEstimate& estimate = proven.estimate;
  std::string text = "  rank            bytes       seconds\n";
  for (std::size_t r = 0; r < estimate.seconds.size(); ++r)
    text += concat("  ", right(std::to_string(r), 4), ' ', right(fixed(estimate.bytes[r], 0), 16), "  ",
                   right(significant(estimate.seconds[r], 6), 12), "\n");
  text += concat("  critical path ", significant(estimate.critical_path(), 6), " s, lower bound ",
                 significant(proven.lower_bound, 6), " s, gap ", fixed(100 * proven.gap(), 2), " %",
                 proven.exact ? " (exact)" : "", ", imbalance ", fixed(estimate.imbalance(), 3), "\n");
  return text + describe(tables, proven.plan);
}

}  // namespace tesserec::planning
