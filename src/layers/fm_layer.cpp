// SPDX-License-Identifier: Apache-2.0
// Second-order term of a factorization machine (Rendle 2010; Guo et al., DeepFM, arXiv 1703.04247), in TorchRec's form
// over all values x of a sample: y = ((sum x)^2 - sum x^2) / 2. The sums are in double, because y is a small difference
// of two large squares.
#include "makers.hpp"

namespace tesserec::layers {
namespace {

class FmLayer final : public Layer {
 public:
  explicit FmLayer(Index numbers) : numbers_(numbers) {}

  Index width() const override { return 1; }
  std::string describe() const override { return std::to_string(numbers_) + " numbers"; }
  Flops flops() const override { return {3.0 * double(numbers_), 2.0 * double(numbers_), 0}; }
  bool multiplies_matrices() const override { return false; }

  std::unique_ptr<Workspace> make_workspace() const override { return std::make_unique<FmSums>(); }

  void forward(const Where& where, const Batch& batch, Rows<float> out) const override {
    FmSums& own = this->own<FmSums>(batch);
    double* const row_sums = own.of_rows.reserve(where, "tesserec::layers::fm_sums", batch.rows);
    const LayerInput* const inputs = own.inputs.send(where, batch.inputs);
    const auto count = Index(batch.inputs.size());
    over_rows(
        where, "tesserec::layers::fm", batch.rows, KOKKOS_LAMBDA(Index r, const RowThreads& threads) {
          EightChains<double> sums, squares;
          for (Index n = 0; n < count; ++n) {
            const float* const x = inputs[n][r];
            threads.walk(inputs[n].width, sums, [=](Index i, double sum) { return sum + double(x[i]); });
            threads.walk(inputs[n].width, squares,
                         [=](Index i, double sum) { return sum + double(x[i]) * double(x[i]); });
          }
          const double sum = threads.total(sums), square = threads.total(squares);
          if (threads.first()) {
            row_sums[r] = sum;
            *out[r] = float(0.5 * (sum * sum - square));
          }
        });
  }
  void backward(const Where& where, const Batch& batch, Rows<const float>, Rows<const float> upstream,
                std::span<const Rows<float>> input_gradients, LaneGradients) const override {
    const double* const row_sums = own<FmSums>(batch).of_rows.data();
    for (std::size_t n = 0; n < input_gradients.size(); ++n) {
      const Rows<const float> x = batch.inputs[n];
      const Rows<float> to = input_gradients[n];
      if (to.data == nullptr) continue;
      over_rows(
          where, "tesserec::layers::fm_back", batch.rows, KOKKOS_LAMBDA(Index r, const RowThreads& threads) {
            const float* const from = x[r];
            float* const row = to[r];
            const double slope = *upstream[r], sum = row_sums[r];
            threads.each(to.width, [=](Index i) { row[i] = float(slope * (sum - from[i])); });
          });
    }
  }

 private:
  struct FmSums : Workspace {
    LoopList<LayerInput> inputs;
    LoopBuffer<double> of_rows;  // [rows] sum of each sample's values
  };

  Index numbers_;
};

}  // namespace

std::unique_ptr<Layer> make_fm(const LayerSettings&, const InputShapes& inputs) {
  return std::make_unique<FmLayer>(total_width("an fm", inputs));
}

}  // namespace tesserec::layers
