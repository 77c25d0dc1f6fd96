// SPDX-License-Identifier: Apache-2.0
// Comparison of options between ranks. Structured bindings name every member, so that a new one cannot be forgotten.
#include "same_options.hpp"

#include <tesserec/comm/same.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec::sharding {
namespace {

using comm::NamedValues;

void add(NamedValues& values, const std::string& at, const optim::Settings& settings) {
  const auto& [type, lr, eps, beta1, beta2, max_gradient, weight_decay, decay, initial_accumulator, momentum, eta,
               ar_alpha, min_shrinkage] = settings;
  values.add(at + ".type", optim::info(type).name).add(at + ".lr", lr).add(at + ".eps", eps);
  values.add(at + ".beta1", beta1).add(at + ".beta2", beta2).add(at + ".max_gradient", max_gradient);
  values.add(at + ".weight_decay", weight_decay).add(at + ".decay", decay == optim::Decay::l2 ? "l2" : "decoupled");
  values.add(at + ".initial_accumulator", initial_accumulator).add(at + ".momentum", momentum).add(at + ".eta", eta);
  values.add(at + ".ar_alpha", ar_alpha).add(at + ".min_shrinkage", min_shrinkage);
}

void add(NamedValues& values, const optim::ScheduleSettings& schedule) {
  const auto& [warmup_steps, decay_start_step, decay_steps, stages] = schedule;
  values.add("schedule.warmup_steps", warmup_steps).add("schedule.decay_start_step", decay_start_step);
  values.add("schedule.decay_steps", decay_steps).add("schedule's number of stages", stages.size());
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const auto& [policy, max_steps, value, end_value, start_steps, decays, period, scale] = stages[i];
    const std::string at = concat("schedule.stages[", i, "].");
    values.add(at + "policy", optim::policies()[std::size_t(policy)].name).add(at + "max_steps", max_steps);
    values.add(at + "value", value).add(at + "end_value", end_value).add(at + "start_steps", start_steps);
    values.add(at + "decay_steps", decays).add(at + "period", period).add(at + "scale", scale);
  }
}

void add(NamedValues& values, std::size_t t, const embedding::EmbeddingBagConfig& table) {
  const auto& [name, num_embeddings, embedding_dim, feature_names, pooling, weighted, optimizer, unpooled, start,
               ids_per_bag, projection, qr_collisions, half, block_by, format, growth] = table;
  values.add(concat("the name of table ", t), name);
  const std::string at = concat("table ", name, " (", t, "): ");
  values.add(at + "num_embeddings", num_embeddings).add(at + "embedding_dim", embedding_dim);
  values.add(at + "feature_names", feature_names).add(at + "unpooled", unpooled);
  values.add(at + "pooling", pooling == embedding::PoolingType::sum ? "sum" : "mean").add(at + "weighted", weighted);
  values.add(at + "start", start == embedding::RowStart::uniform ? "uniform" : "one");
  values.add(at + "ids_per_bag", ids_per_bag).add(at + "projection", projection);
  values.add(at + "qr_collisions", qr_collisions).add(at + "a half of", half ? half->table : "");
  values.add(at + "format", tesserec::name(table.weight_format()));
  values.add(at + "block_by", block_by == embedding::BlockBy::hash ? "hash" : "rows");
  const auto& [admit_after, eviction, ttl, unknown] = growth;
  values.add(at + "growth.admit_after", admit_after).add(at + "growth.eviction", eviction);
  values.add(at + "growth.ttl", ttl).add(at + "growth.unknown", unknown);
  if (half) {
    const auto& [whole, ids, collisions, operation, remainder] = *half;
    values.add(at + "half.ids", ids).add(at + "half.collisions", collisions).add(at + "half.remainder", remainder);
    values.add(at + "half.operation", operation);
  }
  values.add(at + "has an optimizer", optimizer.has_value());
  if (optimizer) add(values, at + "optimizer", *optimizer);
}

/// Adds the planner's settings. Costs, memory and popular rows are compared by collective_plan.
void add(NamedValues& values, const planning::Settings& planner) {
  const auto types = [](const planning::ShardingTypes& list) {
    return join(list.list, " ", [](const auto type) { return planning::name(type); });
  };
  const auto kernels = [](const planning::ComputeKernels& list) {
    return join(list.list, " ", [](const auto kernel) { return planning::name(kernel); });
  };
  values.add("planner.kernel", kernels(planner.kernel)).add("planner.cache", planner.cache);
  values.add("planner.disk_folder", planner.disk_folder);
  values.add("planner.default_type", planner.default_type ? planning::name(*planner.default_type) : "auto");
  values.add("planner.file", planner.file).add("planner.device", planner.device);
  values.add("planner.machine", planner.machine).add("planner.ranks_per_node", planner.ranks_per_node);
  values.add("planner.exchange_levels", planner.exchange_levels).add("planner.reserve", planner.reserve);
  values.add("planner.replicas", planner.replicas.list);
  for (const auto& [table, demand] : planner.tables) {
    const auto& [sharding, kernel, cache, ranks, min_partition, pooling_factor, zipf, popular] = demand;
    const std::string at = "planner.tables." + table + ".";
    values.add(at + "sharding", types(sharding)).add(at + "ranks", ranks).add(at + "min_partition", min_partition);
    values.add(at + "kernel", kernels(kernel)).add(at + "cache", cache);
    values.add(at + "pooling_factor", pooling_factor).add(at + "zipf", zipf);
  }
}

void add(NamedValues& values, const EmbeddingBagCollectionSharder& sharder) {
  add(values, "sharder.fused", sharder.fused);
  add(values, "sharder.dense", sharder.dense);
  values.add("sharder.kernels", name(sharder.kernels)).add("sharder.exchange.forward", name(sharder.exchange.forward));
  values.add("sharder.exchange.backward", name(sharder.exchange.backward));
  values.add("sharder.exchange.gradient_scale", sharder.exchange.gradient_scale);
  for (const planning::ShardingType type : sharder.sharding_types())
    values.add(concat("sharder.compute_kernels of ", planning::name(type)),
               join(sharder.compute_kernels(type), " ", [](const auto kernel) { return planning::name(kernel); }));
}

}  // namespace

const ShardingEnv& with_same_options(const ShardingEnv& env, const embedding::EmbeddingBagCollection& module,
                                     const ParallelOptions& options, const EmbeddingBagCollectionSharder& sharder) {
  if (env.size() == 1) return env;
  const auto& [plan, planner, global_batch, lanes, micro_batches, seed, features, schedule] = options;
  NamedValues values;
  values.add("seed", seed).add("lanes", lanes).add("micro_batches", micro_batches).add("global_batch", global_batch);
  values.add("features", features).add("plan", plan ? "given" : "left out");
  add(values, schedule);
  add(values, sharder);
  add(values, planner);
  values.add("the number of tables", module.tables().size());
  for (std::size_t t = 0; t < module.tables().size(); ++t) add(values, t, module.tables()[t]);
  comm::require_same(env, values.list(), "give all ranks of a model the same tables, options and sharder");
  return env;
}

}  // namespace tesserec::sharding
