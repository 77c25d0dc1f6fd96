// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/comm/node_memory.hpp>
#include <tesserec/model/dlrm.hpp>
#include <tesserec/optim/dense_optimizer.hpp>
#include <tesserec/sharding/sharded_embedding_bag_collection.hpp>

namespace tesserec::model {

/// A whole model on its ranks: tables cut by the plan, the dense half on every rank; TorchRec's
/// DistributedModelParallel. The ranks of a node have one copy of the dense parameters, and each moves its share.
struct DistributedModelParallel {
  DistributedModelParallel(const Exec& exec, const comm::Communicator& comm, const Settings& settings,
                           Index dense_features, const std::vector<std::string>& features,
                           std::vector<embedding::EmbeddingBagConfig> table_configs, sharding::ShardingPlan plan,
                           const Lanes& lanes, const optim::Settings& sparse, const optim::Settings& dense_optimizer);

  /// Start values of all weights, from counters.
  void initialise(const Exec& exec, std::uint64_t seed);

  /// Moves the dense parameters, with the same `gradient` on every rank; `step` counts from 1. Collective.
  void move_dense(const Exec& exec, const Vector<float>& gradient, double lr, Index step);

  comm::Node node;
  sharding::ShardedEmbeddingBagCollection tables;
  Dlrm dense;
  comm::NodeMemory
      memory;  ///< of the parameters and their optimizer's states, where ranks of a node have them in common
  Vector<float> parameters;  ///< of the dense half, flat; Dlrm::layout names its parts
  optim::DenseOptimizer optimizer;
};

}  // namespace tesserec::model
