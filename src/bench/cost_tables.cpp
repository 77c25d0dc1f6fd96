// SPDX-License-Identifier: Apache-2.0
// Constants of the tables: the phases of a sharded collection over a grid of rows, dimensions and ids, on one rank
// alone and on all ranks.
#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <string_view>

#include "costs.hpp"
#include <tesserec/planning/table_costs.hpp>
#include <tesserec/sharding/sharded_embedding_bag_collection.hpp>

namespace tesserec::bench {
namespace {

constexpr Index tables = 16, samples = 2048, small_rows = 1000;

enum Phase { ids, lookup, return_rows, prepare, send, update, phase_count };
/// Names of the phases in ShardedEmbeddingBagCollection, in the order of Phase.
constexpr std::array<std::string_view, phase_count> phase_names = {"send ids", "lookup",         "return rows",
                                                                   "sort ids", "send gradients", "update"};
using Seconds = std::array<double, phase_count>;

struct Workload {
  Index rows, dim, bag_ids;
  optim::Type optimizer = optim::Type::sgd;
  planning::ExchangeForm form = planning::ExchangeForm::pooled;

  double bags() const { return tables * samples; }
  double all_ids() const { return bags() * double(bag_ids); }
  double row_bytes() const { return 4.0 * dim; }
  double arrays() const { return 1.0 + double(optim::states(optimizer).size()); }
  double touched() const {
    const double n = rows;
    return -tables * n * std::expm1(samples * double(bag_ids) * std::log1p(-1 / n));
  }
};

jagged::KeyedJaggedTensor draw(const Context& context, const Workload& load, const std::vector<std::string>& keys,
                               std::uint64_t seed) {
  jagged::KeyedJaggedTensor batch;
  batch.keys = keys;
  batch.stride = samples;
  const Index bags = tables * samples;
  batch.offsets = Vector<Index>("tesserec::bench::offsets", bags + 1);
  batch.values = Vector<Index>("tesserec::bench::ids", bags * load.bag_ids);
  for (Index i = 0; i <= bags; ++i) batch.offsets(i) = i * load.bag_ids;
  std::uint64_t state = seed + 1 + 1000 * std::uint64_t(context.comm.rank());
  for (Index i = 0; i < bags * load.bag_ids; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    batch.values(i) = (state >> 20) % std::uint64_t(load.rows);
  }
  return batch;
}

/// Measures the phases of a step, in seconds, with tables that are distributed over the ranks of `comm` and the same
/// number of samples on each. Between lookup and update it fills the caches with other values, as the dense half does.
Seconds measure(const Context& context, const Workload& load, const comm::Communicator& comm) {
  const Index global_batch = samples * comm.size();
  std::vector<embedding::EmbeddingBagConfig> configs;
  std::vector<std::string> keys;
  planning::ShardingPlan plan;
  for (Index t = 0; t < tables; ++t) {
    keys.push_back("t" + std::to_string(t));
    configs.push_back(embedding::table_config(keys.back(), load.rows, load.dim));
    planning::ParameterSharding sharding;
    sharding.type = planning::ShardingType::table_wise;
    sharding.form = load.form;
    sharding.shards = {{int(t % comm.size()), {0, embedding::block_count}, {0, load.dim}}};
    plan.push_back(sharding);
  }
  optim::Settings optimizer;
  optimizer.type = load.optimizer;
  sharding::ShardedEmbeddingBagCollection collection(context.exec, comm, configs, plan, keys,
                                                     Lanes(Lanes::automatic(global_batch)),
                                                     {optimizer, optimizer, Kernels::simd});
  for (const auto& shard : collection.shards())
    shard.rows->weights().fill(context.exec, "tesserec::bench::fill", 0.01f);
  const Index width = tables * load.dim;
  const Vector<float> pooled = make_vector<float>(context.exec, "tesserec::bench::pooled", samples * width);
  Kokkos::deep_copy(context.exec, pooled, 1e-4f);
  const Index other = Index{4} << 20;  // 16 MiB, which stand for what the dense half touches
  const Vector<float> noise = make_vector<float>(context.exec, "tesserec::bench::noise", other);
  Kokkos::deep_copy(context.exec, noise, 0.0f);

  // The batches are so many that no cache holds rows of the first one when its turn is next.
  const double batch_bytes = load.touched() * load.row_bytes();
  const std::size_t count = std::clamp(2.56e8 / batch_bytes, 4.0, 64.0);
  std::vector<jagged::KeyedJaggedTensor> batches;
  for (std::size_t b = 0; b < count; ++b) batches.push_back(draw(context, load, keys, b));

  Index step = 0;
  const auto run_step = [&] {
    auto ids = collection.start(context.exec, batches[step % count], global_batch);
    collection.forward(context.exec, ids);
    for (Index i = 0; i < other; ++i) noise.data()[i] += 1.0f;
    keep(noise.data()[0]);
    const auto gradient = collection.gradient(context.exec, ids).pooled;
    std::fill_n(gradient.data(), gradient.size(), 1e-3f);
    collection.backward(context.exec, std::move(ids), {}, ++step);
  };
  const auto spent = [&] {
    Seconds seconds{};
    for (const auto& [name, phase_seconds] : collection.phases().seconds())
      if (const auto phase = std::find(phase_names.begin(), phase_names.end(), name); phase != phase_names.end())
        seconds[phase - phase_names.begin()] = phase_seconds;
    return seconds;
  };
  run_step();
  const double start = context.now();
  run_step();
  const double once = context.slowest(context.now() - start);
  const Index steps = std::clamp(std::ceil(context.settings.seconds / once), 1.0, 1e4);
  std::array<std::vector<double>, phase_count> measured;
  for (int repeat = 0; repeat < context.settings.repeats; ++repeat) {
    context.comm.barrier();
    const Seconds before = spent();
    for (Index s = 0; s < steps; ++s) run_step();
    const Seconds after = spent();
    for (std::size_t p = 0; p < phase_count; ++p)
      measured[p].push_back(context.slowest(after[p] - before[p]) / double(steps));
  }
  Seconds result;
  for (std::size_t p = 0; p < phase_count; ++p) result[p] = median(measured[p]);
  return result;
}

std::vector<double> fit_phase(const std::vector<Workload>& loads, const std::vector<Seconds>& seconds, Phase phase,
                              std::vector<double> (*terms)(const Workload&)) {
  std::vector<std::vector<double>> a;
  std::vector<double> t;
  for (std::size_t i = 0; i < loads.size(); ++i) {
    a.push_back(terms(loads[i]));
    t.push_back(seconds[i][phase]);
  }
  return fit(a, t);
}

bool small(const Workload& w) { return w.rows == small_rows; }

/// Splits accesses to rows: {accesses to memory, accesses to a cache}.
std::pair<double, double> by_place(const Workload& w, double accesses) {
  if (small(w)) return {0, accesses};
  return {accesses, 0};
}

/// Returns the share of a row's cold time in `seconds`: 0 if rows are read from caches (`hot`), 1 if from memory
/// (`cold`).
double cold_share(double seconds, double hot, double cold) {
  return std::clamp((seconds - hot) / (cold - hot), 0.0, 1.0);
}

}  // namespace

void set_rate(Report& report, const std::string& key, double seconds_each) {
  report.costs.*member(key) = 1 / std::max(seconds_each, 1e-15);
  report.cost_keys.push_back(key);
}

void measure_table_costs(const Context& context, Report& report) {
  std::vector<Workload> loads;
  for (const Index dim : {Index{16}, Index{128}}) {
    const Index rows = std::max(2 * small_rows, context.settings.memory / (tables * dim * 4));
    for (const Index bag_ids : {Index{1}, Index{16}}) {
      loads.push_back({rows, dim, bag_ids});
      loads.push_back({small_rows, dim, bag_ids});
    }
    loads.push_back({rows / 2, dim, 1, optim::Type::adagrad});
  }
  const comm::Communicator self = comm::Communicator::self();
  std::vector<Seconds> seconds;
  for (const Workload& load : loads) seconds.push_back(measure(context, load, self));

  const auto cut = fit_phase(loads, seconds, ids, [](const Workload& w) {
    return std::vector<double>{w.bags(), w.all_ids()};
  });
  const auto order = fit_phase(loads, seconds, prepare, [](const Workload& w) {
    return std::vector<double>{w.bags(), w.all_ids()};
  });
  const auto read = fit_phase(loads, seconds, lookup, [](const Workload& w) {
    const auto [in_memory, cached] = by_place(w, w.all_ids());
    return std::vector<double>{w.bags(), in_memory, cached, w.all_ids() * w.row_bytes(), w.bags() * w.row_bytes()};
  });
  const auto vectors = [](const Workload& w) { return std::vector<double>{w.bags(), w.bags() * w.row_bytes()}; };
  const auto back = fit_phase(loads, seconds, return_rows, vectors), forth = fit_phase(loads, seconds, send, vectors);
  const auto move = fit_phase(loads, seconds, update, [](const Workload& w) {
    const double rows = w.touched() * w.arrays();
    const auto [in_memory, cached] = by_place(w, rows);
    return std::vector<double>{w.all_ids(), w.all_ids() * w.row_bytes(), in_memory,
                               cached,      rows * w.row_bytes(),        w.bags() * w.row_bytes()};
  });
  // The model counts these twice a step: at the samples and at the owner, or forward and backward.
  set_rate(report, "bags", (cut[0] + order[0] + read[0] + back[0] + forth[0]) / 2);
  set_rate(report, "ids", (cut[1] + order[1] + move[0]) / 2);
  set_rate(report, "row_reads", read[1]);
  set_rate(report, "cached_row_reads", read[2]);
  set_rate(report, "read_bytes", (read[3] + move[1]) / 2);
  set_rate(report, "vector_bytes", (read[4] + move[5]) / 2);
  set_rate(report, "row_updates", move[2]);
  set_rate(report, "cached_row_updates", move[3]);
  set_rate(report, "update_bytes", move[4]);

  // Tables of sizes between small and large show how many bytes the caches hold.
  std::vector<double> cached;
  for (const double table_bytes : {2.5e5, 1e6, 4e6}) {
    const Workload load{Index(table_bytes / 64), 16, 16};
    if (load.rows >= loads[0].rows || load.rows <= small_rows) continue;
    const Seconds s = measure(context, load, self);
    const double vectors_bytes = load.bags() * load.row_bytes();
    const double read_row =
        (s[lookup] - read[0] * load.bags() - read[4] * vectors_bytes) / load.all_ids() - read[3] * load.row_bytes();
    if (read[1] > read[2]) cached.push_back(table_bytes * (1 - cold_share(read_row, read[2], read[1])));
    const double sums = load.all_ids() * (move[0] + move[1] * load.row_bytes()) + move[5] * vectors_bytes;
    const double moved = (s[update] - sums) / load.touched() - move[4] * load.row_bytes();
    if (move[2] > move[3]) cached.push_back(table_bytes * (1 - cold_share(moved, move[3], move[2])));
  }
  if (median(cached) >= 1) {
    report.costs.cached_bytes = median(cached);
    report.cost_keys.push_back("cached_bytes");
  }
}

void measure_exchange_costs(const Context& context, planning::Topology topology, Report& report) {
  planning::MachineCosts& costs = topology.costs;
  costs = report.costs;
  std::vector<std::vector<double>> a;
  std::vector<double> t;
  if (context.comm.size() > 1) {  // pooled vectors: time between lookup and update, minus that of the wire
    const double wire = planning::Wire(topology).all;
    for (const Index dim : {Index{16}, Index{128}}) {
      const Workload load{small_rows, dim, 1};
      const Seconds phases = measure(context, load, context.comm);
      const double bytes = load.bags() * load.row_bytes(), total = phases[return_rows] + phases[send];
      a.push_back({load.bags(), bytes});
      t.push_back(std::max(total - 4 * bytes * wire, total / 8));  // sent and received, forward and backward
    }
    set_rate(report, "add_bytes", fit(a, t)[1]);
    a.clear();
    t.clear();
  }
  // Rows: the constants of fetching explain what all other constants leave of a step.
  costs = report.costs;
  costs.fetched_ids = costs.fetched_bytes = std::numeric_limits<double>::infinity();
  for (const auto& [dim, bag_ids] : {std::pair<Index, Index>{16, 16}, {128, 1}, {128, 4}, {16, 1}}) {
    const Workload load{small_rows, dim, bag_ids, optim::Type::sgd, planning::ExchangeForm::rows};
    const Seconds phases = measure(context, load, context.comm);
    const double total = std::accumulate(phases.begin(), phases.end(), 0.0);
    planning::ParameterConstraints constraints;
    constraints.pooling_factor = double(bag_ids);
    constraints.kernel = planning::ComputeKernel::fused;
    const planning::TableCosts table(embedding::table_config("t", load.rows, dim), constraints, {}, topology,
                                     samples * topology.ranks);
    const planning::ShardLoad shard = table.shard({0, embedding::block_count}, {0, dim}, planning::ExchangeForm::rows);
    const double known = double(tables) * (shard.owner.seconds / topology.ranks + shard.common.seconds);
    a.push_back({load.all_ids(), 2 * load.all_ids() * load.row_bytes()});
    t.push_back(std::max(total - known, total / 8));
  }
  const std::vector<double> fetch = fit(a, t);
  set_rate(report, "fetched_ids", std::max(1 / costs.ids, fetch[0]));
  set_rate(report, "fetched_bytes", fetch[1]);
}

}  // namespace tesserec::bench
