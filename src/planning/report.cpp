// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <vector>

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

/// table, rows, dim, type, kernel, exchange, ranks
std::string in_columns(const std::array<std::string, 7>& cells, std::size_t width) {
  return concat("  ", left(cells[0], width), ' ', right(cells[1], 11), ' ', right(cells[2], 5), "  ",
                left(cells[3], 17), "  ", left(cells[4], 6), "  ", left(cells[5], 10), "  ", cells[6]);
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

/// A plan's text names so many shards of a table, and so many ranks, one by one.
constexpr std::size_t most_shards = 8, most_ranks = 16;

std::string shards_text(const ParameterSharding& sharding, const embedding::RowBlocks& blocks) {
  const std::span<const Shard> all = sharding.shards, shown = all.first(std::min(all.size(), most_shards));
  return join(shown, ", ", [&](const Shard& shard) { return shard_text(shard, blocks); }) +
         (shown.size() < all.size() ? concat(", and ", all.size() - shown.size(), " more (--json has all)") : "");
}

std::string rank_line(const PlanEstimate& estimate, std::size_t rank, const char* what) {
  return concat("  ", right(std::to_string(rank), 6), "  ", right(bytes_text(estimate.bytes[rank]), 12), "  ",
                right(significant(1e3 * estimate.seconds[rank], 4), 10), *what != 0 ? "  " : "", what, "\n");
}

/// Every rank, or of many those at the ends and in the middle.
std::string ranks_text(const PlanEstimate& estimate) {
  std::string text = concat("  ", right("rank", 6), "  ", right("memory", 12), "  ", right("ms", 10), "\n");
  const std::size_t ranks = estimate.seconds.size();
  if (ranks <= most_ranks) {
    for (std::size_t rank = 0; rank < ranks; ++rank) text += rank_line(estimate, rank, "");
    return text;
  }
  std::vector<std::size_t> by_time(ranks);
  std::iota(by_time.begin(), by_time.end(), 0);
  std::stable_sort(by_time.begin(), by_time.end(),
                   [&](std::size_t a, std::size_t b) { return estimate.seconds[a] > estimate.seconds[b]; });
  const auto fullest = std::max_element(estimate.bytes.begin(), estimate.bytes.end()) - estimate.bytes.begin();
  return text + rank_line(estimate, by_time.front(), "slowest") + rank_line(estimate, fullest, "fullest") +
         rank_line(estimate, by_time[ranks / 2], "median of time") + rank_line(estimate, by_time.back(), "fastest") +
         concat("  of ", ranks, " ranks (--json has all)\n");
}

}  // namespace

const char* form_name(ExchangeForm form) {
  if (form == ExchangeForm::pooled) return "pooled";
  return form == ExchangeForm::rows ? "rows" : "two_levels";
}

std::string describe(std::span<const EmbeddingBagConfig> tables, const ShardingPlan& plan) {
  const std::size_t width = name_width(tables);
  std::string text = in_columns({"table", "rows", "dim", "type", "kernel", "exchange", "ranks"}, width) +
                     "; shards as rank: [row, column] rows x columns\n";
  for (std::size_t t = 0; t < tables.size(); ++t) {
    const embedding::RowBlocks blocks(tables[t].num_embeddings);
    text += table_line(tables[t], plan[t], width) + (plan[t].shards.empty() ? "" : "; ") +
            shards_text(plan[t], blocks) + "\n";
  }
  return text;
}

std::string describe(std::span<const EmbeddingBagConfig> tables, const ProvenPlan& proven) {
  const PlanEstimate& estimate = proven.estimate;
  std::string text = ranks_text(estimate);
  text += concat("  critical path ", significant(1e3 * estimate.critical_path(), 6), " ms, lower bound ",
                 significant(1e3 * proven.lower_bound, 6), " ms, gap ", fixed(100 * proven.gap(), 2), " %",
                 proven.exact ? " (exact)" : "", ", imbalance ", fixed(estimate.imbalance(), 3), "\n");
  return text + describe(tables, proven.plan);
}

}  // namespace tesserec::planning
