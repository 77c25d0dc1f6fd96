// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/comm/node.hpp>
#include <tesserec/comm/node_memory.hpp>
#include <tesserec/model/dlrm.hpp>
#include <tesserec/optim/dense_optimizer.hpp>
#include <tesserec/sharding/sharded_embedding_bag_collection.hpp>

namespace tesserec::model {

/// A whole model on its ranks: tables cut by the plan, the dense half once a node; TorchRec's DistributedModelParallel.
struct DistributedModelParallel {
  DistributedModelParallel(const Exec& exec, const comm::Communicator& comm, const Settings& settings,
                           Index dense_features, const std::vector<std::string>& features,
                           std::vector<embedding::EmbeddingBagConfig> table_configs, planning::ShardingPlan plan,
                           const Lanes& lanes, const optim::Settings& sparse, const optim::Settings& dense_optimizer);

  /// Start values of all weights, from counters.
  void initialise(const Exec& exec, std::uint64_t seed);

  /// Moves the dense parameters, with the same `gradient` on every rank; `step` counts from 1. Collective.
  void move_dense(const Exec& exec, const Vector<float>& gradient, double lr, Index step);

  /// Ranks that have one copy of the dense half: those of a node, or each alone.
  int sharers() const { return memory ? node.ranks().size() : 1; }

  comm::Node node;
  sharding::ShardedEmbeddingBagCollection tables;
  Dlrm dense;
  /// Where the ranks of a node have one copy of the parameters and of their optimizer's states; else each has its own.
  comm::NodeMemory memory;
  /// Of the dense half, flat; Dlrm::layout names its parts. All ranks of a node may see and write the same.
  Vector<float> parameters;
  optim::DenseOptimizer optimizer;
};

}  // namespace tesserec::model
