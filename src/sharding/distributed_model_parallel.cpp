// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "same_options.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/planning/planner.hpp>
#include <tesserec/sharding/distributed_model_parallel.hpp>

namespace tesserec::sharding {
namespace {

Lanes lanes_for(const ShardingEnv& env, int lanes, int micro_batches) {
  for (const auto& [name, value] : {std::pair("lanes", lanes), {"micro_batches", micro_batches}})
    if (value < 1 || !std::has_single_bit(unsigned(value))) fail(name, " = ", value, " is not a power of two; set one");
  if (const Index least = Index{env.size()} * micro_batches; least > lanes)
    fail("lanes = ", lanes, " is too few for ", counted(env.size(), "rank"), " x ", micro_batches,
         micro_batches == 1 ? " micro-batch" : " micro-batches", "; set lanes = ", std::bit_ceil(std::uint64_t(least)));
  return Lanes(lanes, micro_batches);
}

/// Restricts the planner to the types and kernels of the sharder. A table without a given kernel takes the sharder's.
planning::Settings within(planning::Settings settings, const std::vector<embedding::EmbeddingBagConfig>& tables,
                          const EmbeddingBagCollectionSharder& sharder) {
  const std::vector<planning::ShardingType> offered = sharder.sharding_types();
  const auto has = [](const auto& list, auto value) { return std::ranges::count(list, value) > 0; };
  for (const embedding::EmbeddingBagConfig& table : tables) {
    const auto given = settings.tables.find(table.name);
    planning::ParameterConstraints constraints =
        given == settings.tables.end() ? planning::ParameterConstraints() : given->second;
    if (!constraints.kernel) constraints.kernel = settings.kernel;
    if (constraints.sharding.empty() && settings.default_type) constraints.sharding = *settings.default_type;
    if (constraints.sharding.empty()) constraints.sharding.list = EmbeddingBagCollectionSharder().sharding_types();
    planning::ShardingTypes allowed = constraints.sharding;
    std::erase_if(allowed.list, [&](const auto type) { return !has(offered, type); });
    if (allowed.empty())
      fail("table ", table.name, ": the sharder offers none of its allowed sharding types; allow one of ",
           join(offered, ", ", [](const auto type) { return planning::name(type); }));
    const auto kernels = sharder.compute_kernels(allowed.list.front());
    const bool fused = kernels.empty() || has(kernels, planning::ComputeKernel::fused);
    const auto kernel = constraints.kernel.value_or(fused ? planning::ComputeKernel::fused : kernels.front());
    std::erase_if(allowed.list, [&](const auto type) { return !has(sharder.compute_kernels(type), kernel); });
    if (allowed.empty())
      fail("table ", table.name, ": the sharder offers kernel \"", planning::name(kernel),
           "\" for none of its allowed sharding types; allow another kernel or type");
    if (allowed.list == constraints.sharding.list && (constraints.kernel || fused))
      continue;  // the sharder excludes nothing
    constraints.kernel = kernel;
    constraints.sharding = allowed;
    settings.tables[table.name] = constraints;
  }
  return settings;
}

planning::Topology topology_of(const ShardingEnv& env, const planning::Settings& settings,
                               const ExchangePrecision& exchange) {
  planning::Topology topology = planning::topology_of(env, settings);
  topology.exchange = bytes_of(exchange.forward, exchange.backward);
  return topology;
}

planning::ProvenPlan plan_for(const embedding::EmbeddingBagCollection& module, const ShardingEnv& env,
                              const planning::Topology& topology, const ParallelOptions& options,
                              const EmbeddingBagCollectionSharder& sharder) {
  const std::vector<embedding::EmbeddingBagConfig>& tables = module.tables();
  if (options.plan) {
    planning::check_plan(tables, *options.plan, env.size());
    planning::require_same_plan(env, tables, *options.plan);
    return {*options.plan, {}, 0, false};
  }
  const planning::Settings settings = within(options.planner, tables, sharder);
  const planning::EmbeddingShardingPlanner planner(topology, settings, sharder.fused, sharder.dense,
                                                   options.global_batch);
  return planner.collective_plan(env, tables);
}

/// Returns the batch with the module's features only, in the module's order. Throws Error if one is missing.
jagged::KeyedJaggedTensor in_order(const Exec& exec, const jagged::KeyedJaggedTensor& batch,
                                   const std::vector<embedding::EmbeddingBagConfig>& tables,
                                   const std::vector<std::string>& features) {
  if (batch.variable_stride())
    fail("the features of the batch differ in their number of samples; give each feature the same number");
  if (batch.keys == features) return batch;
  for (const embedding::EmbeddingBagConfig& table : tables)
    for (const std::string& feature : table.feature_names)
      if (std::ranges::count(batch.keys, feature) == 0)
        fail("table ", table.name, ": feature \"", feature, "\" is not in the batch, which has ", join(batch.keys));
  std::vector<Index> order;
  for (const std::string& feature : features) order.push_back(batch.find(feature));
  return batch.permute(exec, order);
}

DistributedModelParallel::Placement placement_for(const embedding::EmbeddingBagCollection& module,
                                                  const ShardingEnv& env, const ParallelOptions& options,
                                                  const EmbeddingBagCollectionSharder& sharder) {
  const planning::Topology topology = topology_of(env, options.planner, sharder.exchange);
  return {topology, plan_for(module, env, topology, options, sharder)};
}

std::vector<jagged::JaggedVectors> on_host(const Exec& exec, Place place,
                                           std::vector<jagged::JaggedVectors> sequences) {
  if (place == Place::host) return sequences;
  for (jagged::JaggedVectors& sequence : sequences) {
    const Matrix<float> device_values = sequence.values;
    sequence.values =
        make_matrix<float>(exec, "tesserec::sharding::unpooled", device_values.extent(0), device_values.extent(1));
    copy(exec, place, device_values.data(), Place::host, sequence.values.data(), std::ssize(device_values));
  }
  return sequences;
}

}  // namespace

DistributedModelParallel::DistributedModelParallel(const Exec& exec, const embedding::EmbeddingBagCollection& module,
                                                   const ShardingEnv& env, const ParallelOptions& options,
                                                   const EmbeddingBagCollectionSharder& sharder)
    : env_(with_same_options(env, module, options, sharder)),
      names_(module.embedding_names()),
      features_(options.features.empty() ? module.features() : options.features),
      lanes_(lanes_for(env, options.lanes, options.micro_batches)),
      schedule_(options.schedule),
      placement_(placement_for(module, env, options, sharder)),
      tables_(sharder.shard(exec, module, placement_.plan.plan, env, features_, Lanes(lanes_.count()),
                            {placement_.topology.ranks_per_node, options.planner.exchange_levels})) {
  optim::validate(schedule_);
  for (const embedding::EmbeddingBagConfig& table : module.tables())
    for (std::size_t f = 0; f < table.feature_names.size(); ++f)
      if (table.pools(f)) dims_.push_back(table.embedding_dim);
  tables_.initialize(exec, options.seed);
}

InFlight DistributedModelParallel::start(const Exec& exec, const jagged::KeyedJaggedTensor& features) {
  constexpr Index refused = -1;
  jagged::KeyedJaggedTensor sparse;
  std::string error;
  try {
    sparse = in_order(exec, features, tables_.tables(), features_);
  } catch (const Error& e) {
    error = e.what();
  }
  const std::vector<Index> sizes = env_.all_gather(error.empty() ? sparse.stride : refused);
  if (const auto first = std::find(sizes.begin(), sizes.end(), refused); first != sizes.end())
    throw Error(env_.broadcast(error, int(first - sizes.begin())));
  return tables_.start(exec, sparse, BatchSplit(Lanes(lanes_.count()), sizes));
}

jagged::KeyedTensor DistributedModelParallel::forward(const Exec& exec, const jagged::KeyedJaggedTensor& features) {
  return forward(exec, start(exec, features));
}

jagged::KeyedTensor DistributedModelParallel::forward(const Exec& exec, InFlight batch) {
  const auto vectors = tables_.forward(exec, batch);
  Matrix<float> pooled =
      make_matrix<float>(exec, "tesserec::sharding::pooled", batch.samples(), tables_.pooled_width());
  copy(exec, tables_.place(), vectors.pooled.data(), Place::host, pooled.data(), std::ssize(pooled));
  batch_ = std::move(batch);
  unpooled_ = on_host(exec, tables_.place(), vectors.unpooled);
  global_batch_ = batch_.global_size();
  return jagged::KeyedTensor::from_values(names_, dims_, pooled);
}

void DistributedModelParallel::backward(const Exec& exec, const Matrix<float>& gradient,
                                        const std::vector<Matrix<float>>& unpooled_gradient) {
  if (!batch_) fail("backward() has no batch; call forward() first, once for each backward()");
  const Index samples = batch_.samples(), width = tables_.pooled_width();
  if (Index(gradient.extent(0)) != samples || Index(gradient.extent(1)) != width)
    fail("the gradient is ", gradient.extent(0), " x ", gradient.extent(1), ", but the pooled vectors are ", samples,
         " x ", width, "; give a gradient of that shape");
  if (unpooled_gradient.size() != unpooled_.size())
    fail("backward() got ", counted(std::ssize(unpooled_gradient), "un-pooled gradient"), ", but the model has ",
         counted(std::ssize(unpooled_), "un-pooled feature"), "; give one gradient per feature");
  for (std::size_t q = 0; q < unpooled_.size(); ++q) {
    const Matrix<float>&own = unpooled_[q].values, &given = unpooled_gradient[q];
    if (given.extent(0) != own.extent(0) || given.extent(1) != own.extent(1))
      fail("the gradient of un-pooled feature ", q, " is ", given.extent(0), " x ", given.extent(1),
           ", but its vectors are ", own.extent(0), " x ", own.extent(1), "; give a gradient of that shape");
  }
  const auto send = [&](const Matrix<float>& from, float* to) {
    copy(exec, Place::host, from.data(), tables_.place(), to, std::ssize(from));
  };
  const BatchVectors<float> gradients = tables_.gradient(exec, batch_);
  send(gradient, gradients.pooled.data());
  for (std::size_t q = 0; q < gradients.unpooled.size(); ++q)
    send(unpooled_gradient[q], gradients.unpooled[q].values.data());
  unpooled_.clear();
  tables_.backward(exec, std::move(batch_), schedule_, ++steps_);
}

Index DistributedModelParallel::bytes() const {
  Index bytes = 0;
  for (const ShardedEmbeddingBagCollection::Shard& shard : tables_.shards()) {
    const embedding::RowStore::Bytes stored = shard.rows->store().bytes();
    bytes += stored.device + stored.host;
  }
  return bytes;
}

std::string DistributedModelParallel::describe() const {
  std::string text = "DistributedModelParallel(\n  (module): ShardedEmbeddingBagCollection(\n";
  for (std::size_t t = 0; t < plan().size(); ++t) {
    text += "    " + embedding::describe(tables_.tables()[t]) + ": " + planning::name(plan()[t].type) + ", " +
            planning::name(plan()[t].kernel);
    std::vector<int> ranks;
    for (const planning::Shard& shard : plan()[t].shards)
      if (std::ranges::count(ranks, shard.rank) == 0) ranks.push_back(shard.rank);
    const std::string named = (ranks.size() == 1 ? ", rank " : ", ranks ") + join(ranks, " ");
    const int groups = planning::replicas(plan());
    const std::string in_groups = groups > 1 ? concat(" of each of ", groups, " replica groups") : "";
    text += (ranks.empty() ? ", every rank" : named + in_groups) + "\n";
  }
  return text + "  )\n)\n";
}

}  // namespace tesserec::sharding
