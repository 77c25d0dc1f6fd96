// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cassert>

#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/planning/plan.hpp>

namespace tesserec::planning {
namespace {

/// Throws Error if a table that grows has copies, which would see other ids and decide otherwise.
void check_copies(const embedding::EmbeddingBagConfig& table, const ParameterSharding& sharding) {
  if (!table.grows()) return;
  const std::string otherwise = concat(", or set table.", table.name, ".growing = false");
  if (sharding.type == ShardingType::data_parallel)
    fail("table ", table.name,
         " grows, so it cannot be data_parallel: its copies would see other ids. Allow other types in plan.tables.",
         table.name, ".sharding (or plan.default)", otherwise);
  if (sharding.replicas > 1)
    fail("table ", table.name, " grows, so it cannot be in ", sharding.replicas,
         " replica groups: its copies would see other ids. Set plan.replicas = 1", otherwise);
}

void check_table(const embedding::EmbeddingBagConfig& table, const ParameterSharding& sharding, int ranks) {
  const auto refuse = [&](const auto&... message) { fail("plan of table ", table.name, ": ", message...); };
  const std::vector<Shard>& shards = sharding.shards;
  const std::string type = name(sharding.type);
  if (sharding.form == ExchangeForm::two_levels && !inside_nodes(sharding.type))
    refuse("exchange \"two_levels\" needs type table_row_wise, table_column_wise or grid, not ", type);
  if (sharding.type == ShardingType::data_parallel) {
    if (!shards.empty())
      refuse("a data_parallel table has no shards, but the plan has ", shards.size(), "; remove them");
    return;
  }
  if (shards.empty()) refuse("a ", type, " table needs shards, but the plan has none; add them");
  if (sharding.type == ShardingType::table_wise && shards.size() > 1)
    refuse("a table_wise table has one shard, but the plan has ", shards.size(), "; name it row_wise or column_wise");
  Range columns{0, 0};
  std::vector<Range> rows, first_rows;  // row cuts of the current column piece, and of the first
  for (std::size_t i = 0; i < shards.size(); ++i) {
    const Shard& shard = shards[i];
    if (shard.rank < 0 || shard.rank >= ranks)
      refuse("rank ", shard.rank, " does not exist; ", sharding.replicas > 1 ? "a replica group" : "the job",
             " has ranks 0 to ", ranks - 1);
    if (i == 0 || shard.columns != columns) {
      if (shard.columns.begin != columns.end || shard.columns.size() <= 0)
        refuse("columns ", shard.columns.begin, " to ", shard.columns.end, " do not follow column ", columns.end,
               "; cover every column once, in order");
      if (shard.columns.begin % 4 != 0)
        refuse("column ", shard.columns.begin, " is not a multiple of 4; move the border");
      columns = shard.columns;
      rows.clear();
    }
    const Index next = rows.empty() ? 0 : rows.back().end;
    if (shard.blocks.begin != next || shard.blocks.size() < 0)
      refuse("row blocks ", shard.blocks.begin, " to ", shard.blocks.end, " do not follow block ", next,
             "; cover every row block once, in order");
    rows.push_back(shard.blocks);
    const bool last = i + 1 == shards.size() || shards[i + 1].columns != columns;
    if (last && rows.back().end != embedding::block_count)
      refuse("its row blocks end at ", rows.back().end, " instead of ", embedding::block_count,
             "; add the missing blocks");
    if (last && first_rows.empty()) first_rows = rows;
    if (last && rows != first_rows)
      refuse("columns ", columns.begin, " to ", columns.end,
             " have other row cuts than the first columns; cut all alike");
  }
  if (columns.end != table.embedding_dim)
    refuse("its columns end at ", columns.end, " instead of ", table.embedding_dim, "; cover all columns");
  const bool rows_cut = first_rows.size() > 1, columns_cut = shards.size() > first_rows.size();
  const bool by_rows = sharding.type == ShardingType::row_wise || sharding.type == ShardingType::table_row_wise;
  const bool by_columns =
      sharding.type == ShardingType::column_wise || sharding.type == ShardingType::table_column_wise;
  if (by_rows && columns_cut) refuse(type, " does not cut columns; name it grid");
  if (by_columns && rows_cut) refuse(type, " does not cut rows; name it grid");
}

}  // namespace

std::vector<Shard> cut(const embedding::EmbeddingBagConfig& table, Index row_cuts, Index column_cuts,
                       std::span<const int> owners) {
  assert(row_cuts >= 1 && column_cuts >= 1 && column_cuts <= max_column_cuts(table));
  assert(std::ssize(owners) == row_cuts * column_cuts);
  const auto blocks = table.blocks();
  const Index quads = max_column_cuts(table);
  const auto column = [&](Index piece) { return std::min(table.embedding_dim, piece * quads / column_cuts * 4); };
  std::vector<Shard> shards;
  for (Index c = 0; c < column_cuts; ++c)
    for (Index r = 0; r < row_cuts; ++r)
      shards.push_back({owners[c * row_cuts + r],
                        row_cuts == 1 ? Range{0, embedding::block_count} : blocks.of_owner(r, row_cuts),
                        {column(c), column(c + 1)}});
  return shards;
}

bool by_two_levels(const ParameterSharding& sharding, int ranks, int ranks_per_node) {
  if (sharding.form != ExchangeForm::two_levels || !inside_nodes(sharding.type)) return false;
  if (ranks_per_node < 2 || ranks <= ranks_per_node) return false;
  const std::vector<Shard>& shards = sharding.shards;
  bool shared = false;  // some node has several shards
  for (std::size_t i = 1; i < shards.size(); ++i) {
    const bool same_node = shards[i].rank / ranks_per_node == shards[i - 1].rank / ranks_per_node;
    if (!same_node && shards[i].columns == shards[i - 1].columns) return false;
    shared = shared || same_node;
  }
  return shared;
}

void check_plan(std::span<const embedding::EmbeddingBagConfig> tables, const ShardingPlan& plan, int ranks) {
  if (plan.size() != tables.size())
    fail("the plan has ", counted(std::ssize(plan), "table"), ", but the model has ", tables.size(),
         "; make a plan for this model");
  const int groups = replicas(plan);
  if (groups < 1 || ranks % groups != 0)
    fail("the plan has ", groups, " replica groups, into which ", counted(ranks, "rank"), ranks == 1 ? " does" : " do",
         " not divide; make a plan for this job");
  for (std::size_t t = 0; t < tables.size(); ++t) {
    if (plan[t].replicas != groups)
      fail("plan of table ", tables[t].name, ": it has ", plan[t].replicas, " replica groups, but table ",
           tables[0].name, " has ", groups, "; give all tables the same number");
    check_copies(tables[t], plan[t]);
    check_table(tables[t], plan[t], ranks / groups);
  }
}

const char* name(ShardingType type) {
  switch (type) {
    case ShardingType::table_wise:
      return "table_wise";
    case ShardingType::row_wise:
      return "row_wise";
    case ShardingType::column_wise:
      return "column_wise";
    case ShardingType::table_row_wise:
      return "table_row_wise";
    case ShardingType::table_column_wise:
      return "table_column_wise";
    case ShardingType::grid:
      return "grid";
    case ShardingType::data_parallel:
      return "data_parallel";
  }
  return "";
}

const char* name(ComputeKernel kernel) {
  switch (kernel) {
    case ComputeKernel::fused:
      return "fused";
    case ComputeKernel::dense:
      return "dense";
    case ComputeKernel::host_cached:
      return "host_cached";
    case ComputeKernel::disk:
      return "disk";
  }
  return "";
}

const optim::Settings& optimizer_of(const embedding::EmbeddingBagConfig& table, ComputeKernel kernel,
                                    const optim::Settings& sparse, const optim::Settings& dense) {
  if (table.optimizer) return *table.optimizer;
  return kernel == ComputeKernel::dense ? dense : sparse;
}

void check_kernel(const embedding::EmbeddingBagConfig& table, ComputeKernel kernel, const optim::Settings& optimizer) {
  if (table.grows() && kernel != ComputeKernel::fused)
    fail("table ", table.name, " grows, so it cannot have kernel \"", name(kernel), "\", ",
         kernel == ComputeKernel::dense ? "which updates all rows" : "which has a place for each row of known number",
         ". Set plan.tables.", table.name, ".kernel to \"fused\", or table.", table.name, ".growing = false");
  if (kernel == ComputeKernel::dense && !optim::info(optimizer.type).elementwise())
    fail("table ", table.name, ": kernel \"dense\" updates all rows, but optimizer \"",
         optim::info(optimizer.type).name, "\" only updates touched rows. Set plan.tables.", table.name,
         ".kernel (or \"kernel\" in the plan file) to \"fused\", or use another optimizer");
  if (kernel == ComputeKernel::dense && table.weight_format() != NumberType::fp32)
    fail("table ", table.name, ": kernel \"dense\" updates all rows, which format \"", name(table.weight_format()),
         "\" (table.", table.name, ".format or model.table_format) would round in every step. Set plan.tables.",
         table.name, ".kernel (or \"kernel\" in the plan file) to \"fused\", or the format to \"fp32\"");
}

bool has_kernel(const std::string& device, ComputeKernel kernel) {
  if (kernel == ComputeKernel::disk) return device != "cuda";
  return kernel != ComputeKernel::host_cached || device == "cuda";
}

void require_kernel(const std::string& table, const std::string& device, ComputeKernel kernel) {
  if (has_kernel(device, kernel)) return;
  const std::string set =
      "Set plan.tables." + table +
      ".kernel (or plan.kernel, or \"kernel\" in the plan file) to \"fused\", which has all rows in ";
  if (kernel == ComputeKernel::host_cached)
    fail("table ", table, " has kernel \"host_cached\", whose cache is in a GPU's memory, but the plan is for CPUs. ",
         set, "host memory, to \"disk\", or to [\"fused\", \"host_cached\"] for plans of either device");
  fail("table ", table, " has kernel \"disk\", whose cache is in host memory, where GPUs cannot read. ", set,
       "the GPU's memory, to \"host_cached\", or to [\"fused\", \"disk\"] for plans of either device");
}

bool kernels_agree(const optim::Settings& fused, const optim::Settings& dense) {
  const bool rests = fused.type == optim::Type::sgd || (fused.type == optim::Type::adagrad && fused.eps > 0);
  return fused == dense && fused.weight_decay == 0 && rests;
}

Index table_bytes(const embedding::EmbeddingBagConfig& table, const optim::Settings& optimizer,
                  std::optional<Index> rows) {
  Index bytes = table.embedding_dim * bytes_of(table.weight_format());
  for (const optim::StateInfo& state : optim::states(optimizer.type))
    bytes += (state.per_row ? 1 : table.embedding_dim) * Index{sizeof(float)};
  return rows.value_or(table.rows().size()) * bytes;
}

}  // namespace tesserec::planning
