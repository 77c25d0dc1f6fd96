// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/model/dlrm.hpp>
#include <tesserec/optim/dense_optimizer.hpp>
#include <tesserec/sharding/sharded_embedding_bag_collection.hpp>

namespace tesserec::model {

/// A whole model on its ranks: tables cut by the plan, the dense half on every rank; TorchRec's
/// DistributedModelParallel.
struct DistributedModelParallel {
  DistributedModelParallel(const Exec& exec, const comm::Communicator& comm, const Settings& settings,
                           Index dense_features, const std::vector<std::string>& features,
                           std::vector<embedding::EmbeddingBagConfig> table_configs, sharding::ShardingPlan plan,
                           const Lanes& lanes, const optim::Settings& sparse, const optim::Settings& dense_optimizer);

  /// Start values of all weights, from counters.
  void initialise(const Exec& exec, std::uint64_t seed);

  sharding::ShardedEmbeddingBagCollection tables;
  Dlrm dense;
  Vector<float> parameters;  ///< of the dense half, flat; Dlrm::layout names its parts
  optim::DenseOptimizer optimizer;
};

}  // namespace tesserec::model
