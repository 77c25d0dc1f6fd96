// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <tesserec/core/error.hpp>
#include <tesserec/planning/planner.hpp>
#include <tesserec/sharding/distributed_model_parallel.hpp>

namespace tesserec::sharding {
namespace {

Lanes lanes_for(const ShardingEnv& env, int lanes) {
  if (lanes < 1 || (lanes & (lanes - 1)) != 0) fail("lanes = ", lanes, ": it must be a power of two");
  if (env.size() > lanes)
    fail("lanes = ", lanes, ": each of the ", env.size(), " ranks needs a lane; the next power of two will do");
  return Lanes(lanes);
}

/// Leaves the planner only what the sharder offers.
planning::Settings within(planning::Settings settings, const std::vector<embedding::EmbeddingBagConfig>& tables,
                          const EmbeddingBagCollectionSharder& sharder) {
  const std::vector<planning::ShardingType> offered = sharder.sharding_types(),
                                            all = EmbeddingBagCollectionSharder().sharding_types();
  if (offered == all) return settings;
  for (const embedding::EmbeddingBagConfig& table : tables) {
    planning::ShardingTypes& wanted = settings.tables[table.name].sharding;
    if (wanted.empty() && settings.default_type) wanted = *settings.default_type;
    if (wanted.empty()) wanted.list = all;
    planning::ShardingTypes both;
    for (const planning::ShardingType type : wanted.list)
      if (std::find(offered.begin(), offered.end(), type) != offered.end()) both.list.push_back(type);
    if (both.empty()) fail("table ", table.name, ": the sharder offers none of the sharding types that it may have");
    wanted = both;
  }
  return settings;
}

planning::ShardingPlan plan_for(const embedding::EmbeddingBagCollection& module, const ShardingEnv& env,
                                const ParallelOptions& options, const EmbeddingBagCollectionSharder& sharder) {
  const std::vector<embedding::EmbeddingBagConfig>& tables = module.tables();
  if (options.plan) {
    planning::check_plan(tables, *options.plan, env.size());
    planning::require_same_plan(env, tables, *options.plan);
    return *options.plan;
  }
  const planning::Settings settings = within(options.planner, tables, sharder);
  const planning::EmbeddingShardingPlanner planner(planning::topology_of(env, settings), settings, sharder.fused,
                                                   sharder.dense, options.global_batch);
  return planner.collective_plan(env, tables).plan;
}

/// The batch with the module's features alone, in their order.
jagged::KeyedJaggedTensor in_order(const Exec& exec, const jagged::KeyedJaggedTensor& batch,
                                   const std::vector<embedding::EmbeddingBagConfig>& tables,
                                   const std::vector<std::string>& features) {
  if (batch.variable_stride()) fail("the batch has another number of samples for each feature; give all the same");
  if (batch.keys == features) return batch;
  for (const embedding::EmbeddingBagConfig& table : tables)
    for (const std::string& feature : table.feature_names)
      if (std::find(batch.keys.begin(), batch.keys.end(), feature) == batch.keys.end())
        fail("table ", table.name, ": feature \"", feature, "\" is not in the batch");
  std::vector<Index> order;
  for (const std::string& feature : features) order.push_back(batch.find(feature));
  return batch.permute(exec, order);
}

}  // namespace

DistributedModelParallel::DistributedModelParallel(const Exec& exec, const embedding::EmbeddingBagCollection& module,
                                                   const ShardingEnv& env, const ParallelOptions& options,
                                                   const EmbeddingBagCollectionSharder& sharder)
    : env_(env),
      names_(module.embedding_names()),
      features_(module.features()),
      lanes_(lanes_for(env, options.lanes)),
      schedule_(options.schedule),
      tables_(sharder.shard(exec, module, plan_for(module, env, options, sharder), env, features_, lanes_)) {
  optim::validate(schedule_);
  for (const embedding::EmbeddingBagConfig& table : module.tables())
    dims_.insert(dims_.end(), table.feature_names.size(), table.embedding_dim);
  tables_.initialise(exec, options.seed);
}

jagged::KeyedTensor DistributedModelParallel::forward(const Exec& exec, const jagged::KeyedJaggedTensor& features) {
  const jagged::KeyedJaggedTensor sparse = in_order(exec, features, tables_.tables(), features_);
  global_batch_ = env_.sum(sparse.stride);
  samples_ = sparse.stride;
  const std::vector<Index> each = env_.all_gather(samples_);
  for (int rank = 0; rank < env_.size(); ++rank) {
    const Index share = lanes_.samples_of_rank(rank, env_.size(), global_batch_).size();
    if (each[rank] != share)
      fail("rank ", rank, " gave ", each[rank], " samples of a global batch of ", global_batch_, "; with ",
           lanes_.count(), " lanes on ", env_.size(), " ranks it takes ", share, " (see samples)");
  }
  Exchange& exchange = tables_.exchange();
  const auto& asked = exchange.send_ids(sparse, global_batch_);
  tables_.lookup(exec, asked, exchange.rows(exec));
  Matrix<float> pooled = make_matrix<float>(exec, "tesserec::sharding::pooled", samples_, exchange.pooled_width());
  std::copy_n(exchange.return_rows(exec), pooled.size(), pooled.data());
  tables_.prepare(exec, asked, global_batch_);
  return jagged::KeyedTensor::from_values(names_, dims_, pooled);
}

void DistributedModelParallel::backward(const Exec& exec, const Matrix<float>& gradient) {
  if (samples_ < 0) fail("backward without a forward: each batch goes back once");
  const Index width = tables_.exchange().pooled_width();
  if (static_cast<Index>(gradient.extent(0)) != samples_ || static_cast<Index>(gradient.extent(1)) != width)
    fail("the gradient is ", gradient.extent(0), " x ", gradient.extent(1), ", the pooled vectors were ", samples_,
         " x ", width);
  ++steps_;
  std::copy_n(gradient.data(), gradient.size(), tables_.exchange().pooled_gradient(exec));
  tables_.update(exec, tables_.exchange().send_gradients(exec), schedule_, steps_);
  samples_ = -1;
}

Index DistributedModelParallel::bytes() const {
  Index floats = 0;
  for (const ShardedEmbeddingBagCollection::Shard& shard : tables_.shards()) {
    floats += static_cast<Index>(shard.rows->weights().size());
    for (const auto& state : shard.rows->state()) floats += static_cast<Index>(state.values.size());
  }
  return floats * static_cast<Index>(sizeof(float));
}

std::string DistributedModelParallel::describe() const {
  std::string text = "DistributedModelParallel(\n  (module): ShardedEmbeddingBagCollection(\n";
  for (std::size_t t = 0; t < plan().size(); ++t) {
    text += "    " + embedding::describe(tables_.tables()[t]) + ": " + planning::name(plan()[t].type) + ", " +
            planning::name(plan()[t].kernel);
    std::vector<int> ranks;
    for (const planning::Shard& shard : plan()[t].shards)
      if (std::find(ranks.begin(), ranks.end(), shard.rank) == ranks.end()) ranks.push_back(shard.rank);
    text += plan()[t].shards.empty() ? ", every rank" : ranks.size() == 1 ? ", rank" : ", ranks";
    for (const int rank : ranks) text += " " + std::to_string(rank);
    text += "\n";
  }
  return text + "  )\n)\n";
}

}  // namespace tesserec::sharding
