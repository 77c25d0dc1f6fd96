// SPDX-License-Identifier: Apache-2.0
// weighted_sum against the reference DLRM's weighted pooling, whose weight for each row is learned or fixed at 1. An
// un-pooled table of one column has the weights.
#include "batch.hpp"
#include "catch.hpp"
#include "golden.hpp"
#include "plan.hpp"
#include <tesserec/layers/layer_types.hpp>
#include <tesserec/sharding/sharded_embedding_bag_collection.hpp>

using namespace tesserec;

TEST_CASE("weighted_sum: golden weighted pooling with learned and fixed weights") {
  const store::File file = golden::open("tricks.h5");
  const Exec exec;
  const comm::Communicator comm(MPI_COMM_SELF);
  const auto shape = file.shape("weighted_pooling/table");
  const Index rows = shape[0], dim = shape[1];
  for (const std::string kind : {"learned", "fixed"}) {
    const std::string group = "weighted_pooling/" + kind;
    optim::Settings moves, stays;
    moves.lr = file.attribute<double>(group, "lr"), stays.lr = 0;
    std::vector<embedding::EmbeddingBagConfig> tables(2);
    tables[0].name = "table", tables[1].name = "weights";
    tables[0].embedding_dim = dim, tables[1].embedding_dim = 1;
    for (auto& table : tables) table.num_embeddings = rows, table.feature_names = table.unpooled = {"f"};
    tables[1].start = embedding::RowStart::one;
    tables[1].optimizer = kind == "fixed" ? stays : moves;
    sharding::ShardedEmbeddingBagCollection collection(exec, comm, tables,
                                                       golden::whole_tables(tables, embedding::ComputeKernel::fused),
                                                       {"f"}, Lanes(1), {moves, {}, Kernels::simd});
    collection.initialize(exec, 1);
    const auto weights = [&](std::size_t t) {
      const MatrixView<float> all = collection.shards()[t].rows->weights().host();
      return std::vector<float>(all.data(), all.data() + all.size());
    };
    CHECK(weights(1) == std::vector<float>(rows, 1.0f));
    for (std::size_t t = 0; t < 2; ++t) {
      const auto start = file.read_all<float>(t == 0 ? "weighted_pooling/table" : group + "/v_start");
      std::copy(start.begin(), start.end(), collection.shards()[t].rows->weights().data());
    }

    const auto ids = file.read_all<std::int64_t>("input/ids");
    const auto upstream = file.read_all<float>(group + "/upstream");
    const Index samples = file.shape("input/lengths")[0];
    const auto batch = golden::make_batch({"f"}, samples, file.read_all<std::int64_t>("input/lengths"), ids, {});
    const auto layer = layers::make_layer({.type = "weighted_sum", .inputs = {"", ""}},
                                          {{{1}, {"f@weights"}, true}, {{dim}, {"f@table"}, true}});
    for (int step = 1; step <= 2; ++step) {
      const std::string at = group + "/step_" + std::to_string(step);
      auto in_flight = collection.start(exec, batch.sparse, samples);
      const auto vectors = collection.forward(exec, in_flight).unpooled;
      const auto slopes = collection.gradient(exec, in_flight).unpooled;
      const auto rows_of = [](const jagged::JaggedVectors& v) {
        const auto width = Index(v.values.extent(1));
        return Rows<float>{v.values.data(), width, width};
      };
      const auto all = [&](const jagged::JaggedVectors& v) {
        const Index* const offsets = v.offsets.data();
        return layers::LayerInput{rows_of(v), {offsets, offsets, offsets[0], Index(v.values.extent(0))}};
      };
      const std::vector<layers::LayerInput> inputs{all(vectors[1]), all(vectors[0])};
      const std::vector<Rows<float>> input_gradients{rows_of(slopes[1]), rows_of(slopes[0])};
      std::vector<float> out(samples * dim);
      const OnePiece piece(samples);
      const auto workspace = layer->make_workspace();
      const layers::Layer::Batch batch_of_layer{samples, piece.pieces(), inputs,          nullptr,
                                                nullptr, nullptr,        workspace.get(), {}};
      layer->forward({}, batch_of_layer, {out.data(), dim, dim});
      CHECK(golden::gap(out, file.read_all<float>(at + "/output")) <= 2e-6);
      layer->backward({}, batch_of_layer, {}, {upstream.data() + (step - 1) * samples * dim, dim, dim}, input_gradients,
                      {});
      for (std::size_t t = 0; t < 2; ++t) {
        std::vector<float> sum(rows * tables[t].embedding_dim);
        for (std::size_t i = 0; i < ids.size(); ++i)
          for (Index c = 0; c < tables[t].embedding_dim; ++c)
            sum[ids[i] * tables[t].embedding_dim + c] += slopes[t].values(i, c);
        if (const std::string name = at + (t == 0 ? "/grad_table" : "/grad_v"); file.exists(name))
          CHECK(golden::gap(sum, file.read_all<float>(name)) <= 2e-6);
      }
      collection.backward(exec, std::move(in_flight), {}, step);
      CHECK(golden::gap(weights(0), file.read_all<float>(at + "/table_after")) <= 2e-6);
      CHECK(golden::gap(weights(1), file.read_all<float>(at + "/v_after")) <= 2e-6);
    }
  }
}
