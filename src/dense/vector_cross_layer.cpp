// SPDX-License-Identifier: Apache-2.0
// The first cross network (Wang et al., arXiv 1708.05123): x_{l+1} = x_0 * (w_l . x_l) + b_l + x_l
#include "device_layers.hpp"
#include "layer_formulas.hpp"
#include "layers.hpp"
#include "vectors.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/kernel.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec::dense {
namespace {

TESSEREC_KERNEL void cross(Index n, const float* x0, float s, const float* b, const float* x, float* out) {
  for (Index i = 0; i < n; ++i) out[i] = crossed(x0[i], s, b[i], x[i]);
}
class VectorCrossLayer final : public Layer {
 public:
  VectorCrossLayer(Index width, Index layers) : width_(width) {
    for (Index l = 0; l < layers; ++l) {
      const std::string name = std::to_string(l);
      const Index w = add_parameter(name + ".w", width, 1, Start::weight);
      layers_.push_back({w, add_parameter(name + ".bias", width, 1, Start::zero)});
    }
  }

  Index width() const override { return width_; }
  std::string describe() const override { return concat(layers_.size(), " of ", width_); }
  Flops flops() const override {
    const double n = 4.0 * double(width_) * double(layers_.size());
    return {n, n, n};
  }
  bool multiplies_matrices() const override { return false; }

  std::unique_ptr<Workspace> make_workspace(const Exec& exec, Index rows) const override {
    auto made = std::make_unique<Activations>();
    const auto buffer = [&](Index size) { return make_vector<float>(exec, "tesserec::dense::cross", size); };
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      made->x.push_back(buffer(rows * width_));
      made->s.push_back(buffer(rows));
    }
    made->g = buffer(width_);
    made->dx0 = buffer(width_);
    made->sums = buffer(size());
    return made;
  }

  void forward(const Chunk& chunk, Rows<float> out) const override {
    Activations& own = activations(chunk);
    const Rows<const float> x0 = chunk.inputs[0];
    for (Index r = 0; r < chunk.rows; ++r)
      for (std::size_t l = 0; l < layers_.size(); ++l) {
        const float* x = l == 0 ? x0[r] : own.x[l - 1].data() + r * width_;
        float* next = l + 1 < layers_.size() ? own.x[l].data() + r * width_ : out[r];
        const float s = own.s[l](r) = inner_product(width_, chunk.parameters + layers_[l].w, x);
        cross(width_, x0[r], s, chunk.parameters + layers_[l].bias, x, next);
      }
  }

  void backward(const Chunk& chunk, Rows<const float>, Rows<const float> upstream,
                std::span<const Rows<float>> input_gradients, bool add, float* gradient) const override {
    Activations& own = activations(chunk);
    const Rows<const float> x0 = chunk.inputs[0];
    std::fill_n(own.sums.data(), size(), 0.0f);
    float *const g = own.g.data(), *const dx0 = own.dx0.data();
    for (Index r = 0; r < chunk.rows; ++r) {
      std::copy_n(upstream[r], width_, g);
      std::fill_n(dx0, width_, 0.0f);
      for (std::size_t l = layers_.size(); l-- > 0;) {
        const float* x = l == 0 ? x0[r] : own.x[l - 1].data() + r * width_;
        const float ds = inner_product(width_, g, x0[r]);
        add_scaled(width_, own.s[l](r), g, dx0);
        dense::add(width_, g, own.sums.data() + layers_[l].bias);
        add_scaled(width_, ds, x, own.sums.data() + layers_[l].w);
        add_scaled(width_, ds, chunk.parameters + layers_[l].w, g);
      }
      if (input_gradients[0].data == nullptr) continue;
      std::copy_n(g, width_, input_gradients[0][r]);
      dense::add(width_, dx0, input_gradients[0][r]);
    }
    for (const Parameter& tensor : parameters()) {
      float* const to = gradient + tensor.offset;
      if (!add) std::fill_n(to, tensor.rows, 0.0f);
      dense::add(tensor.rows, own.sums.data() + tensor.offset, to);
    }
  }
  std::unique_ptr<DeviceLayer> on_device(DeviceProducts&) const override {
    return vector_cross_on_device(width_, layers_);
  }

 private:
  struct Activations : Workspace {
    std::vector<Vector<float>> x, s;  // x_{l+1} but the last, w_l . x_l
    Vector<float> g, dx0;             // one sample's gradients
    Vector<float> sums;               // the chunk's of the parameters
  };
  static Activations& activations(const Chunk& chunk) { return *static_cast<Activations*>(chunk.workspace); }

  Index width_;
  std::vector<VectorCross> layers_;
};

}  // namespace

std::unique_ptr<Layer> make_vector_cross(const LayerSettings& settings, const std::vector<InputShape>& inputs) {
  if (inputs.size() != 1)
    fail("a vector_cross has one input, and not ", inputs.size(), "; put them side by side with a cat");
  if (settings.layers < 1) fail("a vector_cross needs layers, 1 or more");
  return std::make_unique<VectorCrossLayer>(inputs[0].width(), settings.layers);
}

}  // namespace tesserec::dense
