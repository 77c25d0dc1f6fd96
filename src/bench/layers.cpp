// SPDX-License-Identifier: Apache-2.0
#include "dense_chain.hpp"
#include "parts.hpp"
#include <tesserec/dense.hpp>

namespace tesserec::bench {
namespace {

class Layers {
 public:
  Layers(const Context& context, std::vector<Figure>& figures) : context_(context), figures_(figures) {}

  void mlp(const std::string& name, const std::vector<Index>& widths, bool relu_at_end, bool first_input_gradient) {
    std::vector<dense::LinearLayer> layers;
    Index size = 0;
    for (std::size_t l = 0; l + 1 < widths.size(); ++l) {
      const Index weight = size, bias = weight + widths[l] * widths[l + 1];
      layers.push_back({widths[l], widths[l + 1], weight, bias, relu_at_end || l + 2 < widths.size()});
      size = bias + widths[l + 1];
    }
    const dense::Mlp made(layers);
    const Vector<float> parameters = numbers(context_.exec, size), gradient = numbers(context_.exec, size);
    dense::PackedWeights weights;
    dense::MlpWorkspace workspace = made.make_workspace(context_.exec, chunk_samples);
    made.pack(context_.exec, parameters.data(), true, weights);
    for (std::size_t l = 0; l < layers.size(); ++l) {
      const std::string layer =
          name + "." + std::to_string(l) + " " + std::to_string(layers[l].in) + "x" + std::to_string(layers[l].out);
      const double flops = 2.0 * double(chunk_samples * layers[l].in * layers[l].out);
      add(layer + " forward", flops, [&] { made.forward(l, chunk_samples, weights, workspace); });
      if (l > 0 || first_input_gradient)
        add(layer + " input gradient", flops, [&] { made.input_gradient(l, chunk_samples, weights, workspace); });
      add(layer + " weight gradient", flops,
          [&] { made.weight_gradient(l, chunk_samples, true, gradient.data(), workspace); });
    }
    packing_seconds_ += context_.seconds([&] { made.pack(context_.exec, parameters.data(), true, weights); });
  }

  void interaction(const dense::FeatureInteraction& made, Index bottom_width) {
    const Vector<float> bottom = numbers(context_.exec, chunk_samples * bottom_width),
                        pooled = numbers(context_.exec, chunk_samples * made.pooled_width()),
                        crossed = numbers(context_.exec, chunk_samples * made.width()),
                        scratch = numbers(context_.exec, made.scratch()),
                        bottom_gradient = numbers(context_.exec, bottom.size()),
                        pooled_gradient = numbers(context_.exec, pooled.size());
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

  /// What runs on all threads.
  template <class Body>
  void add_parallel(const std::string& name, double flops, const Body& body) {
    add(name, flops, body, peak_.all_flops(context_.exec), [&] { peak_.run_all(context_.exec); });
  }

 private:
  template <class Body>
  void add(const std::string& name, double flops, const Body& body) {
    add(name, flops, body, peak_.flops, peak_.run);
  }
  template <class Body, class Peak>
  void add(const std::string& name, double flops, const Body& body, double peak_flops, const Peak& run_peak) {
    const auto [seconds, peak_seconds] = context_.seconds(body, run_peak);
    figures_.push_back({"layers", name, flops / seconds, "FLOP/s", peak_flops / peak_seconds, "multiply-add", seconds});
  }

  const Context& context_;
  const MultiplyAdds peak_ = multiply_adds();
  std::vector<Figure>& figures_;
  double packing_seconds_ = 0;
};

}  // namespace

void measure_layers(const Context& context, const train::Session& session, const Limits& limits,
                    std::vector<Figure>& figures) {
  const model::Dlrm& model = session.model.dense;
  std::vector<Index> dims;
  for (const embedding::EmbeddingBagConfig& table : session.model.tables().tables())
    dims.insert(dims.end(), table.feature_names.size(), table.embedding_dim);
  const dense::FeatureInteraction interaction(model.settings().interaction, model.settings().itself,
                                              model.bottom_widths().back(), dims);
  const std::size_t first = figures.size();
  Layers layers(context, figures);
  layers.mlp("bottom", model.bottom_widths(), true, false);
  layers.interaction(interaction, model.bottom_widths().back());
  layers.mlp("top", model.top_widths(), false, true);
  // From a chunk to the rank's samples of a step.
  DenseChain chain(context.exec, model, session.lanes, session.comm.rank(), session.comm.size(),
                   session.job.train.batch_size);
  const double samples = chain.samples();
  for (std::size_t i = first; i < figures.size(); ++i) figures[i].step_seconds *= samples / chunk_samples;
  layers.add_parallel("dense chain, all of these for a step's samples", samples * model.flops_per_sample(),
                      [&] { chain.run(); });
  const double moved = 4.0 * sizeof(float) * double(model.parameters());  // read twice, written twice
  figures.push_back({"layers", "weights packed, once a step", moved / layers.packing_seconds(), "B/s", limits.triad,
                     "triad", layers.packing_seconds() / session.model.sharers()});
}

}  // namespace tesserec::bench
