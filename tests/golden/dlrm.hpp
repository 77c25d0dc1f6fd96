// SPDX-License-Identifier: Apache-2.0
/// A model on one rank whose weights are read from a file and compared with a file's.
#pragma once

#include <functional>
#include <map>

#include "batch.hpp"
#include "catch.hpp"
#include "golden.hpp"
#include "plan.hpp"
#include <tesserec/train/step.hpp>

namespace golden {

/// Tensors by our names, "bottom.0.weight" and so on, and tables by their names.
using Tensors = std::map<std::string, std::vector<float>>;

/// A model with all tables on this rank and one kernel. Sparse and dense optimizer are the same.
class Dlrm {
 public:
  Dlrm(const tesserec::model::Settings& settings, tesserec::Index dense_features,
       const std::vector<std::string>& features, const std::vector<tesserec::embedding::EmbeddingBagConfig>& tables,
       tesserec::embedding::ComputeKernel kernel, const tesserec::optim::Settings& optimizer, int lanes)
      : lanes_(lanes),
        model(tesserec::Exec(), comm_, settings, dense_features, tesserec::embedding::EmbeddingBagCollection(tables),
              options(features, whole_tables(tables, kernel), lanes), sharder(optimizer)),
        step(tesserec::Exec(), model) {}

  /// Sets all weights; `start` returns the numbers of a tensor.
  void set(const std::function<std::vector<float>(const std::string&)>& start) {
    std::vector<float> flat(model.parameters.size());  // gaps are zero
    for_each(flat, [&](const std::string& name, float* data, std::size_t size) {
      const auto values = start(name);
      INFO(name);
      REQUIRE(values.size() == size);
      std::copy(values.begin(), values.end(), data);
    });
    model.parameters.from_host(tesserec::Exec(), flat);
  }

  Tensors weights() {
    Tensors result;
    std::vector<float> flat = parameters();
    for_each(flat, [&](const std::string& name, const float* data, std::size_t size) {
      result[name].assign(data, data + size);
    });
    return result;
  }

  /// Returns the parameters of the dense half, flat.
  std::vector<float> parameters() const { return model.parameters.to_host(tesserec::Exec()); }

  /// Returns the gradients of one batch by the classes that TrainStep uses.
  Tensors gradients(const tesserec::data::Batch& batch) {
    using namespace tesserec;
    const Exec exec;
    auto ids = model.tables().start(exec, batch.sparse, batch.size);
    const auto vectors = model.tables().forward(exec, ids);
    comm::TreeReduce reduce(exec, comm_, lanes_, model.dense.parameters());
    tesserec::network::DenseInput input{
        lanes_, lanes_.of_rank(0, 1), batch.size, batch.dense.data(), vectors.pooled.data(), batch.labels.data()};
    input.unpooled = vectors.unpooled;
    const auto slopes = model.tables().gradient(exec, ids);
    model.dense
        .forward_backward(exec, model.parameters, input, slopes.pooled.data(), reduce.lane_sums(), slopes.unpooled)
        .get();
    const Vector<float> total = reduce().host();
    sharding::GradientSums all;
    model.tables().backward(exec, std::move(ids), all);

    Tensors result;
    for (const network::Parameter& p : model.dense.layout())
      result[p.name].assign(total.data() + p.offset, total.data() + p.offset + p.rows * p.columns);
    for (std::size_t i = 0; i < model.tables().shards().size(); ++i) {
      const auto& shard = model.tables().shards()[i];
      auto& table = result[shard.rows->config().name];
      table.resize(shard.rows->weights().size());
      const Index dim = shard.rows->dim();
      const embedding::RowSums& sums = all.of(i);
      for (std::size_t k = 0; k < sums.sums.size(); ++k) table[sums.rows[k / dim] * dim + k % dim] += sums.sums[k];
    }
    return result;
  }

  /// Returns the pooled vectors of a batch, [size, pooled width].
  std::vector<float> lookup(const tesserec::data::Batch& batch) {
    auto ids = model.tables().start({}, batch.sparse, batch.size);
    const auto pooled = model.tables().forward({}, ids).pooled;
    return {pooled.data(), pooled.data() + pooled.size()};
  }

  std::vector<float> predict(const tesserec::data::Batch& batch) {
    std::vector<float> probabilities(batch.size);
    step.predict(batch, probabilities.data());
    return probabilities;
  }

 private:
  static tesserec::sharding::ParallelOptions options(const std::vector<std::string>& features,
                                                     const tesserec::planning::ShardingPlan& plan, int lanes) {
    tesserec::sharding::ParallelOptions options;
    options.features = features;
    options.plan = plan;
    options.lanes = lanes;
    return options;
  }
  static tesserec::sharding::EmbeddingBagCollectionSharder sharder(const tesserec::optim::Settings& both) {
    tesserec::sharding::EmbeddingBagCollectionSharder sharder;
    sharder.fused = sharder.dense = both;
    sharder.kernels = tesserec::Kernels::simd;  // their rows are read here
    return sharder;
  }

  /// Calls body(name, data, size) for each tensor: those of the dense half in `flat`, those of tables in their
  /// shards.
  template <class Body>
  void for_each(std::vector<float>& flat, const Body& body) {
    for (const tesserec::network::Parameter& p : model.dense.layout())
      body(p.name, flat.data() + p.offset, static_cast<std::size_t>(p.rows * p.columns));
    for (const auto& shard : model.tables().shards())
      body(shard.rows->config().name, shard.rows->weights().data(), shard.rows->weights().size());
  }

  tesserec::comm::Communicator comm_{MPI_COMM_SELF};
  tesserec::Lanes lanes_;

 public:
  tesserec::model::ShardedModel model;
  tesserec::train::TrainStep step;
};

}  // namespace golden
