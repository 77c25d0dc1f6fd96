// SPDX-License-Identifier: Apache-2.0
// [plan], [plan.tables.NAME]
#include <optional>

#include "section.hpp"

namespace tesserec::deck {
namespace {

Choices<std::optional<sharding::ShardingType>> sharding_types() {
  using sharding::ShardingType;
  return {{"auto", std::nullopt},
          {"table_wise", ShardingType::table_wise},
          {"row_wise", ShardingType::row_wise},
          {"data_parallel", ShardingType::data_parallel}};
}

Section plan_section() {
  using Plan = sharding::Settings;
  const Keys<Plan> keys = {
      choice("default", &Plan::default_type, sharding_types(),
             "How tables are cut over the ranks; auto: the planner chooses for each table.")};
  return single("plan", "The sharding plan. It changes time and memory, never the bits.", keys,
                [](auto& d) -> auto& { return d.plan; }, {"tables"});
}

Section tables_section() {
  using Constraints = sharding::ParameterConstraints;
  const Choices<sharding::ComputeKernel> kernels = {{"fused", sharding::ComputeKernel::fused},
                                                    {"dense", sharding::ComputeKernel::dense}};
  const Keys<Constraints> keys = {
      choice("sharding", &Constraints::sharding, sharding_types(),
             "table_wise: whole on one rank; row_wise: rows over ranks; data_parallel: a copy on each rank."),
      choice("kernel", &Constraints::kernel, kernels,
             "fused: only the rows of a batch move, as optimizer.sparse says; dense: all rows move, as "
             "optimizer.dense says."),
      integers("ranks", &Constraints::ranks, {0, no_limit}, {}, "",
               "Owners of the table: one for table_wise, several for row_wise; empty: the planner chooses."),
  };
  Section section;
  section.info = {"plan.tables.NAME", "[plan.tables.NAME]", "What is demanded of the table NAME.",
                  infos(keys)};
  section.read = [=](Deck& deck, const Value& root) {
    const Value* tables = root.find_path("plan.tables");
    if (tables == nullptr) return;
    must_be_block(*tables, "plan.tables");
    for (const Entry& entry : tables->table)
      read_keys(deck, keys, deck.plan.tables[entry.key], entry.value, "plan.tables." + entry.key);
  };
  section.write = [=](const Deck& deck, std::string& out) {
    for (const auto& [name, constraints] : deck.plan.tables)
      out += "\n[plan.tables." + key_text(name) + "]\n" + write_keys(keys, constraints);
  };
  return section;
}

}  // namespace

std::vector<Section> plan_sections() { return {plan_section(), tables_section()}; }

}  // namespace tesserec::deck
