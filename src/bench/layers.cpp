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

  void mlp(const std::string& name, const std::vector<Index>& widths, bool relu_at_end,
           bool first_input_gradient) {
    for (std::size_t l = 0; l + 1 < widths.size(); ++l)
      layer(name + "." + std::to_string(l) + " " + std::to_string(widths[l]) + "x" +
                std::to_string(widths[l + 1]),
            {chunk_samples, widths[l], widths[l + 1]}, relu_at_end || l + 2 < widths.size(),
            l > 0 || first_input_gradient);
  }

  void interaction(const dense::FeatureInteraction& made, Index bottom_width) {
    const Vector<float> bottom = numbers(context_, chunk_samples * bottom_width),
                        pooled = numbers(context_, chunk_samples * made.pooled_width()),
                        crossed = numbers(context_, chunk_samples * made.width()),
                        scratch = numbers(context_, made.scratch()),
                        bottom_gradient = numbers(context_, bottom.size()),
                        pooled_gradient = numbers(context_, pooled.size());
    const double flops = chunk_samples * made.flops();
    add("interaction forward", flops,
        [&] { made.forward(chunk_samples, bottom.data(), pooled.data(), crossed.data(), scratch.data()); });
    add("interaction backward", 2 * flops, [&] {
      made.backward(chunk_samples, bottom.data(), pooled.data(), crossed.data(), bottom_gradient.data(),
                    pooled_gradient.data(), scratch.data());
    });
  }

 private:
  void layer(const std::string& name, const dense::LayerShape& shape, bool relu, bool input_gradient) {
    const Vector<float> x = numbers(context_, shape.rows * shape.in),
                        y = numbers(context_, shape.rows * shape.out),
                        w = numbers(context_, shape.in * shape.out), bias = numbers(context_, shape.out),
                        dx = numbers(context_, shape.rows * shape.in),
                        dy = numbers(context_, shape.rows * shape.out),
                        dw = numbers(context_, shape.in * shape.out), sums = numbers(context_, shape.out),
                        scratch = numbers(context_, dense::weight_gradient_scratch(shape));
    const double flops = 2.0 * static_cast<double>(shape.rows * shape.in * shape.out);
    add(name + " forward", flops,
        [&] { products_.forward(shape, relu, x.data(), w.data(), bias.data(), y.data()); });
    if (input_gradient)
      add(name + " input gradient", flops,
          [&] { products_.input_gradient(shape, dy.data(), w.data(), dx.data()); });
    add(name + " weight gradient", flops, [&] {
      dense::relu_backward(shape.rows, shape.out, relu, y.data(), dy.data(), sums.data());
      dense::weight_gradient(shape, false, dy.data(), x.data(), dw.data(), scratch.data());
    });
  }

  template <class Body>
  void add(const std::string& name, double flops, const Body& body) {
    const double seconds = context_.seconds(body);
    figures_.push_back(
        {"layers", name, flops > 0 ? flops / seconds : 0, "FLOP/s", limits_.flops, "multiply-add", seconds});
  }

  const Context& context_;
  const Limits& limits_;
  std::vector<Figure>& figures_;
  dense::MatrixProducts products_;
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
      session.lanes.samples_of_rank(session.comm.rank(), session.comm.size(), session.job.train.batch_size)
          .size());
  for (std::size_t i = first; i < figures.size(); ++i) figures[i].step_seconds *= samples / chunk_samples;
}

}  // namespace tesserec::bench
