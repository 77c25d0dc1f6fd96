// SPDX-License-Identifier: Apache-2.0
#include "makers.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/layers/mlp.hpp>

namespace tesserec::layers {
namespace {

class MlpLayer final : public Layer {
 public:
  MlpLayer(Index input, const LayerSettings& settings)
      : mlp_(make_linear_layers(input, settings.widths, settings.activations, settings.bias), settings.precision) {}

  Index width() const override { return mlp_.output_width(); }
  std::string describe() const override {
    std::string text = std::to_string(mlp_.input_width());
    for (const LinearLayer& layer : mlp_.layers()) text += "-" + std::to_string(layer.out);
    return text;
  }
  Flops flops() const override { return mlp_.flops(); }

  Index packed_size() const override { return mlp_.packed_end(); }
  void pack(const Exec& exec, const float* parameters, bool backward, float* packed, Range range) const override {
    mlp_.pack(exec, parameters, backward, packed, range);
  }
  std::unique_ptr<Workspace> make_workspace() const override {
    auto made = std::make_unique<Matrices>();
    made->chain = mlp_.make_matrices();
    return made;
  }
  void forward(const Where& where, const Batch& batch, Rows<float> out) const override {
    mlp_.forward(where, batch, batch.inputs[0], out, own<Matrices>(batch).chain);
  }
  void backward(const Where& where, const Batch& batch, Rows<const float>, Rows<const float> upstream,
                std::span<const Rows<float>> input_gradients, LaneGradients gradient) const override {
    mlp_.backward(where, batch, upstream, input_gradients[0], gradient, own<Matrices>(batch).chain);
  }

 private:
  struct Matrices : Workspace {
    Mlp::Matrices chain;
  };

  std::vector<LinearLayer> make_linear_layers(Index in, const std::vector<Index>& widths,
                                              const std::vector<Activation>& activations, bool biased) {
    std::vector<LinearLayer> layers;
    for (std::size_t l = 0; l < widths.size(); ++l) {
      const std::string name = std::to_string(l);
      const Index weight = add_parameter(name + ".weight", widths[l], in, Start::weight);
      const Index bias =
          biased ? add_parameter(name + ".bias", widths[l], 1, Start::bias) : Index{LinearLayer::without};
      Activation activation = l + 1 < widths.size() ? Activation::relu : Activation::none;
      if (!activations.empty()) activation = activations[activations.size() > 1 ? l : 0];
      layers.push_back({in, widths[l], weight, bias, activation});
      in = widths[l];
    }
    return layers;
  }

  Mlp mlp_;
};

}  // namespace

std::unique_ptr<Layer> make_mlp(const LayerSettings& settings, const InputShapes& inputs) {
  const Index input = one_width("an mlp", inputs);
  if (settings.widths.empty()) fail("an mlp needs widths: the neurons of each of its linear layers");
  for (const Index width : settings.widths)
    if (width < 1) fail("widths has ", width, "; give each linear layer at least one neuron");
  const std::vector<Activation>& activations = settings.activations;
  if (activations.size() > 1 && activations.size() != settings.widths.size())
    fail("activations has ", activations.size(), " entries for ", settings.widths.size(),
         " linear layers; give one for each, or one for all");
  return std::make_unique<MlpLayer>(input, settings);
}

}  // namespace tesserec::layers
