// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "same_settings.hpp"
#include <tesserec/core/memory.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/model/sharded_model.hpp>

namespace tesserec::model {
namespace {

/// Where there is somebody to share with, and the host computes.
comm::NodeMemory shared(const comm::Node& node, Index size, Place place) {
  return node.ranks().size() > 1 && place == Place::host ? comm::NodeMemory(node.ranks(), size) : comm::NodeMemory();
}

/// Returns uninitialized memory, of `memory` where that is shared. The error where memory is missing names the largest
/// parameter.
PlacedVector<float> parameter_memory(const Exec& exec, const Network& dense, const comm::NodeMemory& memory,
                                     Place place) {
  if (memory) return Vector<float>(memory.data(), dense.parameters());
  const auto what = [&] {
    const auto size = [](const Parameter& p) { return p.rows * p.columns; };
    const std::vector<Parameter>& all = dense.layout();
    const auto largest = std::max_element(all.begin(), all.end(),
                                          [&](const Parameter& a, const Parameter& b) { return size(a) < size(b); });
    return concat("the layers' parameters, of which ", largest->name, " has ", largest->rows, " x ", largest->columns);
  };
  return with_memory(what, double(dense.parameters()) * sizeof(float), [&] {
    return PlacedVector<float>(exec, place, "tesserec::model::parameters", dense.parameters());
  });
}

const comm::Communicator& with_same_settings(const comm::Communicator& comm, const Settings& settings,
                                             Index dense_features) {
  require_same_settings(comm, settings, dense_features);
  return comm;
}

std::vector<Range> tensors(const Network& dense) {
  std::vector<Range> all;
  for (const Parameter& p : dense.layout()) all.push_back({p.offset, p.offset + p.rows * p.columns});
  return all;
}

}  // namespace

EmbeddedFeatures embedded_features(const std::vector<embedding::EmbeddingBagConfig>& tables) {
  std::vector<embedding::EmbeddingBagConfig> whole;  // as before any was cut
  for (const embedding::EmbeddingBagConfig& table : tables)
    if (!table.half || !table.half->remainder) {
      whole.push_back(table);
      whole.back().name = table.whole();
    }
  EmbeddedFeatures features;
  for (const bool pooled : {true, false}) {
    std::vector<EmbeddedFeature>& own = pooled ? features.pooled : features.unpooled;
    const std::vector<std::string> names = embedding::embedding_names(whole, pooled);
    std::size_t first = 0;  // feature of the whole table
    for (const embedding::EmbeddingBagConfig& table : tables) {
      if (pooled && table.half && table.half->remainder) first -= table.feature_names.size();
      for (std::size_t f = 0; f < table.feature_names.size(); ++f) {
        if (table.pools(f) != pooled) continue;
        EmbeddedFeature& feature = own.emplace_back();
        feature.name = names[first++];
        feature.dim = table.embedding_dim;
        if (!table.ids_per_bag.empty()) feature.ids = table.ids_per_bag[f];
        if (!table.half && table.projection == 0) continue;
        feature.makes = std::exchange(feature.name, table.feature_names[f] + "@" + table.name);
        feature.projection = table.projection;
        if (table.half) feature.operation = table.half->operation;
      }
    }
  }
  return features;
}

ShardedModel::ShardedModel(const Exec& exec, const comm::Communicator& comm, const Settings& settings,
                           Index dense_features, const embedding::EmbeddingBagCollection& collection,
                           const sharding::ParallelOptions& options,
                           const sharding::EmbeddingBagCollectionSharder& sharder)
    : seed(options.seed),
      node(with_same_settings(comm, settings, dense_features), comm::ranks_per_node(comm)),
      embeddings(exec, collection, comm, options, sharder),
      dense(settings, dense_features, embedded_features(collection.tables())),
      memory(shared(node, dense.parameters() + optim::DenseOptimizer::state_size(sharder.dense, dense.parameters()),
                    place_of(settings.kernels))),
      parameters(parameter_memory(exec, dense, memory, place_of(settings.kernels))),
      optimizer(exec, sharder.dense, dense.parameters(), memory ? memory.data() + dense.parameters() : nullptr,
                tensors(dense), parameters.place()) {
  dense.share_weights(node);
  dense.initialise(exec, options.seed, parameters);
  exec.fence();
  if (memory) node.ranks().barrier();  // all start values stand
}

void ShardedModel::move_dense(const Exec& exec, const PlacedVector<float>& gradient, double lr, Index step,
                              float scale) {
  const Index size = dense.parameters();
  optimizer.step(exec, parameters, gradient, lr, step, memory ? node.share(size) : Range{0, size}, scale);
  exec.fence();
  if (memory) node.ranks().barrier();
  embeddings.resume(step);
}

}  // namespace tesserec::model
