// SPDX-License-Identifier: Apache-2.0
// dlrm against one step of the PyTorch DLRM that darchr/DLRM.jl recorded: every intermediate, the loss, every updated
// weight.
#include "dlrm.hpp"
#include "layer_alone.hpp"
#include "loss_alone.hpp"
#include "mlp_alone.hpp"
#include <tesserec/layers.hpp>
#include <tesserec/losses.hpp>

using namespace tesserec;

namespace {

constexpr double learning_rate = 10.0;  // the files do not have it
constexpr double tolerance = 5e-6;

/// Return their names. Start weights count layers; updated weights count layers and activations.
std::string start_name(const std::string& ours) {
  if (ours.rfind("bottom.", 0) == 0) return "bot_l." + ours.substr(7);
  if (ours.rfind("top.", 0) == 0) return "top_l." + ours.substr(4);
  return ours;
}
std::string update_name(const std::string& ours) {
  if (ours.rfind("emb_", 0) == 0) return "update_" + ours;
  const auto first = ours.find('.'), second = ours.find('.', first + 1);
  const int layer = std::stoi(ours.substr(first + 1, second - first - 1));
  return (ours[0] == 'b' ? "update_bot_" : "update_top_") + std::to_string(2 * layer) + ours.substr(second);
}

/// Returns the output widths of the layers bot_l.0, bot_l.1, ... or top_l.*.
std::vector<Index> widths(const store::File& file, const std::string& mlp) {
  std::vector<Index> result;
  for (int l = 0; file.exists(mlp + "." + std::to_string(l) + ".weight"); ++l)
    result.push_back(file.shape(mlp + "." + std::to_string(l) + ".weight").at(0));
  return result;
}

/// Returns the output of one MLP of the model.
std::vector<float> forward(const golden::Dlrm& dlrm, const std::string& mlp, Index rows, const std::vector<float>& x) {
  const auto& layout = dlrm.model.dense.layout();
  std::vector<layers::LinearLayer> layers;
  for (std::size_t i = 0; i + 1 < layout.size(); i += 2)
    if (layout[i].name.rfind(mlp, 0) == 0)
      layers.push_back(
          {layout[i].columns, layout[i].rows, layout[i].offset, layout[i + 1].offset, layers::Activation::relu});
  layers.back().activation = mlp == "bottom" ? layers::Activation::relu : layers::Activation::none;
  test::MlpAlone chain(layers, dlrm.parameters().data());
  std::vector<float> y(rows * chain.mlp.output_width());
  chain.forward(rows, x.data(), y.data());
  return y;
}

/// Returns columns [first, first + count) of a matrix.
std::vector<float> columns(const std::vector<float>& matrix, Index width, Index first, Index count) {
  std::vector<float> result;
  for (auto row = matrix.begin(); row != matrix.end(); row += width)
    result.insert(result.end(), row + first, row + first + count);
  return result;
}

/// Returns the lower triangles with diagonal of [rows, vectors, vectors], by rows.
std::vector<float> lower_triangles(const std::vector<float>& products, Index vectors) {
  std::vector<float> result;
  for (auto row = products.begin(); row != products.end(); row += vectors * vectors)
    for (Index i = 0; i < vectors; ++i) result.insert(result.end(), row + i * vectors, row + i * vectors + i + 1);
  return result;
}

struct Case {
  store::File file;
  std::vector<std::string> keys;
  model::Settings settings;
  std::vector<embedding::EmbeddingBagConfig> tables;
  Index dense_features = 0;
  data::Batch batch{Exec()};

  explicit Case(const std::string& name) : file(golden::open_beside(name)) {
    const auto shape = file.shape("input_bot");
    const Index size = shape.at(0);
    dense_features = shape.at(1);
    settings.bottom = widths(file, "bot_l");
    settings.top = widths(file, "top_l");
    std::vector<std::int64_t> lengths, ids;
    for (int t = 0; file.exists("emb_" + std::to_string(t)); ++t) {
      keys.push_back("emb_" + std::to_string(t));
      const auto table = file.shape(keys.back());
      settings.embedding_dim = table.at(1);
      tables.push_back({keys.back(), table.at(0), table.at(1), {keys.back()}, embedding::PoolingType::sum, false, {}});
      const auto of_table = file.read_all<std::int64_t>("input_" + keys.back());
      REQUIRE(of_table.size() % size == 0);  // bags of one length
      lengths.insert(lengths.end(), size, static_cast<std::int64_t>(of_table.size()) / size);
      ids.insert(ids.end(), of_table.begin(), of_table.end());
    }
    batch = golden::make_batch(keys, size, lengths, ids, {}, file.read_all<float>("input_bot"),
                               file.read_all<float>("labels"));
  }

  golden::Dlrm make(int lanes) const {
    optim::Settings sgd;
    sgd.type = optim::Type::sgd;
    sgd.lr = learning_rate;
    return {settings, dense_features, keys, tables, embedding::ComputeKernel::fused, sgd, lanes};
  }
};

void check_intermediates(const Case& c, golden::Dlrm& dlrm) {
  const auto near = [&](const std::vector<float>& got, const std::string& name) {
    INFO(name);
    CHECK(golden::gap(got, c.file.read_all<float>(name)) <= tolerance);
  };
  const Index rows = c.batch.size, dim = c.settings.embedding_dim;
  const auto vectors = static_cast<Index>(c.tables.size()) + 1;
  const auto bottom = forward(dlrm, "bottom", rows, c.file.read_all<float>("input_bot"));
  const auto pooled = dlrm.lookup(c.batch);
  const auto interact = [&](const layers::LayerSettings& settings) {
    return test::LayerAlone(settings, {{{dim}}, {std::vector<Index>(vectors - 1, dim)}})
        .forward(rows, {bottom, pooled});
  };
  const auto interaction = interact({.type = "dot"}), all = interact({.type = "dot", .itself = true});
  const Index width = std::ssize(interaction) / rows, all_width = std::ssize(all) / rows;
  near(bottom, "mlp_bottom");
  near(interact({.type = "cat"}), "concatenated_result");
  CHECK(golden::gap(pooled, columns(c.file.read_all<float>("concatenated_result"), vectors * dim, dim,
                                    dim * (vectors - 1))) <= tolerance);  // without the larger dense vector
  near(interaction, "output_interaction");
  near(columns(interaction, width, dim, width - dim), "zflat");
  CHECK(golden::gap(columns(all, all_width, dim, all_width - dim),
                    lower_triangles(c.file.read_all<float>("zpre"), vectors)) <= tolerance);
  auto top = forward(dlrm, "top", rows, interaction);
  for (float& logit : top) logit = static_cast<float>(losses::probability({}, logit));
  near(top, "mlp_top");
  near(dlrm.predict(c.batch), "mlp_top");
}

}  // namespace

TEST_CASE("dlrm: golden intermediates and loss and weights of one step of PyTorch's DLRM") {
  for (const char* const name : {"dlrmjl_pytorch_reference_single.hdf5", "dlrmjl_pytorch_reference_multi.hdf5"})
    for (const int lanes : {1, 8}) {
      INFO(name << ", " << lanes << " lanes");
      const Case c(name);
      golden::Dlrm dlrm = c.make(lanes);
      dlrm.set([&](const std::string& tensor) { return c.file.read_all<float>(start_name(tensor)); });
      check_intermediates(c, dlrm);
      const double loss = c.file.read_all<double>("loss").at(0);
      tesserec::train::PipelinedBatch now{c.batch, {}};
      CHECK(std::abs(dlrm.step(now, nullptr, 1) - loss) <= 1e-6 * loss);
      for (const auto& [tensor, values] : dlrm.weights()) {
        INFO(tensor);
        CHECK(golden::gap(values, c.file.read_all<float>(update_name(tensor))) <= tolerance);
      }
    }
}
