// SPDX-License-Identifier: Apache-2.0
// Keys of [plan], [plan.costs] and [plan.tables.NAME].
#include <filesystem>
#include <limits>
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
      "Allowed sharding types; the planner chooses from a list. table_wise: whole on one rank. row_wise, column_wise: "
      "rows or columns over ranks. table_row_wise, table_column_wise: over the ranks of one node. grid: columns over "
      "nodes, rows inside each. data_parallel: a copy on each rank. A single type spreads over as many ranks as it "
      "allows.",
      [=](Constraints& o, const Value& v, const std::string& path) {
        o.sharding = {};
        read_list(v, path, Length{1}, true, [&](const Value& e, const std::string& p) {
          const auto type = choices[read_choice(e, p, names)].second;
          if (!type && v.kind == Kind::list)
            fail(v.where, ": ", path,
                 ": \"auto\" cannot be combined with other types; list explicit types or omit the key");
          if (!type) return;
          if (o.sharding.has(*type))
            fail(v.where, ": ", path, " names ", planning::name(*type), " twice; name it once");
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
template <class T>
Key<T> kernels_key(planning::ComputeKernels T::*kernels) {
  const Choices<planning::ComputeKernel> choices = {{"fused", planning::ComputeKernel::fused},
                                                    {"dense", planning::ComputeKernel::dense},
                                                    {"host_cached", planning::ComputeKernel::host_cached},
                                                    {"disk", planning::ComputeKernel::disk}};
  const std::vector<std::string> names = names_of(choices);
  return make_key<T>(
      "kernel", "choice or list of choices", join(names, " | "), "",
      "Kernel that updates the table. fused: only touched rows, by optimizer.sparse. dense: all rows, by "
      "optimizer.dense. host_cached: as fused, for GPUs, with the rows in host memory and a cache on the GPU. disk: "
      "as fused, for CPUs, with the rows in a file and a cache in memory. The planner chooses from a list, of which it "
      "leaves out host_cached on CPUs and disk on GPUs; dense in a list must give the bits of the others: one "
      "optimizer, sgd or adagrad, without weight_decay.",
      [=](T& o, const Value& v, const std::string& path) {
        planning::ComputeKernels& chosen = o.*kernels;
        chosen = {};
        read_list(v, path, Length{1}, true, [&](const Value& e, const std::string& p) {
          const auto kernel = choices[read_choice(e, p, names)].second;
          if (chosen.has(kernel)) fail(v.where, ": ", path, " names ", planning::name(kernel), " twice; name it once");
          chosen.list.push_back(kernel);
        });
      },
      [=](const T& o) {
        const planning::ComputeKernels& chosen = o.*kernels;
        const std::string text =
            join(chosen.list, ", ", [](planning::ComputeKernel kernel) { return quoted(planning::name(kernel)); });
        return chosen.list.size() > 1 ? "[" + text + "]" : text;
      });
}

/// Makes the key `replicas`: a number of replica groups, or a list of them from which the planner chooses.
Key<planning::Settings> replicas_key() {
  using Plan = planning::Settings;
  const Integers range{1, std::numeric_limits<int>::max()};
  return make_key<Plan>(
      "replicas", "integer or list of integers", range.words(), "",
      "Replica groups. The ranks form that many groups of consecutive ranks. Each group holds all tables and serves "
      "its "
      "own samples; the gradients of touched rows are gathered over the groups. Must divide the ranks. The planner "
      "takes the fastest from a list.",
      [range](Plan& o, const Value& v, const std::string& path) {
        o.replicas = {};
        read_list(v, path, Length{1}, true, [&](const Value& e, const std::string& p) {
          const int groups = int(read_integer(e, p, range));
          if (o.replicas.has(groups)) fail(v.where, ": ", path, " names ", groups, " twice; name it once");
          o.replicas.list.push_back(groups);
        });
      },
      [](const Plan& o) {
        const std::string text = join(o.replicas.list);
        return o.replicas.list.size() > 1 ? "[" + text + "]" : text;
      });
}

Section plan_section() {
  using Plan = planning::Settings;
  const Keys<Plan> keys = {
      choice("default", &Plan::default_type, sharding_types(),
             "Sharding type of tables that [plan.tables.NAME] leaves open; auto means that the planner chooses for "
             "each table."),
      default_words(kernels_key(&Plan::kernel), "\"fused\""),
      number(
          "cache", &Plan::cache, {0.0, 1e18}, "share or bytes",
          "Cache of a table with kernel disk (in memory) or host_cached (on the GPU): the share of its rows if below "
          "1, else bytes. A shard's cache has at least 1024 rows, or all of its rows. The rows of a batch and of the next "
          "one must fit."),
      text(
          "disk_folder", &Plan::disk_folder, Text::path,
          "Folder of the files of kernel disk, best on a local NVMe disk; empty means the run's folder. It is made "
          "if it is missing, but not its parent. The files have no name and end with the process. They are larger "
          "than the rows by half."),
      text("file", &Plan::file, Text::path,
           "Plan to use instead of a search, as JSON of `tesserec plan --json` or TorchRec (docs/formats.md); empty "
           "means search. A plan that violates plan.default or [plan.tables.NAME] is refused."),
      default_words(replicas_key(), "plan.file's, or 1"),
      integer("ranks_per_node", &Plan::ranks_per_node, {0, no_limit}, "",
              "Ranks per node; a number other than the real one simulates nodes. 0 means the ranks that share memory "
              "or, in plans for GPUs, the GPUs of a node."),
      integer("exchange_levels", &Plan::exchange_levels, {1, 2}, "",
              "Maximum levels of the exchange. 1: owners and samples' ranks exchange directly. 2: the planner may send "
              "data of tables cut inside nodes (table_row_wise, table_column_wise, grid) inside the node first, then "
              "between nodes. A node then receives ids once and returns finished vectors."),
      integer("min_rows", &Plan::min_rows, {1, no_limit}, "rows",
              "Minimum rows of a shard if the planner may leave the table whole. Smaller shards must gain more than 5 "
              "% of the step, or be necessary for the tables to fit."),
      integer("memory", &Plan::memory, {0, no_limit}, "bytes",
              "Memory per rank; 0 means that of a GPU, or what the job may use of this machine, divided by the ranks "
              "of a node."),
      number("reserve", &Plan::reserve, {0.0, 1.0, true}, "",
             "Share of the memory that tables and messages leave to the rest of the program."),
      choice("device", &Plan::device, {{"auto", ""}, {"cpu", "cpu"}, {"cuda", "cuda"}},
             "Device of the plan's ranks. auto: cuda if plan.machine names GPUs or the program is built for them, else "
             "cpu. Training requires the device of the build; `tesserec plan` also plans for other machines."),
      text("machine", &Plan::machine, Text::path,
           "Machine whose rates the planner uses; keys of [plan.costs] override them. h200, a100: nodes of eight such "
           "GPUs, from data sheets and published efficiencies (docs/gpu.md). A path: TOML file with keys of "
           "[plan.costs], as measured on a machine. Empty: a server core, or h200 for cuda."),
  };
  return single("plan", "The sharding plan. It changes time and memory, never the bits of a result.", keys,
                [](auto& d) -> auto& { return d.plan; }, {"tables", "costs"});
}

Section costs_section() {
  using Costs = planning::MachineCosts;
  const Numbers rate{1.0, 1e18}, seconds{0.0, 1.0};
  const Keys<Costs> keys = {
      number("row_reads", &Costs::row_reads, rate, "1/s", "Random row lookups that miss the caches."),
      number("cached_row_reads", &Costs::cached_row_reads, rate, "1/s",
             "Random row lookups in a table that caches hold."),
      number("read_bytes", &Costs::read_bytes, rate, "bytes/s", "Bytes of rows added to bags, or of gradients summed."),
      number("vector_bytes", &Costs::vector_bytes, rate, "bytes/s",
             "Bytes of pooled vectors that lookups write, or of their gradients that updates read."),
      number("row_updates", &Costs::row_updates, rate, "1/s",
             "Random row updates that miss the caches, each of one array (weights or optimizer state)."),
      number("cached_row_updates", &Costs::cached_row_updates, rate, "1/s",
             "Random row updates in a table that caches hold."),
      number("update_bytes", &Costs::update_bytes, rate, "bytes/s", "Bytes of weights and optimizer states updated."),
      number("cached_bytes", &Costs::cached_bytes, rate, "bytes",
             "Bytes of a table that stay in caches from step to step."),
      number("ids", &Costs::ids, rate, "1/s", "Ids bucketized by owner or sorted by row."),
      number("fetched_ids", &Costs::fetched_ids, rate, "1/s", "Ids sorted on the samples' ranks if rows travel."),
      number("fetched_bytes", &Costs::fetched_bytes, rate, "bytes/s",
             "Bytes of fetched rows pooled on the samples' ranks, or of their gradients summed."),
      number("bags", &Costs::bags, rate, "1/s", "Bags of a shard cut out of the batch, pooled or sent."),
      number("add_bytes", &Costs::add_bytes, rate, "bytes/s",
             "Bytes of vectors added on the samples' ranks, including the sending of their gradients."),
      number("inside_bytes", &Costs::inside_bytes, rate, "bytes/s",
             "Bandwidth of a rank inside its node, sending or receiving."),
      number("between_bytes", &Costs::between_bytes, rate, "bytes/s",
             "Bandwidth of a rank between nodes, sending or receiving."),
      number("inside_latency", &Costs::inside_latency, seconds, "s", "Latency of a message inside a node."),
      number("between_latency", &Costs::between_latency, seconds, "s", "Latency of a message between nodes."),
      number("dense_flops", &Costs::dense_flops, rate, "FLOP/s", "Speed of the MLPs, forward and backward."),
      number("bf16_flops", &Costs::bf16_flops, rate, "FLOP/s", "Speed of the MLPs with model.precision = \"bf16\"."),
      number("interaction_flops", &Costs::interaction_flops, rate, "FLOP/s",
             "Speed of the interaction, forward and backward."),
      number("activation_bytes", &Costs::activation_bytes, rate, "bytes/s",
             "Bytes of the layers' inputs and outputs, forward and backward counted once."),
      number("dense_bytes", &Costs::dense_bytes, rate, "bytes/s",
             "Bytes of dense gradients summed over lanes and applied by the optimizer."),
      number("disk_rows", &Costs::disk_rows, rate, "1/s",
             "Rows of kernel disk that are read at random from plan.disk_folder and written back."),
      number("host_bytes", &Costs::host_bytes, rate, "bytes/s",
             "Bytes of rows of kernel host_cached that are copied to the GPU, while as many return."),
      number("step_seconds", &Costs::step_seconds, seconds, "s", "Fixed time of a step."),
  };
  Section section = single(
      "plan.costs", "Rates of one rank, for the planner's estimate.", keys,
      [](auto& d) -> auto& { return d.plan.costs; });
  section.read = [keys, inner = section.read](Deck& deck, const Value& root) {
    const planning::GpuMachine* gpu = planning::gpu_machine(deck.plan.machine);
    const bool cuda = planning::plan_device(deck.plan) == "cuda";
    if (gpu && !cuda)
      fail(deck.at("plan.machine"), " is ", quoted(deck.plan.machine),
           ", which has GPUs, but plan.device is \"cpu\"; change one of them");
    if (cuda) deck.plan.costs = (gpu ? gpu : &planning::gpu_machines().front())->costs;
    if (!gpu && !deck.plan.machine.empty() && !std::filesystem::exists(deck.plan.machine))
      fail(deck.at("plan.machine"), " is ", quoted(deck.plan.machine), ", which is neither ",
           join(planning::gpu_machines(), ", ",
                [](const planning::GpuMachine& machine) { return quoted(machine.name); }),
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
      default_words(kernels_key(&Constraints::kernel), "plan.file's, or plan.kernel"),
      default_words(number("cache", &Constraints::cache, {0.0, 1e18}, "share or bytes", "Cache of the table, as plan.cache."),
                    "plan.cache"),
      integers("ranks", &Constraints::ranks, {0, no_limit}, {}, "",
               "Owners of the table in the order of its shards: one for table_wise, several for row_wise, column_wise "
               "and others. Empty means that the planner chooses."),
      default_words(integer("min_partition", &Constraints::min_partition, {1, no_limit}, "columns",
                            "Minimum columns of a shard if columns are cut."),
                    "plan.file's, or 32"),
      number("pooling_factor", &Constraints::pooling_factor, {0, 1e6}, "ids",
             "Mean number of ids in a bag, for the planner's estimate; 0 means as in the data."),
      default_words(number("zipf", &Constraints::zipf, {0.0, 10.0}, "",
                           "Zipf exponent of the id frequencies, for the planner's estimate; 0 means uniform. Frequent "
                           "rows then count as scattered over the table."),
                    "as counted in data.train, or by the planted model's law"),
  };
  Section section;
  section.info = {"plan.tables.NAME", "[plan.tables.NAME]", "Constraints on the plan of the table NAME.", infos(keys)};
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
