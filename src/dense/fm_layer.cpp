// SPDX-License-Identifier: Apache-2.0
// The second order of a factorization machine (Rendle 2010; Guo et al., DeepFM, arXiv 1703.04247) as TorchRec has it:
// over all numbers x of a sample together, y = ((sum x)^2 - sum x^2) / 2.
#include "device_layers.hpp"
#include "layer_formulas.hpp"
#include "layers.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/kernel.hpp>

namespace tesserec::dense {
namespace {

using Sums = EightChains<double>;

TESSEREC_KERNEL void add(Index n, const float* x, Sums& sums, Sums& squares) {
  add_to_fm(OneThread(), n, x, sums, squares);
}

TESSEREC_KERNEL void slopes(Index n, double upstream, double sum, const float* x, float* gradient) {
  for (Index i = 0; i < n; ++i) gradient[i] = fm_slope(upstream, sum, x[i]);
}

class FmLayer final : public Layer {
 public:
  explicit FmLayer(Index numbers) : numbers_(numbers) {}

  Index width() const override { return 1; }
  std::string describe() const override { return std::to_string(numbers_) + " numbers"; }
  Flops flops() const override { return {3.0 * double(numbers_), 2.0 * double(numbers_), 0}; }
  bool multiplies_matrices() const override { return false; }

  std::unique_ptr<Workspace> make_workspace(const Exec&, Index rows) const override {
    auto made = std::make_unique<RowSums>();
    made->sum.resize(rows);
    return made;
  }

  void forward(const Chunk& chunk, Rows<float> out) const override {
    for (Index r = 0; r < chunk.rows; ++r) {
      Sums sums, squares;
      for (const Rows<const float>& input : chunk.inputs) add(input.width, input[r], sums, squares);
      const double sum = row_sums(chunk)[r] = sums.total();
      *out[r] = fm_of(sum, squares.total());
    }
  }
  void backward(const Chunk& chunk, Rows<const float>, Rows<const float> upstream,
                std::span<const Rows<float>> input_gradients, bool, float*) const override {
    for (Index r = 0; r < chunk.rows; ++r)
      for (std::size_t n = 0; n < input_gradients.size(); ++n)
        if (input_gradients[n].data != nullptr)
          slopes(input_gradients[n].width, *upstream[r], row_sums(chunk)[r], chunk.inputs[n][r], input_gradients[n][r]);
  }
  std::unique_ptr<DeviceLayer> on_device(DeviceProducts&) const override { return fm_on_device(); }

 private:
  struct RowSums : Workspace {
    std::vector<double> sum;  // of each sample's numbers
  };
  static std::vector<double>& row_sums(const Chunk& chunk) { return static_cast<RowSums*>(chunk.workspace)->sum; }

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
