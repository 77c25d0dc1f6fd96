// SPDX-License-Identifier: Apache-2.0
/// The tables of pooling.h5 and optimizers_embedding*.h5, all on one rank. The files order pooled columns by feature,
/// the program by table.
#pragma once

#include "batch.hpp"
#include "catch.hpp"
#include "golden.hpp"
#include "plan.hpp"
#include <tesserec/sharding/sharded_embedding_bag_collection.hpp>

namespace golden {

class Tables {
 public:
  /// Start weights are the file's input/table_T.
  Tables(const tesserec::store::File& file, tesserec::embedding::PoolingType pooling, bool weighted,
         const tesserec::optim::Settings& optimizer, int lanes)
      : file_(file),
        weighted_(weighted),
        batch_(file.attribute<std::int64_t>("/", "batch")),
        keys_(numbered("f", file.attribute<std::int64_t>("/", "features"))),
        lanes_(lanes),
        collection_(tesserec::Exec(), comm_, configs(pooling),
                    whole_tables(configs(pooling), tesserec::embedding::ComputeKernel::fused), keys_, lanes_,
                    {optimizer, optimizer, tesserec::Kernels::simd}) {
    for (std::size_t t = 0; t < collection_.tables().size(); ++t) {
      const auto start = file.read_all<float>("input/table_" + std::to_string(t));
      const auto& weights = table(t).weights();
      REQUIRE(start.size() == weights.size());
      std::copy(start.begin(), start.end(), weights.data());
    }
  }

  std::size_t count() const { return collection_.tables().size(); }
  const tesserec::embedding::EmbeddingTable& table(std::size_t t) const { return *collection_.shards()[t].rows; }

  /// Returns the pooled vectors of the bags in `group`, [batch, width] in the file's order. The bags stay in flight.
  std::vector<float> lookup(const std::string& group) {
    const auto batch = make_batch(keys_, batch_, file_.read_all<std::int64_t>(group + "/lengths"),
                                  file_.read_all<std::int64_t>(group + "/ids"),
                                  weighted_ ? file_.read_all<float>(group + "/sample_weights") : std::vector<float>());
    std::vector<float> pooled(batch_ * columns_.size()), result(pooled.size());
    in_flight_ = collection_.start({}, batch.sparse, batch_);
    std::copy_n(collection_.forward({}, in_flight_).pooled.data(), pooled.size(), pooled.data());
    for_each_column([&](std::size_t ours, std::size_t theirs) { result[theirs] = pooled[ours]; });
    return result;
  }

  /// Sends the gradients of the bags in flight to their tables.
  void send(const std::vector<float>& upstream) {
    REQUIRE(upstream.size() == static_cast<std::size_t>(batch_) * columns_.size());
    float* gradient = collection_.gradient({}, in_flight_).pooled.data();
    for_each_column([&](std::size_t ours, std::size_t theirs) { gradient[ours] = upstream[theirs]; });
    collection_.backward({}, std::move(in_flight_), sums_);
  }

  /// Returns the whole table's gradient, [rows, dim].
  std::vector<float> gradient(std::size_t t) {
    std::vector<float> result(table(t).weights().size());
    const auto& sums = sums_.of(t);
    for (std::size_t i = 0; i < sums.sums.size(); ++i)
      result[sums.rows[i / table(t).dim()] * table(t).dim() + i % table(t).dim()] += sums.sums[i];
    return result;
  }

  void update(tesserec::Index step) { collection_.move({}, sums_, {}, step); }

 private:
  std::vector<tesserec::embedding::EmbeddingBagConfig> configs(tesserec::embedding::PoolingType pooling) {
    const auto rows = file_.attribute<std::vector<std::int64_t>>("/", "rows");
    const auto dims = file_.attribute<std::vector<std::int64_t>>("/", "dims");
    const auto table_of = file_.attribute<std::vector<std::int64_t>>("/", "table_of_feature");
    columns_.clear();
    std::vector<tesserec::embedding::EmbeddingBagConfig> configs;
    for (std::size_t t = 0; t < rows.size(); ++t) {
      configs.push_back({"table_" + std::to_string(t), rows[t], dims[t], {}, pooling, weighted_, {}});
      tesserec::Index column = 0;
      for (std::size_t f = 0; f < table_of.size(); column += dims[table_of[f++]])
        if (table_of[f] == static_cast<std::int64_t>(t)) {
          configs.back().feature_names.push_back(keys_[f]);
          for (tesserec::Index d = 0; d < dims[t]; ++d) columns_.push_back(column + d);
        }
    }
    return configs;
  }

  template <class Body>
  void for_each_column(const Body& body) const {
    for (tesserec::Index b = 0; b < batch_; ++b)
      for (std::size_t c = 0; c < columns_.size(); ++c)
        body(b * columns_.size() + c, b * columns_.size() + columns_[c]);
  }

  const tesserec::store::File& file_;
  bool weighted_;
  tesserec::Index batch_;
  std::vector<std::string> keys_;
  std::vector<tesserec::Index> columns_;  // the file's column of each of our columns
  tesserec::comm::Communicator comm_{MPI_COMM_SELF};
  tesserec::Lanes lanes_;
  tesserec::sharding::ShardedEmbeddingBagCollection collection_;
  tesserec::sharding::InFlight in_flight_;
  tesserec::sharding::GradientSums sums_;
};

}  // namespace golden
