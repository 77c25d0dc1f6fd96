// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/core/kernels.hpp>
#include <tesserec/embedding/embedding_bag_collection.hpp>
#include <tesserec/sharding/sharded_embedding_bag_collection.hpp>

namespace tesserec::sharding {

/// Ranks that share a model, as TorchRec's ShardingEnv (a process group, its size, this process's rank).
using ShardingEnv = comm::Communicator;

/// Sharding types and kernels that a collection offers, as TorchRec's EmbeddingBagCollectionSharder. A derived class
/// may offer fewer.
struct EmbeddingBagCollectionSharder {
  optim::Settings fused;                 ///< optimizer of the fused kernel (TorchRec's fused_params)
  optim::Settings dense;                 ///< optimizer of the dense kernel
  Kernels kernels = Kernels::automatic;  ///< implementation of lookups and updates
  ExchangePrecision exchange;            ///< precision of the exchange (TorchRec's qcomm_codecs_registry)
  /// Maker of the stores of fused and disk tables. memory_rows, the default, refuses disk tables.
  embedding::MakeRowStore store = embedding::memory_rows;

  virtual ~EmbeddingBagCollectionSharder() = default;
  virtual std::vector<planning::ShardingType> sharding_types() const;
  virtual std::vector<planning::ComputeKernel> compute_kernels(planning::ShardingType type) const;

  /// Throws Error, naming the table, if the plan has a sharding type or kernel that the sharder does not offer.
  void check(const embedding::EmbeddingBagCollection& module, const planning::ShardingPlan& plan) const;

  /// Checks the plan and allocates this rank's shards. `env` must outlive them; `features` are the keys of the batches.
  /// Collective.
  ShardedEmbeddingBagCollection shard(const Exec& exec, const embedding::EmbeddingBagCollection& module,
                                      const planning::ShardingPlan& plan, const ShardingEnv& env,
                                      const std::vector<std::string>& features, const Lanes& lanes,
                                      Levels levels = {}) const;
};

}  // namespace tesserec::sharding
