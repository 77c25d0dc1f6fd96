// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <set>

#include "torchrec_plan.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/file.hpp>
#include <tesserec/core/json.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/planning/plan_file.hpp>

namespace tesserec::planning {
namespace {

using embedding::EmbeddingBagConfig;

constexpr const char* format = "tesserec plan";

Json table_json(const EmbeddingBagConfig& table, const ParameterSharding& sharding, double seconds, double bytes) {
  std::set<int> ranks;
  Json shards = Json::array(Json::Layout::lines);
  for (const Shard& shard : sharding.shards) {
    const Range rows = table.blocks().rows(shard.blocks);
    ranks.insert(shard.rank);
    shards.add(Json::object()
                   .set("rank", shard.rank)
                   .set("offset", std::vector{rows.begin, shard.columns.begin})
                   .set("size", std::vector{rows.size(), shard.columns.size()})
                   .set("blocks", std::vector{shard.blocks.begin, shard.blocks.end}));
  }
  return Json::object()
      .set("name", table.name)
      .set("rows", table.rows().size())
      .set("dim", table.embedding_dim)
      .set("type", name(sharding.type))
      .set("kernel", name(sharding.kernel))
      .set("exchange", form_name(sharding.form))
      .set("ranks", std::vector(ranks.begin(), ranks.end()))
      .set("seconds", seconds)
      .set("bytes", std::ceil(bytes))
      .set("shards", shards);
}

/// Returns the best plan with each number of replica groups, by its slowest and its fullest rank.
Json tried_json(const std::vector<ProvenPlan::Tried>& tried) {
  Json list = Json::array(Json::Layout::lines);
  for (const ProvenPlan::Tried& groups : tried) {
    Json json = Json::object();
    json.set("replicas", groups.replicas);
    if (groups.refused.empty())
      json.set("seconds", groups.estimate.critical_path())
          .set("bytes", std::ceil(std::ranges::max(groups.estimate.bytes)));
    else
      json.set("error", groups.refused);
    list.add(json);
  }
  return list;
}

template <class E>
E named(const char* key, const std::string& word, std::initializer_list<E> values) {
  for (const E value : values)
    if (word == name(value)) return value;
  fail(key, " \"", word, "\" is none of ", join(values, ", ", [](E value) { return name(value); }));
}

ExchangeForm form_named(const std::string& word) {
  for (const ExchangeForm form : {ExchangeForm::pooled, ExchangeForm::rows, ExchangeForm::two_levels})
    if (word == form_name(form)) return form;
  fail("exchange \"", word, "\" is none of pooled, rows, two_levels");
}

/// Returns the block that begins at `row`, or nearest to it; block_count at the end of the table. Empty blocks follow
/// the last row.
Index border(const EmbeddingBagConfig& table, Index row, Borders borders) {
  const Index rows = table.rows().end;
  if (row == rows) return embedding::block_count;
  if (row < 0 || row > rows) fail("row ", row, " does not exist; the table has rows 0 to ", rows - 1);
  const Index block = table.blocks().block(row);
  const Range block_rows = table.blocks().rows({block, block + 1});
  if (block_rows.begin == row) return block;
  if (borders == Borders::exact)
    fail("row ", row, " is not a border of a row block; use ", block_rows.begin, " or ", block_rows.end);
  return row - block_rows.begin < block_rows.end - row ? block : block + 1;
}

Shard shard_of(const Json& json, const EmbeddingBagConfig& table, Borders borders) {
  const auto [row, column] = row_and_column(json.at("offset"));
  const auto [rows, columns] = row_and_column(json.at("size"));
  Shard shard;
  const std::int64_t rank = json.at("rank").integer();
  shard.rank = std::clamp<std::int64_t>(rank, -1, 1 << 30);
  shard.columns = {column, column + columns};
  if (json.has("blocks")) {
    const auto [begin, end] = row_and_column(json.at("blocks"));
    shard.blocks = {begin, end};
    const bool valid = 0 <= begin && begin <= end && end <= embedding::block_count;
    const Range range = valid ? table.blocks().rows(shard.blocks) : Range{};
    if (!valid || range.begin != row || range.size() != rows)
      fail("row blocks ", begin, " to ", end, " do not hold rows ", row, " to ", row + rows,
           "; correct \"blocks\", or remove them");
  } else {
    shard.blocks = {border(table, row, borders), border(table, row + rows, borders)};
  }
  if (borders == Borders::nearest)
    for (Index* column_border : {&shard.columns.begin, &shard.columns.end})
      if (*column_border != table.embedding_dim) *column_border = (*column_border + 2) / 4 * 4;
  return shard;
}

ParameterSharding sharding_of(const Json& json, const EmbeddingBagConfig& table, Borders borders) {
  using T = ShardingType;
  const std::string& word = json.at("type").string();
  ParameterSharding sharding;
  sharding.type = word == "grid_shard" ? T::grid
                                       : named("type", word,
                                               {T::table_wise, T::row_wise, T::column_wise, T::table_row_wise,
                                                T::table_column_wise, T::grid, T::data_parallel});
  if (json.has("kernel"))
    sharding.kernel =
        named("kernel", json.at("kernel").string(),
              {ComputeKernel::fused, ComputeKernel::dense, ComputeKernel::host_cached, ComputeKernel::disk});
  if (json.has("exchange")) sharding.form = form_named(json.at("exchange").string());
  if (sharding.type == T::data_parallel) return sharding;
  for (const Json& shard : json.at("shards").elements()) sharding.shards.push_back(shard_of(shard, table, borders));
  std::stable_sort(sharding.shards.begin(), sharding.shards.end(), [](const Shard& a, const Shard& b) {
    return std::pair(a.columns.begin, a.blocks.begin) < std::pair(b.columns.begin, b.blocks.begin);
  });
  return sharding;
}

const Json& table_named(const Json& tables, const std::string& name) {
  for (const Json& table : tables.elements())
    if (table.at("name").string() == name) return table;
  fail("the plan has no table \"", name, "\"; make a plan for this model");
}

}  // namespace

std::string plan_json(std::span<const EmbeddingBagConfig> tables, const ProvenPlan& proven, const Topology& topology,
                      Index global_batch, double dense_seconds) {
  const PlanEstimate& estimate = proven.estimate;
  Json json = Json::object(Json::Layout::lines);
  json.set("format", format)
      .set("version", 1)
      .set("device", topology.device)
      .set("ranks", topology.ranks)
      .set("ranks_per_node", topology.ranks_per_node)
      .set("replicas", replicas(proven.plan))
      .set("batch_size", global_batch)
      .set("memory_bytes", topology.memory)
      .set("taken_bytes", topology.taken)
      .set("critical_path_seconds", estimate.critical_path());
  if (dense_seconds > 0) json.set("predicted_step_seconds", estimate.critical_path() + dense_seconds);
  json.set("lower_bound_seconds", proven.lower_bound)
      .set("gap", proven.gap())
      .set("exact", proven.exact)
      .set("imbalance", estimate.imbalance())
      .set("min_rows", proven.min_rows);
  Json rank_list = Json::array(Json::Layout::lines), table_list = Json::array(Json::Layout::lines);
  for (std::size_t r = 0; r < estimate.seconds.size(); ++r)
    rank_list.add(Json::object()
                      .set("rank", r)
                      .set("seconds", estimate.seconds[r])
                      .set("bytes", std::ceil(estimate.bytes[r]))
                      .set("lookup_seconds", estimate.split[r].lookup)
                      .set("exchange_seconds", estimate.split[r].exchange)
                      .set("update_seconds", estimate.split[r].update)
                      .set("latency_seconds", estimate.split[r].latency));
  for (std::size_t t = 0; t < tables.size(); ++t)
    table_list.add(table_json(tables[t], proven.plan[t], estimate.table_seconds[t], estimate.table_bytes[t]));
  Json memory = Json::object();
  for (const auto& [key, bytes] : {std::pair{"rows", &RankBytes::rows},
                                   {"states", &RankBytes::states},
                                   {"messages", &RankBytes::messages},
                                   {"dense", &RankBytes::dense},
                                   {"batches", &RankBytes::batches},
                                   {"checkpoint", &RankBytes::checkpoint},
                                   {"program", &RankBytes::program},
                                   {"disk", &RankBytes::disk},
                                   {"host", &RankBytes::host}}) {
    Json ranks = Json::array();
    for (const RankBytes& holds : estimate.holds) ranks.add(std::ceil(holds.*bytes));
    memory.set(key, ranks);
  }
  json.set("bytes_by_holder", memory).set("per_rank", rank_list).set("tables", table_list);
  if (!proven.tried.empty()) json.set("tried", tried_json(proven.tried));
  return json.text() + "\n";
}

ShardingPlan parse_plan(const std::string& text, const std::string& name, std::span<const EmbeddingBagConfig> tables,
                        int ranks, Borders borders) {
  ShardingPlan plan;
  try {
    Json json = parse_json(text);
    const bool torchrec = is_torchrec_plan(json);  // its rows need not be cut at blocks
    if (torchrec) json = from_torchrec(json, tables, ranks);
    if (json.has("format") && json.at("format").string() != format)
      fail("format \"", json.at("format").string(), "\" is not \"", format, "\"; give a plan of this program");
    if (json.has("version") && json.at("version").integer() != 1)
      fail("version ", json.at("version").integer(), " is not 1; make the plan with this program");
    if (json.at("ranks").integer() != ranks)
      fail("the plan is for ", counted(json.at("ranks").integer(), "rank"), ", but this job has ", ranks,
           "; make a plan for ", ranks);
    const std::int64_t groups = json.has("replicas") ? json.at("replicas").integer() : 1;
    if (groups < 1 || ranks % groups != 0)
      fail("replicas = ", groups, " does not divide the ", counted(ranks, "rank"), "; set a divisor of ", ranks);
    const Json& given = json.at("tables");
    for (const EmbeddingBagConfig& table : tables) {
      const Json& entry = table_named(given, table.name);
      try {
        for (const auto& [key, expected] :
             {std::pair<std::string, Index>{"rows", table.rows().size()}, {"dim", table.embedding_dim}})
          if (entry.at(key).integer() != expected)
            fail("the plan has ", key, " = ", entry.at(key).integer(), ", but this model has ", expected,
                 "; make a plan for this model");
        plan.push_back(sharding_of(entry, table, torchrec ? Borders::nearest : borders));
        plan.back().replicas = int(groups);
      } catch (const Error& error) {
        fail("table ", table.name, ": ", error.what());
      }
    }
    for (const Json& entry : given.elements())
      if (std::none_of(tables.begin(), tables.end(),
                       [&](const EmbeddingBagConfig& table) { return table.name == entry.at("name").string(); }))
        fail("table ", entry.at("name").string(), " is not in this model; make a plan for this model");
    if (given.elements().size() != tables.size()) fail("the plan has a table twice; remove one entry");
    if (borders == Borders::exact) check_plan(tables, plan, ranks);
    for (std::size_t t = 0; t < plan.size(); ++t)
      for (const Shard& shard : plan[t].shards)
        if (shard.rank < 0 || shard.rank >= ranks / groups)
          fail("plan of table ", tables[t].name, ": rank ", shard.rank, " does not exist; ",
               groups > 1 ? "a replica group" : "the job", " has ranks 0 to ", ranks / groups - 1);
  } catch (const std::exception& error) {
    fail(name, ": ", error.what());
  }
  return plan;
}

ShardingPlan read_plan(const std::string& path, std::span<const EmbeddingBagConfig> tables, int ranks,
                       Borders borders) {
  return parse_plan(read_file(path, "this plan"), path, tables, ranks, borders);
}

int plan_ranks(const std::string& path) {
  const std::string text = read_file(path, "this plan");
  try {
    const Json json = parse_json(text);
    if (is_torchrec_plan(json)) return torchrec_ranks(json);
    const std::int64_t ranks = json.at("ranks").integer();
    if (ranks < 1 || ranks > 1 << 30) fail("the plan is for ", ranks, " ranks; set \"ranks\" to 1 to 2^30");
    return int(ranks);
  } catch (const std::exception& error) {
    fail(path, ": ", error.what());
  }
}

}  // namespace tesserec::planning
