// SPDX-License-Identifier: Apache-2.0
#include <tesserec/model/distributed_model_parallel.hpp>

namespace tesserec::model {
namespace {

std::vector<Index> pooled_dims(const std::vector<embedding::EmbeddingBagConfig>& tables) {
  std::vector<Index> dims;
  for (const embedding::EmbeddingBagConfig& table : tables)
    dims.insert(dims.end(), table.feature_names.size(), table.embedding_dim);
  return dims;
}

/// Where there is somebody to share with.
comm::NodeMemory shared(const comm::Node& node, Index size) {
  return node.ranks().size() > 1 ? comm::NodeMemory(node.ranks(), size) : comm::NodeMemory();
}

}  // namespace

DistributedModelParallel::DistributedModelParallel(const Exec& exec, const comm::Communicator& comm,
                                                   const Settings& settings, Index dense_features,
                                                   const std::vector<std::string>& features,
                                                   std::vector<embedding::EmbeddingBagConfig> table_configs,
                                                   planning::ShardingPlan plan, const Lanes& lanes,
                                                   const optim::Settings& sparse,
                                                   const optim::Settings& dense_optimizer)
    : node(comm, comm::ranks_per_node(comm)),
      tables(exec, comm, std::move(table_configs), std::move(plan), features, lanes, sparse, dense_optimizer),
      dense(settings, dense_features, pooled_dims(tables.tables())),
      memory(shared(node, dense.parameters() + optim::DenseOptimizer::state_size(dense_optimizer, dense.parameters()))),
      parameters(memory ? Vector<float>(memory.data(), static_cast<std::size_t>(dense.parameters()))
                        : make_vector<float>(exec, "tesserec::model::parameters", dense.parameters())),
      optimizer(exec, dense_optimizer, dense.parameters(), memory ? memory.data() + dense.parameters() : nullptr) {
  dense.share_weights(node);
  if (memory) node.ranks().barrier();  // the states' start values stand
}

void DistributedModelParallel::move_dense(const Exec& exec, const Vector<float>& gradient, double lr, Index step) {
  const Index size = dense.parameters();
  optimizer.step(exec, parameters, gradient, lr, step, memory ? node.share(size) : Range{0, size});
  exec.fence();
  if (memory) node.ranks().barrier();
}

void DistributedModelParallel::initialise(const Exec& exec, std::uint64_t seed) {
  tables.initialise(exec, seed);
  dense.initialise(exec, seed, parameters);
  if (memory) node.ranks().barrier();
}

}  // namespace tesserec::model
