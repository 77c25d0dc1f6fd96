// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/comm/node.hpp>
#include <tesserec/model/settings.hpp>
#include <tesserec/network/network.hpp>
#include <tesserec/optim/dense_optimizer.hpp>
#include <tesserec/sharding/distributed_model_parallel.hpp>

namespace tesserec::model {

/// A whole model on its ranks: the embeddings cut by a plan, the dense half once a node. Its calls come from the thread
/// that made it, on all ranks in the same order.
struct ShardedModel {
  /// Weights have their start values, from counters under options.seed. `sharder.dense` moves the dense half too.
  /// `comm` must outlive it. Collective. Errors, the same on every rank: settings that differ between ranks, named with
  /// the ranks; those of DistributedModelParallel and network::Network.
  ShardedModel(const Exec& exec, const comm::Communicator& comm, const Settings& settings, Index dense_features,
               const embedding::EmbeddingBagCollection& collection, const sharding::ParallelOptions& options,
               const sharding::EmbeddingBagCollectionSharder& sharder);

  /// Moves the dense parameters by `gradient` times `scale`, the same on every rank, and ends step `step`, which counts
  /// from 1: embeddings.steps() says so. Collective.
  void move_dense(const Exec& exec, const PlacedVector<float>& gradient, double lr, Index step, float scale = 1.0f);

  sharding::ShardedEmbeddingBagCollection& tables() { return embeddings.tables(); }
  const sharding::ShardedEmbeddingBagCollection& tables() const { return embeddings.tables(); }
  /// Ranks that have one copy of the dense half: those of a node, or each alone.
  int sharers() const { return memory ? node.ranks().size() : 1; }

  std::uint64_t seed;
  comm::Node node;
  sharding::DistributedModelParallel embeddings;
  network::Network dense;
  /// Packed weights that a node's ranks share; else each rank has its own.
  comm::NodeMemory packed;
  /// Memory for a node's one copy of parameters and states; else each rank has its own, as on a device.
  comm::NodeMemory memory;
  /// Flat parameters of the dense half, where its kernels want them (network::Network::layout); a node's ranks may
  /// share them.
  PlacedVector<float> parameters;
  optim::DenseOptimizer optimizer;
};

}  // namespace tesserec::model
