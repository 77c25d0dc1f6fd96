// SPDX-License-Identifier: Apache-2.0
// Smaller tables against the reference DLRM's: quotient and remainder, mixed dimensions.
#include "batch.hpp"
#include "catch.hpp"
#include "golden.hpp"
#include "layer_alone.hpp"
#include "plan.hpp"
#include <tesserec/model.hpp>
#include <tesserec/network.hpp>

using namespace tesserec;
using embedding::QrOperation;

namespace {

/// A feature of the file's ids with its tables, and the layer that makes its vector, if there is one.
class Feature {
 public:
  /// `weights`: the file's name of each table's rows.
  Feature(const store::File& file, std::string group, std::vector<embedding::EmbeddingBagConfig> tables,
          std::vector<std::string> weights)
      : file_(file),
        group_(std::move(group)),
        names_(std::move(weights)),
        batch_(file.attribute<std::int64_t>("/", "batch")),
        collection_({}, comm_, tables, golden::whole_tables(tables, embedding::ComputeKernel::fused), {"f"}, Lanes(4),
                    {{}, {}, Kernels::simd}) {
    for (std::size_t t = 0; t < names_.size(); ++t) {
      const auto start = file.read_all<float>(group_ + "/weights/" + names_[t]);
      REQUIRE(start.size() == table(t).weights().size());
      std::copy(start.begin(), start.end(), table(t).weights().data());
    }
    network::Settings network;
    network.type = "network";
    network.layers = {{.name = "logit", .type = "mlp", .inputs = {"pooled.f"}, .widths = {1}}};
    const auto layers = network::Network(network, 0, network::embedded_features(tables)).layers();
    REQUIRE(layers.size() <= 2);
    if (layers.size() == 1) return;
    std::vector<float> parameters;
    if (layers[0].parameters > 0) parameters = file.read_all<float>(group_ + "/weights/proj.weight");
    layer_.emplace(layers[0].settings, separate(layers[0].inputs), parameters);
  }

  void check() {
    const auto weights =
        table(0).config().weighted ? file_.read_all<float>(group_ + "/sample_weights") : std::vector<float>();
    const auto batch = golden::make_batch({"f"}, batch_, file_.read_all<std::int64_t>("input/lengths"),
                                          file_.read_all<std::int64_t>("input/ids"), weights);
    auto in_flight = collection_.start({}, batch.sparse, batch_);
    const float* const pooled = collection_.forward({}, in_flight).pooled.data();
    std::vector<std::vector<float>> vectors(names_.size());
    for_each([&](std::size_t t, Index at) { vectors[t].push_back(pooled[at]); });
    const auto out = layer_ ? layer_->forward(batch_, vectors) : vectors[0];
    CHECK(golden::gap(out, file_.read_all<float>(group_ + "/output")) <= 2e-6);

    const auto upstream = file_.read_all<float>(group_ + "/upstream");
    test::LayerAlone::Gradients gradients{{upstream}, {}};
    if (layer_) gradients = layer_->backward(upstream);
    float* const gradient = collection_.gradient({}, in_flight).pooled.data();
    std::vector<std::size_t> next(names_.size());
    for_each([&](std::size_t t, Index at) { gradient[at] = gradients.inputs[t][next[t]++]; });
    sharding::GradientSums all;
    collection_.backward({}, std::move(in_flight), all);
    for (std::size_t t = 0; t < names_.size(); ++t) {
      INFO(names_[t]);
      std::vector<float> whole(table(t).weights().size());
      const embedding::RowSums& sums = all.of(t);
      const Index dim = table(t).dim();
      for (std::size_t i = 0; i < sums.rows.size(); ++i)
        for (Index c = 0; c < dim; ++c) whole[sums.rows[i] * dim + c] += sums.sums[i * dim + c];
      CHECK(golden::gap(whole, file_.read_all<float>(group_ + "/grad/" + names_[t])) <= 2e-6);
    }
    if (!layer_ || layer_->layer().parameters().empty()) return;
    const auto want = file_.read_all<float>(group_ + "/grad/proj.weight");
    gradients.parameters.resize(want.size());  // without the padding at the end
    CHECK(golden::gap(gradients.parameters, want) <= 2e-6);
  }

 private:
  const embedding::EmbeddingTable& table(std::size_t t) const { return *collection_.shards()[t].rows; }
  /// Returns one input for each vector.
  static std::vector<layers::InputShape> separate(const std::vector<layers::InputShape>& inputs) {
    std::vector<layers::InputShape> shapes;
    for (const layers::InputShape& input : inputs)
      for (const Index dim : input.vectors) shapes.push_back({{dim}});
    return shapes;
  }
  /// Calls body(table, place in the pooled vectors) sample by sample.
  template <class Body>
  void for_each(const Body& body) const {
    Index at = 0;
    for (Index b = 0; b < batch_; ++b)
      for (std::size_t t = 0; t < names_.size(); ++t)
        for (Index c = 0; c < table(t).dim(); ++c) body(t, at++);
  }

  const store::File& file_;
  std::string group_;
  std::vector<std::string> names_;
  Index batch_;
  comm::Communicator comm_{MPI_COMM_SELF};
  sharding::ShardedEmbeddingBagCollection collection_;
  std::optional<test::LayerAlone> layer_;
};

embedding::EmbeddingBagConfig whole_table(const store::File& file, const std::string& group) {
  embedding::EmbeddingBagConfig table;
  table.name = "t";
  table.num_embeddings = file.attribute<std::int64_t>("/", "rows");
  table.embedding_dim = file.attribute<std::int64_t>("/", "dim");
  table.feature_names = {"f"};
  table.pooling = group.find("mean") != std::string::npos ? embedding::PoolingType::mean : embedding::PoolingType::sum;
  table.weighted = file.exists(group + "/sample_weights");
  return table;
}

}  // namespace

TEST_CASE("smaller_tables: golden quotient and remainder tables") {
  const store::File file = golden::open("tricks.h5");
  const std::pair<std::string, QrOperation> operations[] = {
      {"add", QrOperation::add}, {"mult", QrOperation::mult}, {"concat", QrOperation::concat}};
  for (const auto& [name, operation] : operations)
    for (const std::string pooling : {"_sum", "_mean", "_sum_weighted"}) {
      const std::string group = "qr/" + name + pooling;
      INFO(group);
      if (pooling == "_sum_weighted" && name != "mult") continue;
      network::Settings settings;
      settings.smaller.qr_operation = operation;
      settings.smaller.qr_threshold = 36;
      settings.smaller.qr_collisions = file.attribute<std::int64_t>("/", "collisions");
      auto tables = network::smaller_tables({whole_table(file, group)}, settings);
      REQUIRE(tables.size() == 2);
      CHECK(tables[0].num_embeddings == file.attribute<std::int64_t>("qr/" + name + "_sum", "quotient_rows"));
      CHECK(tables[1].num_embeddings == file.attribute<std::int64_t>("qr/" + name + "_sum", "remainder_rows"));
      const std::vector<std::string> names = {"weight_q", "weight_r"};
      for (std::size_t half = 0; half < 2; ++half)  // the file's joined halves have columns of their own
        tables[half].embedding_dim =
            std::ssize(file.read_all<float>(group + "/weights/" + names[half])) / tables[half].num_embeddings;
      Feature(file, group, tables, names).check();
    }
}

TEST_CASE("QrHalf: golden quotients and remainders of large ids") {
  const store::File file = golden::open("tricks.h5");
  const auto ids = file.read_all<std::int64_t>("qr/large_ids/ids");
  const auto quotients = file.read_all<std::int64_t>("qr/large_ids/exact_quotient");
  const Index collisions = file.attribute<std::int64_t>("qr/large_ids", "collisions");
  const Index rows = *std::max_element(ids.begin(), ids.end()) + 1;
  const embedding::QrHalf quotient{"t", rows, collisions}, remainder{"t", rows, collisions, QrOperation::mult, true};
  REQUIRE(rows > Index{1} << 24);  // beyond the integers of a float
  for (std::size_t i = 0; i < ids.size(); ++i) {
    CHECK(quotient.row(ids[i]) == quotients[i]);
    CHECK(remainder.row(ids[i]) == ids[i] - collisions * quotients[i]);
  }
  CHECK(quotient.rows() > quotient.row(rows - 1));
}

TEST_CASE("embedded_features: golden mixed dimensions forward and backward") {
  const store::File file = golden::open("tricks.h5");
  for (const Index dim : {2, 4, 6})
    for (const std::string weighted : {"", "_weighted"}) {
      const std::string group = "mixed_dimension/dim_" + std::to_string(dim) + weighted;
      INFO(group);
      embedding::EmbeddingBagConfig table = whole_table(file, group);
      const auto base = file.attribute<std::int64_t>("mixed_dimension/dim_" + std::to_string(dim), "base_dim");
      table.embedding_dim = dim;
      if (dim != base) table.projection = base;
      Feature(file, group, {table}, {"embs.weight"}).check();
    }
}

TEST_CASE("mixed_dimensions: golden dimensions of the power law") {
  const store::File file = golden::open("tricks.h5");
  for (const std::string tables : {"kaggle", "powers", "seed", "ties"})
    for (const std::string alpha : {"0.0", "0.3", "0.6"})
      for (const Index dim : {16, 48, 64})
        for (const bool round : {false, true}) {
          const std::string folder = "md_solver/" + tables + "/";
          const std::string name =
              folder + "alpha_" + alpha + "_d0_" + std::to_string(dim) + (round ? "_rounded" : "_plain");
          INFO(name);
          CHECK(network::mixed_dimensions(file.read_all<std::int64_t>(folder + "rows"), std::stod(alpha), dim, round) ==
                file.read_all<std::int64_t>(name));
        }
}
