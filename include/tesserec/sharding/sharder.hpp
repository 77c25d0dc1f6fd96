// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/core/kernels.hpp>
#include <tesserec/embedding/embedding_bag_collection.hpp>
#include <tesserec/sharding/sharded_embedding_bag_collection.hpp>

namespace tesserec::sharding {

/// The ranks that share a model: TorchRec's ShardingEnv (a process group, its size, this process's rank).
using ShardingEnv = comm::Communicator;

/// Types and kernels that a collection offers; TorchRec's EmbeddingBagCollectionSharder. Derive from it to offer less.
struct EmbeddingBagCollectionSharder {
  optim::Settings fused;                 ///< moves touched rows (TorchRec's fused_params)
  optim::Settings dense;                 ///< moves all rows of tables of the dense kernel
  Kernels kernels = Kernels::automatic;  ///< what looks them up and moves them
  ExchangePrecision exchange;            ///< of what travels (TorchRec's qcomm_codecs_registry)

  virtual ~EmbeddingBagCollectionSharder() = default;
  virtual std::vector<planning::ShardingType> sharding_types() const;
  virtual std::vector<planning::ComputeKernel> compute_kernels(planning::ShardingType type) const;

  /// Errors, naming the table: a type or kernel that it does not offer.
  void check(const embedding::EmbeddingBagCollection& module, const planning::ShardingPlan& plan) const;

  /// This rank's shards. `env` must outlive them; `features` are the keys of the batches.
  ShardedEmbeddingBagCollection shard(const Exec& exec, const embedding::EmbeddingBagCollection& module,
                                      const planning::ShardingPlan& plan, const ShardingEnv& env,
                                      const std::vector<std::string>& features, const Lanes& lanes,
                                      Levels levels = {}) const;
};

}  // namespace tesserec::sharding
