// SPDX-License-Identifier: Apache-2.0
// The second order of a factorization machine (Rendle 2010; Guo et al., DeepFM, arXiv 1703.04247) as TorchRec has it:
// over all numbers x of a sample together, y = ((sum x)^2 - sum x^2) / 2.
#include "layers.hpp"
#include <tesserec/core/error.hpp>

namespace tesserec::dense {
namespace {

class FmLayer final : public Layer {
 public:
  explicit FmLayer(Index numbers) : numbers_(numbers) {}

  Index width() const override { return 1; }
  std::string describe() const override { return std::to_string(numbers_) + " numbers"; }
  Flops flops() const override { return {3.0 * double(numbers_), 2.0 * double(numbers_), 0}; }
  bool multiplies_matrices() const override { return false; }

  void forward(const Chunk& chunk, Rows<float> out) const override {
    for (Index r = 0; r < chunk.rows; ++r) {
      const double sum = this->sum(chunk, r);
      double squares = 0;
      for (const Rows<const float>& input : chunk.inputs)
        for (Index i = 0; i < input.width; ++i) squares += double(input[r][i]) * input[r][i];
      *out[r] = 0.5 * (sum * sum - squares);
    }
  }
  void backward(const Chunk& chunk, Rows<const float>, Rows<const float> upstream,
                std::span<const Rows<float>> input_gradients, bool, float*) const override {
    for (Index r = 0; r < chunk.rows; ++r) {
      const double sum = this->sum(chunk, r);
      for (std::size_t n = 0; n < input_gradients.size(); ++n) {
        if (input_gradients[n].data == nullptr) continue;
        for (Index i = 0; i < input_gradients[n].width; ++i)
          input_gradients[n][r][i] = *upstream[r] * (sum - chunk.inputs[n][r][i]);
      }
    }
  }

 private:
  /// In double, one number after the other: the difference of two large squares is what counts.
  static double sum(const Chunk& chunk, Index row) {
    double sum = 0;
    for (const Rows<const float>& input : chunk.inputs)
      for (Index i = 0; i < input.width; ++i) sum += input[row][i];
    return sum;
  }

  Index numbers_;
};

}  // namespace

std::unique_ptr<Layer> make_fm(const LayerSettings&, const std::vector<InputShape>& inputs) {
  if (inputs.empty()) fail("an fm has at least one input");
  Index numbers = 0;
  for (const InputShape& input : inputs) numbers += input.width();
  return std::make_unique<FmLayer>(numbers);
}

}  // namespace tesserec::dense
