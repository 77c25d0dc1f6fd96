// SPDX-License-Identifier: Apache-2.0
#include <tesserec/model/sharded_model.hpp>

namespace tesserec::model {
namespace {

/// Where there is somebody to share with.
comm::NodeMemory shared(const comm::Node& node, Index size) {
  return node.ranks().size() > 1 ? comm::NodeMemory(node.ranks(), size) : comm::NodeMemory();
}

}  // namespace

std::vector<PooledFeature> pooled_features(const std::vector<embedding::EmbeddingBagConfig>& tables) {
  std::vector<embedding::EmbeddingBagConfig> whole;  // as before any was cut
  for (const embedding::EmbeddingBagConfig& table : tables)
    if (!table.half || !table.half->remainder) whole.push_back(table), whole.back().name = table.whole();
  const std::vector<std::string> names = embedding::embedding_names(whole);
  std::vector<PooledFeature> features;
  std::size_t first = 0;  // feature of the whole table
  for (const embedding::EmbeddingBagConfig& table : tables) {
    if (table.half && table.half->remainder) first -= table.feature_names.size();
    for (const std::string& feature : table.feature_names) {
      const std::string& name = names[first++];
      if (table.half || table.projection > 0)
        features.push_back({feature + "@" + table.name, table.embedding_dim, name, table.projection,
                            table.half ? table.half->operation : embedding::QrOperation{}});
      else
        features.push_back({name, table.embedding_dim});
    }
  }
  return features;
}

ShardedModel::ShardedModel(const Exec& exec, const comm::Communicator& comm, const Settings& settings,
                           Index dense_features, const embedding::EmbeddingBagCollection& collection,
                           const sharding::ParallelOptions& options,
                           const sharding::EmbeddingBagCollectionSharder& sharder)
    : seed(options.seed),
      node(comm, comm::ranks_per_node(comm)),
      embeddings(exec, collection, comm, options, sharder),
      dense(settings, dense_features, pooled_features(collection.tables())),
      memory(shared(node, dense.parameters() + optim::DenseOptimizer::state_size(sharder.dense, dense.parameters()))),
      parameters(memory ? Vector<float>(memory.data(), dense.parameters())
                        : make_vector<float>(exec, "tesserec::model::parameters", dense.parameters())),
      optimizer(exec, sharder.dense, dense.parameters(), memory ? memory.data() + dense.parameters() : nullptr) {
  dense.share_weights(node);
  dense.initialise(exec, options.seed, parameters);
  exec.fence();
  if (memory) node.ranks().barrier();  // all start values stand
}

void ShardedModel::move_dense(const Exec& exec, const Vector<float>& gradient, double lr, Index step) {
  const Index size = dense.parameters();
  optimizer.step(exec, parameters, gradient, lr, step, memory ? node.share(size) : Range{0, size});
  exec.fence();
  if (memory) node.ranks().barrier();
}

}  // namespace tesserec::model
