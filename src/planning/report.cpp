// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include <tesserec/core/text.hpp>
#include <tesserec/planning/planner.hpp>

namespace tesserec::planning {
namespace {

using embedding::EmbeddingBagConfig;

/// Most shards of a table, runs of ranks, and groups of ranks that a plan's text lists individually.
constexpr std::size_t max_shards = 8, max_runs = 6, max_groups = 16;

/// Formats ranks as runs: "0-3 5".
std::string runs_of(const std::set<int>& ranks) {
  std::vector<std::string> runs;
  for (auto at = ranks.begin(); at != ranks.end();) {
    const int first = *at;
    int last = first;
    while (++at != ranks.end() && *at == last + 1) ++last;
    runs.push_back(last > first ? concat(first, "-", last) : std::to_string(first));
  }
  if (runs.size() <= max_runs) return join(runs, " ");
  runs.resize(max_runs);
  return concat(join(runs, " "), " ... (", counted(std::ssize(ranks), "rank"), ")");
}

std::size_t name_width(std::span<const EmbeddingBagConfig> tables) {
  std::size_t width = 5;
  for (const EmbeddingBagConfig& table : tables) width = std::max(width, table.name.size());
  return std::min<std::size_t>(width, 40);
}

/// Aligns the cells of a table: name, rows, dim, type, kernel, exchange, ranks.
std::string in_columns(const std::array<std::string, 7>& cells, std::size_t width) {
  return concat("  ", left(cells[0], width), ' ', right(cells[1], 11), ' ', right(cells[2], 5), "  ",
                left(cells[3], 17), "  ", left(cells[4], 6), "  ", left(cells[5], 10), "  ", cells[6]);
}

std::string table_line(const EmbeddingBagConfig& table, const ParameterSharding& sharding, std::size_t width,
                       const std::string& reason) {
  std::set<int> ranks;
  for (const Shard& shard : sharding.shards) ranks.insert(shard.rank);
  return in_columns(
             {table.name, std::to_string(table.rows().size()), std::to_string(table.embedding_dim), name(sharding.type),
              name(sharding.kernel), form_name(sharding.form), ranks.empty() ? "all" : runs_of(ranks)},
             width) +
         (reason.empty() ? "" : ": " + reason);
}

std::string shard_text(const Shard& shard, const EmbeddingBagConfig& table) {
  const Range rows = table.blocks().rows(shard.blocks);
  return concat(shard.rank, ": [", rows.begin, ", ", shard.columns.begin, "] ", rows.size(), " x ",
                shard.columns.size());
}

std::string shards_text(const ParameterSharding& sharding, const EmbeddingBagConfig& table) {
  const std::span<const Shard> shards = sharding.shards, shown = shards.first(std::min(shards.size(), max_shards));
  return join(shown, ", ", [&](const Shard& shard) { return shard_text(shard, table); }) +
         (shown.size() < shards.size() ? concat(", and ", shards.size() - shown.size(), " more (--json has all)") : "");
}

/// Cells of a rank: memory, step, lookup, exchange, update, latency.
using RankCells = std::array<std::string, 6>;

RankCells cells_of(const PlanEstimate& estimate, std::size_t rank) {
  const StepSeconds& split = estimate.split[rank];
  return {bytes_text(estimate.bytes[rank]), seconds_text(estimate.seconds[rank]), seconds_text(split.lookup),
          seconds_text(split.exchange),     seconds_text(split.update),           seconds_text(split.latency)};
}

std::string rank_line(const RankCells& cells, const std::string& ranks) {
  return "  " + join(cells, " ", [](const std::string& cell) { return right(cell, 11); }) + "  " + ranks + "\n";
}

/// Writes a line for each group of ranks with equal cells. If there are many groups, writes the extremes and the
/// median.
std::string ranks_text(const PlanEstimate& estimate) {
  const std::size_t ranks = estimate.seconds.size();
  std::vector<std::size_t> by_time(ranks);
  std::iota(by_time.begin(), by_time.end(), 0);
  std::stable_sort(by_time.begin(), by_time.end(),
                   [&](std::size_t a, std::size_t b) { return estimate.seconds[a] > estimate.seconds[b]; });
  std::map<RankCells, std::set<int>> groups;
  std::vector<RankCells> order;
  for (const std::size_t rank : by_time) {
    std::set<int>& group = groups[cells_of(estimate, rank)];
    if (group.empty()) order.push_back(cells_of(estimate, rank));
    group.insert(int(rank));
  }
  std::string text = rank_line({"memory", "step", "lookup", "exchange", "update", "latency"}, "ranks");
  if (order.size() <= max_groups) {
    for (const RankCells& cells : order) text += rank_line(cells, runs_of(groups[cells]));
    return text;
  }
  const auto line = [&](std::size_t rank, const char* label) {
    const RankCells cells = cells_of(estimate, rank);
    const std::size_t others = groups[cells].size() - 1;
    const std::string alike = others > 0 ? concat(", and ", others, " alike") : "";
    return rank_line(cells, concat(rank, ", ", label, alike));
  };
  const auto fullest = std::max_element(estimate.bytes.begin(), estimate.bytes.end()) - estimate.bytes.begin();
  return text + line(by_time.front(), "slowest") + line(fullest, "fullest") + line(by_time[ranks / 2], "median time") +
         line(by_time.back(), "fastest") +
         concat("  of ", ranks, " ranks in ", order.size(), " groups (--json has all)\n");
}

/// Writes the slowest rank of the best plan with each number of replica groups.
std::string tried_text(const std::vector<ProvenPlan::Tried>& tried) {
  if (tried.empty()) return "";
  std::string text = rank_line({"memory", "step", "lookup", "exchange", "update", "latency"}, "replica groups");
  for (const ProvenPlan::Tried& groups : tried) {
    const std::vector<double>& seconds = groups.estimate.seconds;
    const std::string number = std::to_string(groups.replicas);
    if (!groups.refused.empty()) {
      text += "  " + number + ": " + groups.refused + "\n";
      continue;
    }
    RankCells cells = cells_of(groups.estimate, std::ranges::max_element(seconds) - seconds.begin());
    cells[0] = bytes_text(std::ranges::max(groups.estimate.bytes));
    text += rank_line(cells, number);
  }
  return text;
}

std::string plan_table(std::span<const EmbeddingBagConfig> tables, const ShardingPlan& plan,
                       const std::vector<std::string>& reasons) {
  const std::size_t width = name_width(tables);
  std::string text;
  if (const int groups = replicas(plan); groups > 1)
    text = concat("  ", groups, " replica groups; ranks are those of the first group, and the others have copies\n");
  text += in_columns({"table", "rows", "dim", "type", "kernel", "exchange", "ranks"}, width) +
          (reasons.empty() ? "" : ": reason") + "; shards as rank: [row, column] rows x columns\n";
  for (std::size_t t = 0; t < tables.size(); ++t) {
    text += table_line(tables[t], plan[t], width, reasons.empty() ? "" : reasons[t]);
    if (!plan[t].shards.empty()) text += "; " + shards_text(plan[t], tables[t]);
    text += "\n";
  }
  return text;
}

}  // namespace

const char* form_name(ExchangeForm form) {
  if (form == ExchangeForm::pooled) return "pooled";
  return form == ExchangeForm::rows ? "rows" : "two_levels";
}

std::string popularity_text(std::span<const EmbeddingBagConfig> tables, const Settings& settings) {
  std::map<std::string, Index> sources;
  for (const EmbeddingBagConfig& table : tables) {
    const auto found = settings.tables.find(table.name);
    const ParameterConstraints demand = found == settings.tables.end() ? ParameterConstraints{} : found->second;
    const double zipf = demand.zipf.value_or(0);
    const std::string law = zipf > 0 ? concat("Zipf ", significant(zipf, 4), ", scattered") : "taken as equal";
    ++sources[demand.popular ? demand.popular->from : law];
  }
  const bool single_source = sources.size() == 1;
  return "frequencies of rows: " +
         join(sources, "; ",
              [&](const auto& source) {
                return source.first + (single_source ? "" : concat(" (", counted(source.second, "table"), ")"));
              }) +
         "\n";
}

std::string describe(std::span<const EmbeddingBagConfig> tables, const ShardingPlan& plan) {
  return plan_table(tables, plan, {});
}

std::string describe(std::span<const EmbeddingBagConfig> tables, const ProvenPlan& proven) {
  const PlanEstimate& estimate = proven.estimate;
  return tried_text(proven.tried) + ranks_text(estimate) +
         concat("  critical path ", seconds_text(estimate.critical_path()), ", lower bound ",
                seconds_text(proven.lower_bound), ", gap ", fixed(100 * proven.gap(), 2), " %",
                proven.exact ? " (exact)" : "", ", imbalance ", fixed(estimate.imbalance(), 3), "\n") +
         plan_table(tables, proven.plan, proven.reasons);
}

}  // namespace tesserec::planning
