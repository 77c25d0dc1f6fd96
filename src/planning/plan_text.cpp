// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include <tesserec/core/text.hpp>
#include <tesserec/planning/plan_text.hpp>

namespace tesserec::planning {
namespace {

using Line = std::vector<std::string>;

std::string pair(Index a, Index b) { return concat("[", a, ", ", b, "]"); }

/// Aligns the columns of lines, the first of which is the header. No line ends with blanks.
std::string aligned(const std::vector<Line>& lines) {
  std::vector<std::size_t> widths(lines[0].size());
  for (const Line& line : lines)
    for (std::size_t c = 0; c < line.size(); ++c) widths[c] = std::max(widths[c], line[c].size());
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    Line cells = lines[i];
    for (std::size_t c = 0; c + 1 < cells.size(); ++c) cells[c] = left(cells[c], widths[c]);
    text += join(cells, " | ") + "\n";
    if (i == 0) text += join(widths, "-+-", [](std::size_t width) { return std::string(width, '-'); }) + "\n";
  }
  return text;
}

std::string ranks_of(const ParameterSharding& sharding, int ranks) {
  std::vector<int> owners;
  if (sharding.shards.empty())
    for (int rank = 0; rank < ranks; ++rank) owners.push_back(rank);
  for (const Shard& shard : sharding.shards)
    if (std::find(owners.begin(), owners.end(), shard.rank) == owners.end()) owners.push_back(shard.rank);
  return "[" + join(owners) + "]";
}

}  // namespace

std::string plan_text(std::span<const embedding::EmbeddingBagConfig> tables, const ShardingPlan& plan, int ranks) {
  std::vector<Line> types = {{"table", "sharding type", "compute kernel", "ranks"}};
  std::vector<Line> shards = {{"table", "shard offsets", "shard sizes", "placement"}};
  for (std::size_t t = 0; t < plan.size(); ++t) {
    types.push_back({tables[t].name, name(plan[t].type), name(plan[t].kernel), ranks_of(plan[t], ranks)});
    for (const Shard& shard : plan[t].shards) {
      const Range rows = tables[t].blocks().rows(shard.blocks);
      shards.push_back({tables[t].name, pair(rows.begin, shard.columns.begin), pair(rows.size(), shard.columns.size()),
                        "rank " + std::to_string(shard.rank) + ", cpu"});
    }
  }
  return aligned(types) + (shards.size() > 1 ? "\n" + aligned(shards) : "");
}

}  // namespace tesserec::planning
