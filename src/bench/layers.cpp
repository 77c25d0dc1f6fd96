// SPDX-License-Identifier: Apache-2.0
#include "parts.hpp"
#include <tesserec/dense.hpp>

namespace tesserec::bench {
namespace {

Vector<float> numbers(const Context& context, Index n) {
  const Vector<float> made = make_vector<float>(context.exec, "tesserec::bench::numbers", n);
  for (Index i = 0; i < n; ++i) made.data()[i] = 1e-3f * static_cast<float>(i % 1000 - 500);
  return made;
}

class Layers {
 public:
  Layers(const Context& context, const Limits& limits, std::vector<Figure>& figures)
      : context_(context), limits_(limits), figures_(figures) {}

  void mlp(const std::string& name, const std::vector<Index>& widths, bool relu_at_end, bool first_input_gradient) {
    std::vector<dense::LinearLayer> layers;
    Index size = 0;
    for (std::size_t l = 0; l + 1 < widths.size(); ++l) {
      const Index weight = size, bias = weight + widths[l] * widths[l + 1];
      layers.push_back({widths[l], widths[l + 1], weight, bias, relu_at_end || l + 2 < widths.size()});
      size = bias + widths[l + 1];
    }
    const dense::Mlp made(layers);
    const Vector<float> parameters = numbers(context_, size), gradient = numbers(context_, size);
    dense::PackedWeights weights;
    dense::MlpWorkspace workspace = made.make_workspace(context_.exec, chunk_samples);
    made.pack(context_.exec, parameters.data(), true, weights);
    for (std::size_t l = 0; l < layers.size(); ++l) {
      const std::string layer =
          name + "." + std::to_string(l) + " " + std::to_string(layers[l].in) + "x" + std::to_string(layers[l].out);
      const double flops = 2.0 * static_cast<double>(chunk_samples * layers[l].in * layers[l].out);
      add(layer + " forward", flops, [&] { made.forward(l, chunk_samples, weights, workspace); });
      if (l > 0 || first_input_gradient)
        add(layer + " input gradient", flops, [&] { made.input_gradient(l, chunk_samples, weights, workspace); });
      add(layer + " weight gradient", flops,
          [&] { made.weight_gradient(l, chunk_samples, true, gradient.data(), workspace); });
    }
    packing_seconds_ += context_.seconds([&] { made.pack(context_.exec, parameters.data(), true, weights); });
  }

  void interaction(const dense::FeatureInteraction& made, Index bottom_width) {
    const Vector<float> bottom = numbers(context_, chunk_samples * bottom_width),
                        pooled = numbers(context_, chunk_samples * made.pooled_width()),
                        crossed = numbers(context_, chunk_samples * made.width()),
                        scratch = numbers(context_, made.scratch()), bottom_gradient = numbers(context_, bottom.size()),
                        pooled_gradient = numbers(context_, pooled.size());
    const double flops = chunk_samples * made.flops();
    add("interaction forward", flops,
        [&] { made.forward(chunk_samples, bottom.data(), pooled.data(), crossed.data(), scratch.data()); });
    add("interaction backward", 2 * flops, [&] {
      made.backward(chunk_samples, bottom.data(), pooled.data(), crossed.data(), bottom_gradient.data(),
                    pooled_gradient.data(), scratch.data());
    });
  }

  /// Of both MLPs, once a step.
  double packing_seconds() const { return packing_seconds_; }

 private:
  template <class Body>
  void add(const std::string& name, double flops, const Body& body) {
    const double seconds = context_.seconds(body);
    figures_.push_back(
        {"layers", name, flops > 0 ? flops / seconds : 0, "FLOP/s", limits_.flops, "multiply-add", seconds});
  }

  const Context& context_;
  const Limits& limits_;
  std::vector<Figure>& figures_;
  double packing_seconds_ = 0;
};

}  // namespace

void measure_layers(const Context& context, const train::Session& session, const Limits& limits,
                    std::vector<Figure>& figures) {
  const model::Dlrm& model = session.model.dense;
  std::vector<Index> dims;
  for (const embedding::EmbeddingBagConfig& table : session.model.tables.tables())
    dims.insert(dims.end(), table.feature_names.size(), table.embedding_dim);
  const dense::FeatureInteraction interaction(model.settings().interaction, model.settings().itself,
                                              model.settings().embedding_dim, dims);
  const std::size_t first = figures.size();
  Layers layers(context, limits, figures);
  layers.mlp("bottom", model.bottom_widths(), true, false);
  layers.interaction(interaction, model.settings().embedding_dim);
  layers.mlp("top", model.top_widths(), false, true);
  // From a chunk to the rank's samples of a step.
  const auto samples = static_cast<double>(
      session.lanes.samples_of_rank(session.comm.rank(), session.comm.size(), session.job.train.batch_size).size());
  for (std::size_t i = first; i < figures.size(); ++i) figures[i].step_seconds *= samples / chunk_samples;
  const double moved = 4.0 * sizeof(float) * static_cast<double>(model.parameters());  // read twice, written twice
  figures.push_back({"layers", "weights packed, once a step", moved / layers.packing_seconds(), "B/s", limits.triad,
                     "triad", layers.packing_seconds()});
}

}  // namespace tesserec::bench
