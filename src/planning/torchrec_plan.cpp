// SPDX-License-Identifier: Apache-2.0
#include "torchrec_plan.hpp"

#include <algorithm>
#include <functional>

#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/planning/plan.hpp>

namespace tesserec::planning {
namespace {

/// Calls visit(table, its sharding) for the tables of all modules.
void each_table(const Json& plan, const std::function<void(const std::string&, const Json&)>& visit) {
  for (const std::string& module : plan.at("plan").names())
    for (const std::string& table : plan.at("plan").at(module).names())
      visit(table, plan.at("plan").at(module).at(table));
}

bool has_shards(const Json& sharding) { return sharding.at("sharding_spec").kind() == Json::Kind::object; }

/// Parses the rank of a placement such as "rank:3/cuda:1".
std::int64_t rank_of(const std::string& placement) {
  const std::string head = "rank:";
  const auto end = placement.find('/');
  const auto rank = placement.rfind(head, 0) == 0 && end != std::string::npos
                        ? parse_number<std::int64_t>(placement.substr(head.size(), end - head.size()))
                        : std::nullopt;
  if (!rank) fail("placement \"", placement, "\" is not of the form rank:R/DEVICE");
  return *rank;
}

Json table_of(const std::string& name, const Json& sharding, Index rows, Index dim) {
  Json shards = Json::array();
  if (has_shards(sharding)) {
    rows = dim = 0;
    for (const Json& shard : sharding.at("sharding_spec").at("shards").elements()) {
      const auto [row, column] = row_and_column(shard.at("shard_offsets"));
      const auto [height, width] = row_and_column(shard.at("shard_sizes"));
      rows = std::max(rows, row + height);
      dim = std::max(dim, column + width);
      shards.add(Json::object()
                     .set("rank", rank_of(shard.at("placement").string()))
                     .set("offset", std::vector{row, column})
                     .set("size", std::vector{height, width}));
    }
  }
  std::string kernel = sharding.at("compute_kernel").string();
  if (kernel == "key_value") kernel = planning::name(ComputeKernel::disk);
  if (kernel == "fused_uvm_caching") kernel = planning::name(ComputeKernel::host_cached);
  return Json::object()
      .set("name", name)
      .set("rows", rows)
      .set("dim", dim)
      .set("type", sharding.at("sharding_type"))
      .set("kernel", kernel)
      .set("shards", shards);
}

}  // namespace

std::pair<Index, Index> row_and_column(const Json& json) {
  if (json.elements().size() != 2)
    fail("a list of ", counted(std::ssize(json.elements()), "number"), " is not [row, column]; give two integers");
  const auto number = [](const Json& value) {
    constexpr Index limit = Index{1} << 60;
    if (value.integer() < -limit || value.integer() > limit)
      fail(value.integer(), " is not a valid number of rows or columns (-2^60 to 2^60)");
    return value.integer();
  };
  return {number(json.elements()[0]), number(json.elements()[1])};
}

int torchrec_ranks(const Json& plan) {
  std::int64_t highest = 0;
  each_table(plan, [&](const std::string&, const Json& sharding) {
    for (const Json& rank : sharding.at("ranks").elements()) highest = std::max(highest, rank.integer());
  });
  return int(std::min<std::int64_t>(highest, 1 << 30)) + 1;
}

Json from_torchrec(const Json& plan, std::span<const embedding::EmbeddingBagConfig> tables, int ranks) {
  Json converted = Json::array();
  each_table(plan, [&](const std::string& name, const Json& sharding) {
    const auto found = std::ranges::find(tables, name, &embedding::EmbeddingBagConfig::name);
    const bool known = found != tables.end();
    const Index rows = known ? found->rows().size() : 0;
    const Index dim = known ? found->embedding_dim : 0;
    try {
      converted.add(table_of(name, sharding, rows, dim));
    } catch (const Error& error) {
      fail("table ", name, ": ", error.what());
    }
  });
  return Json::object().set("ranks", ranks).set("tables", converted);
}

}  // namespace tesserec::planning
