// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/comm/node.hpp>
#include <tesserec/model/settings.hpp>
#include <tesserec/network/network.hpp>
#include <tesserec/optim/dense_optimizer.hpp>
#include <tesserec/sharding/distributed_model_parallel.hpp>

namespace tesserec::model {

/// Whole model on its ranks: the embedding tables sharded by a plan, and one dense half per node. All ranks call its
/// functions in the same order, each from the thread that constructed it.
struct ShardedModel {
  /// Makes a model whose weights have start values from counter-based random numbers under options.seed. Collective.
  /// `sharder.dense` also updates the dense half. `comm` must outlive the model. Throws the same Error on every rank if
  /// settings differ between ranks, naming the setting and the ranks. Throws also the errors of
  /// DistributedModelParallel and network::Network.
  ShardedModel(const Exec& exec, const comm::Communicator& comm, const Settings& settings, Index dense_features,
               const embedding::EmbeddingBagCollection& collection, const sharding::ParallelOptions& options,
               const sharding::EmbeddingBagCollectionSharder& sharder);

  /// Updates the dense parameters with `gradient` times `scale`, which must be equal on every rank. Ends step `step`,
  /// which counts from 1, so that embeddings.steps() returns it. Collective.
  void move_dense(const Exec& exec, const PlacedVector<float>& gradient, double lr, Index step, float scale = 1.0f);

  sharding::ShardedEmbeddingBagCollection& tables() { return embeddings.tables(); }
  const sharding::ShardedEmbeddingBagCollection& tables() const { return embeddings.tables(); }
  /// Returns the number of ranks that share a copy of the dense half: the ranks of a node, or 1.
  int sharers() const { return memory ? node.ranks().size() : 1; }

  std::uint64_t seed;
  comm::Node node;
  sharding::DistributedModelParallel embeddings;
  network::Network dense;
  /// Packed weights that a node's ranks share; else empty, and each rank packs its own.
  comm::NodeMemory packed;
  /// Memory of a node's one copy of parameters and states; else empty, as on a device, and each rank has a copy.
  comm::NodeMemory memory;
  /// Flat parameters of the dense half (network::Network::layout), in the memory that its kernels read. A node's ranks
  /// may share them.
  PlacedVector<float> parameters;
  optim::DenseOptimizer optimizer;
};

}  // namespace tesserec::model
