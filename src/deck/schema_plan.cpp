// SPDX-License-Identifier: Apache-2.0
// Keys of [plan], [plan.costs] and [plan.tables.NAME].
#include <filesystem>
#include <optional>

#include "section.hpp"
#include <tesserec/core/text.hpp>
#include <tesserec/planning/plan.hpp>

namespace tesserec::deck {
namespace {

using planning::ShardingType;

Choices<std::optional<ShardingType>> sharding_types() {
  Choices<std::optional<ShardingType>> choices = {{"auto", std::nullopt}};
  for (const ShardingType type :
       {ShardingType::table_wise, ShardingType::row_wise, ShardingType::column_wise, ShardingType::table_row_wise,
        ShardingType::table_column_wise, ShardingType::grid, ShardingType::data_parallel})
    choices.emplace_back(planning::name(type), type);
  return choices;
}

/// Makes the key `sharding`: a sharding type, a list of types from which the planner chooses, or "auto".
Key<planning::ParameterConstraints> types_key() {
  using Constraints = planning::ParameterConstraints;
  const auto choices = sharding_types();
  const std::vector<std::string> names = names_of(choices);
  return make_key<Constraints>(
      "sharding", "choice or list of choices", join(names, " | "), "",
      "table_wise: whole on one rank; row_wise, column_wise: rows or columns over ranks; table_row_wise, "
      "table_column_wise: over the ranks of one node; grid: columns over nodes, rows inside each; data_parallel: a "
      "copy on each rank. One type alone gets its full form; of a list the planner chooses.",
      [=](Constraints& o, const Value& v, const std::string& path) {
        o.sharding = {};
        read_list(v, path, Length{1}, true, [&](const Value& e, const std::string& p) {
          const auto type = choices[read_choice(e, p, names)].second;
          if (!type && v.kind == Kind::list) fail(v.where, ": ", path, ": auto stands alone; name types or leave it");
          if (!type) return;
          if (o.sharding.has(*type)) fail(v.where, ": ", path, " names ", planning::name(*type), " twice");
          o.sharding.list.push_back(*type);
        });
      },
      [](const Constraints& o) {
        if (o.sharding.empty()) return quoted("auto");
        const std::string text =
            join(o.sharding.list, ", ", [](ShardingType type) { return quoted(planning::name(type)); });
        return o.sharding.forced() ? text : "[" + text + "]";
      });
}

/// Makes the key `kernel`: a compute kernel, or a list of them from which the planner chooses.
Key<planning::ParameterConstraints> kernels_key() {
  using Constraints = planning::ParameterConstraints;
  const Choices<planning::ComputeKernel> choices = {{"fused", planning::ComputeKernel::fused},
                                                    {"dense", planning::ComputeKernel::dense}};
  const std::vector<std::string> names = names_of(choices);
  return make_key<Constraints>(
      "kernel", "choice or list of choices", join(names, " | "), "",
      "fused: only the rows of a batch move, as optimizer.sparse says; dense: all rows move, as optimizer.dense says. "
      "Of a list the planner chooses; both must give the same bits: one optimizer, sgd or adagrad, without "
      "weight_decay.",
      [=](Constraints& o, const Value& v, const std::string& path) {
        o.kernel = {};
        read_list(v, path, Length{1}, true, [&](const Value& e, const std::string& p) {
          const auto kernel = choices[read_choice(e, p, names)].second;
          if (o.kernel.has(kernel)) fail(v.where, ": ", path, " names ", planning::name(kernel), " twice");
          o.kernel.list.push_back(kernel);
        });
      },
      [](const Constraints& o) {
        const std::string text =
            join(o.kernel.list, ", ", [](planning::ComputeKernel kernel) { return quoted(planning::name(kernel)); });
        return o.kernel.list.size() > 1 ? "[" + text + "]" : text;
      });
}

Section plan_section() {
  using Plan = planning::Settings;
  const Keys<Plan> keys = {
      choice("default", &Plan::default_type, sharding_types(),
             "How tables are cut over the ranks; auto: the planner chooses for each table."),
      text("file", &Plan::file, Text::path,
           "A plan as `tesserec plan --json` writes it, or of TorchRec (docs/formats.md), instead of a search; empty: "
           "plan. One that breaks what plan.default or [plan.tables.NAME] demands is refused."),
      integer("ranks_per_node", &Plan::ranks_per_node, {0, no_limit}, "",
              "Ranks of a node; 0: those that share memory, or as many as a node has GPUs. Another number simulates "
              "nodes."),
      integer("exchange_levels", &Plan::exchange_levels, {1, 2}, "",
              "Most levels of the exchange. 2: tables that are cut inside nodes (table_row_wise, table_column_wise, "
              "grid) may go inside the node first, then between nodes, so that a node gets ids once and returns "
              "finished vectors; the planner chooses. 1: owners and samples' ranks send each other all."),
      integer("min_rows", &Plan::min_rows, {1, no_limit}, "rows",
              "Rows of a shard at least, where the planner cuts a table that it may leave whole. It makes smaller "
              "shards only if the step gains more than 5 % or the tables do not fit otherwise."),
      integer("memory", &Plan::memory, {0, no_limit}, "bytes",
              "Memory of a rank; 0: what the job may use of this machine, shared by the ranks of a node, or a GPU's."),
      number("reserve", &Plan::reserve, {0.0, 1.0, true}, "",
             "Share of the memory that tables and messages leave to the rest of the program."),
      choice("device", &Plan::device, {{"auto", ""}, {"cpu", "cpu"}, {"cuda", "cuda"}},
             "What the ranks of the plan compute on. auto: GPUs where plan.machine names some or the program is built "
             "for them. Training takes what the program is built for; `tesserec plan` also plans for machines that are "
             "not here."),
      text("machine", &Plan::machine, Text::path,
           "h200, a100: nodes of eight such GPUs, by data sheets and published shares of them (docs/gpu.md); else a "
           "TOML file with keys of [plan.costs], as measured on a machine. Keys of the deck overrule it. Empty: a "
           "server core, or h200 for cuda."),
  };
  return single("plan", "The sharding plan. It changes time and memory, never the bits.", keys,
                [](auto& d) -> auto& { return d.plan; }, {"tables", "costs"});
}

Section costs_section() {
  using Costs = planning::MachineCosts;
  const Numbers rate{1.0, 1e18}, seconds{0.0, 1.0};
  const Keys<Costs> keys = {
      number("row_reads", &Costs::row_reads, rate, "1/s", "Rows that a rank looks up at random, out of memory."),
      number("cached_row_reads", &Costs::cached_row_reads, rate, "1/s", "The same where caches hold the table."),
      number("read_bytes", &Costs::read_bytes, rate, "bytes/s", "Bytes of rows added to bags, or of gradients summed."),
      number("vector_bytes", &Costs::vector_bytes, rate, "bytes/s",
             "Bytes of pooled vectors written by lookups, or of their gradients read by updates."),
      number("row_updates", &Costs::row_updates, rate, "1/s",
             "Rows of an array, weights or optimizer state, moved at random, out of memory."),
      number("cached_row_updates", &Costs::cached_row_updates, rate, "1/s", "The same where caches hold the table."),
      number("update_bytes", &Costs::update_bytes, rate, "bytes/s", "Bytes of weights and optimizer state moved."),
      number("cached_bytes", &Costs::cached_bytes, rate, "bytes",
             "Bytes of a table that stay in caches from step to step."),
      number("ids", &Costs::ids, rate, "1/s", "Ids put in order, by owner or by row."),
      number("fetched_ids", &Costs::fetched_ids, rate, "1/s", "Ids put in order at the samples, where rows travel."),
      number("fetched_bytes", &Costs::fetched_bytes, rate, "bytes/s",
             "Bytes of rows that travelled, pooled at the samples, or of their gradients summed."),
      number("bags", &Costs::bags, rate, "1/s", "Bags of a shard cut out of the batch, pooled or sent."),
      number("add_bytes", &Costs::add_bytes, rate, "bytes/s",
             "Bytes of vectors added at the samples, sending their gradients included."),
      number("inside_bytes", &Costs::inside_bytes, rate, "bytes/s", "Sent or received by a rank inside its node."),
      number("between_bytes", &Costs::between_bytes, rate, "bytes/s", "Sent or received by a rank between nodes."),
      number("inside_latency", &Costs::inside_latency, seconds, "s", "Of a message inside a node."),
      number("between_latency", &Costs::between_latency, seconds, "s", "Of a message between nodes."),
      number("dense_flops", &Costs::dense_flops, rate, "FLOP/s", "Of the MLPs, forward and backward."),
      number("bf16_flops", &Costs::bf16_flops, rate, "FLOP/s", "The same with model.precision = \"bf16\"."),
      number("interaction_flops", &Costs::interaction_flops, rate, "FLOP/s",
             "Of the interaction, forward and backward."),
      number("activation_bytes", &Costs::activation_bytes, rate, "bytes/s",
             "Bytes of the layers' inputs and outputs, forward and backward counted once."),
      number("dense_bytes", &Costs::dense_bytes, rate, "bytes/s",
             "Bytes of dense gradients summed over lanes and moved by the optimizer."),
      number("step_seconds", &Costs::step_seconds, seconds, "s", "Of a step whatever it does."),
  };
  Section section = single(
      "plan.costs", "Rates of one rank, for the planner's estimate.", keys,
      [](auto& d) -> auto& { return d.plan.costs; });
  section.read = [keys, inner = section.read](Deck& deck, const Value& root) {
    const planning::GpuMachine* gpu = planning::gpu_machine(deck.plan.machine);
    const bool cuda = planning::plan_device(deck.plan) == "cuda";
    if (gpu && !cuda) fail(deck.at("plan.machine"), " names GPUs, and plan.device is \"cpu\"; take one of them away");
    if (cuda) deck.plan.costs = (gpu ? gpu : &planning::gpu_machines().front())->costs;
    if (!gpu && !deck.plan.machine.empty() && !std::filesystem::exists(deck.plan.machine))
      fail(deck.at("plan.machine"), " is neither ",
           join(planning::gpu_machines(), ", ", [](const planning::GpuMachine& one) { return quoted(one.name); }),
           " nor a file");
    if (!gpu && !deck.plan.machine.empty())
      read_keys(deck, keys, deck.plan.costs, parse_toml(read_deck_text(deck.plan.machine), deck.plan.machine),
                "plan.costs");
    inner(deck, root);
  };
  return section;
}

Section tables_section() {
  using Constraints = planning::ParameterConstraints;
  const Keys<Constraints> keys = {
      types_key(),
      default_words(kernels_key(), "plan.file's, or \"fused\""),
      integers("ranks", &Constraints::ranks, {0, no_limit}, {}, "",
               "Owners of the table, in the order of its shards: one for table_wise, several for row_wise, column_wise "
               "and others; empty: the planner chooses."),
      default_words(integer("min_partition", &Constraints::min_partition, {1, no_limit}, "columns",
                            "Columns of a piece at least, where columns are cut."),
                    "plan.file's, or 32"),
      number("pooling_factor", &Constraints::pooling_factor, {0, 1e6}, "ids",
             "Ids of a bag on average, for the planner's estimate; 0: as the data have."),
      default_words(number("zipf", &Constraints::zipf, {0.0, 10.0}, "",
                           "Exponent of the ids' frequency by Zipf's law, for the planner's estimate, which then takes "
                           "the frequent rows for scattered over the table; 0: uniform."),
                    "as counted in data.train, or by the planted model's law"),
  };
  Section section;
  section.info = {"plan.tables.NAME", "[plan.tables.NAME]", "What is demanded of the table NAME.", infos(keys)};
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

std::vector<Section> plan_sections() { return {plan_section(), costs_section(), tables_section()}; }

}  // namespace tesserec::deck
