// SPDX-License-Identifier: Apache-2.0
// A sequence's vectors, weighted and added: y = sum_j w_j h_j. The weights are learnt: those of positions, as
// TorchRec's PositionWeightedModule, or those of ids, as the reference DLRM's learned pooling: a table of one column.
#include <algorithm>

#include "device_layers.hpp"
#include "layers.hpp"
#include "vectors.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec::dense {
namespace {

class WeightedSum final : public Layer {
 public:
  WeightedSum(Index dim, Index positions, double length) : dim_(dim), positions_(positions), length_(length) {
    if (positions > 0) add_parameter("weight", positions, 1, Start::one);
  }

  Index width() const override { return dim_; }
  std::string describe() const override {
    return concat("of vectors of ", dim_, positions_ > 0 ? concat(", ", positions_, " positions") : ", a weight an id");
  }
  Flops flops() const override {
    const double one = 2.0 * length_ * double(dim_);
    return {one, one, one};
  }
  bool multiplies_matrices() const override { return false; }

  void forward(const Chunk& chunk, Rows<float> out) const override {
    const Rows<const float> vectors = chunk.inputs.back();
    for (Index r = 0; r < chunk.rows; ++r) {
      std::fill_n(out[r], dim_, 0.0f);
      for (Index j = vectors.offsets[r]; j < vectors.offsets[r + 1]; ++j)
        add_scaled(dim_, weight(chunk, r, j), vectors[j], out[r]);
    }
  }
  void backward(const Chunk& chunk, Rows<const float>, Rows<const float> upstream,
                std::span<const Rows<float>> input_gradients, bool add, float* gradient) const override {
    const Rows<const float> vectors = chunk.inputs.back();
    if (!add) std::fill_n(gradient, positions_, 0.0f);
    for (Index r = 0; r < chunk.rows; ++r)
      for (Index j = vectors.offsets[r]; j < vectors.offsets[r + 1]; ++j) {
        scale(dim_, weight(chunk, r, j), upstream[r], input_gradients.back()[j]);
        const float slope = inner_product(dim_, upstream[r], vectors[j]);
        if (positions_ > 0)
          gradient[position(vectors, r, j)] += slope;
        else
          *input_gradients[0][j] = slope;
      }
  }
  std::unique_ptr<DeviceLayer> on_device(DeviceProducts&) const override { return weighted_sum_on_device(positions_); }

 private:
  Index position(const Rows<const float>& vectors, Index r, Index j) const {
    return std::min(j - vectors.offsets[r], positions_ - 1);
  }
  float weight(const Chunk& chunk, Index r, Index j) const {
    return positions_ > 0 ? chunk.parameters[position(chunk.inputs[0], r, j)] : *chunk.inputs[0][j];
  }

  Index dim_, positions_;
  double length_;
};

/// "unpooled.FEATURE@TABLE" -> "unpooled.FEATURE"
std::string feature_of(const InputShape& input) { return input.name().substr(0, input.name().find('@')); }

}  // namespace

std::unique_ptr<Layer> make_weighted_sum(const LayerSettings& settings, const std::vector<InputShape>& inputs) {
  const bool sequences = std::all_of(inputs.begin(), inputs.end(), [](const InputShape& i) { return i.sequence; });
  if (!sequences || inputs.size() != (settings.positions > 0 ? 1 : 2))
    fail("a weighted_sum has a sequence and positions, or two sequences: an id's weight, and its vector");
  if (inputs.size() == 2 && (inputs[0].width() != 1 || feature_of(inputs[0]) != feature_of(inputs[1])))
    fail("the weights of a weighted_sum are one number an id of the same feature, but ", inputs[0].name(), " has ",
         counted(inputs[0].width(), "number"), ", and the vectors are those of ", inputs[1].name());
  return std::make_unique<WeightedSum>(inputs.back().width(), settings.positions, inputs.back().length);
}

}  // namespace tesserec::dense
