// SPDX-License-Identifier: Apache-2.0
// cat, sum, multiply and dropout on a device.
#include "device_layers.hpp"
#include "layer_formulas.hpp"
#include <tesserec/core/device_loops.hpp>
#include <tesserec/core/random.hpp>
#include <tesserec/dense/device_rows.hpp>

namespace tesserec::dense {
namespace {

class CatOnDevice final : public DeviceLayer {
 public:
  void forward(const Device& device, const Batch& batch, Rows<float> out) override {
    for (const Rows<const float>& input : batch.inputs) {
      copy_on(device, batch.rows, input, {out.data, input.width, out.stride});
      out.data += input.width;
    }
  }
  void backward(const Device& device, const Batch& batch, Rows<const float>, Rows<const float> upstream,
                std::span<const Rows<float>> input_gradients, LaneGradients) override {
    for (const Rows<float>& gradient : input_gradients) {
      if (gradient.data != nullptr)
        copy_on(device, batch.rows, {upstream.data, gradient.width, upstream.stride}, gradient);
      upstream.data += gradient.width;
    }
  }
};

class SumOnDevice final : public DeviceLayer {
 public:
  void forward(const Device& device, const Batch& batch, Rows<float> out) override {
    copy_on(device, batch.rows, batch.inputs[0], out);
    for (const Rows<const float>& input : batch.inputs.subspan(1)) add_on(device, batch.rows, input, out);
  }
  void backward(const Device& device, const Batch& batch, Rows<const float>, Rows<const float> upstream,
                std::span<const Rows<float>> input_gradients, LaneGradients) override {
    for (const Rows<float>& gradient : input_gradients)
      if (gradient.data != nullptr) copy_on(device, batch.rows, upstream, gradient);
  }
};

class MultiplyOnDevice final : public DeviceLayer {
 public:
  void forward(const Device& device, const Batch& batch, Rows<float> out) override {
    multiply(device, batch.rows, batch.inputs[0], batch.inputs[1], out);
  }
  void backward(const Device& device, const Batch& batch, Rows<const float>, Rows<const float> upstream,
                std::span<const Rows<float>> input_gradients, LaneGradients) override {
    for (std::size_t n = 0; n < 2; ++n)
      if (input_gradients[n].data != nullptr)
        multiply(device, batch.rows, upstream, batch.inputs[1 - n], input_gradients[n]);
  }
  static void multiply(const Device& device, Index rows, Rows<const float> a, Rows<const float> b, Rows<float> to) {
    const Index width = to.width;
    over_numbers(
        device, "tesserec::dense::multiply", rows * width, KOKKOS_LAMBDA(Index i) {
          const Index r = i / width, c = i % width;
          to[r][c] = a[r][c] * b[r][c];
        });
  }
};

class DropoutOnDevice final : public DeviceLayer {
 public:
  DropoutOnDevice(Index width, double rate) : width_(width), kept_(rate) {}

  bool draws() const override { return true; }
  void forward(const Device& device, const Batch& batch, Rows<float> out) override {
    if (!batch.draw.training) return copy_on(device, batch.rows, batch.inputs[0], out);
    drop(device, batch, batch.inputs[0], out);
  }
  void backward(const Device& device, const Batch& batch, Rows<const float>, Rows<const float> upstream,
                std::span<const Rows<float>> input_gradients, LaneGradients) override {
    if (input_gradients[0].data != nullptr) drop(device, batch, upstream, input_gradients[0]);
  }
  /// Draws the factors; on the way back once more.
  void drop(const Device& device, const Batch& batch, Rows<const float> from, Rows<float> to) const {
    const Layer::Draw& draw = batch.draw;
    const auto key = Random(draw.seed, Purpose::dropout, draw.layer).key();
    const std::uint32_t key0 = key[0], key1 = key[1];
    const Index first = first_draw(draw), width = width_, quads = (width + 3) / 4;
    const Kept kept = kept_;
    over_numbers(
        device, "tesserec::dense::dropout", batch.rows * quads, KOKKOS_LAMBDA(Index i) {
          const Index r = i / quads, quad = i % quads;
          const auto row = std::uint64_t(first + r);
          std::uint32_t words[4] = {std::uint32_t(row), std::uint32_t(row >> 32), std::uint32_t(quad), 0};
          philox::ten_rounds(key0, key1, words);
          TESSEREC_UNROLL
          for (int word = 0; word < 4; ++word) {
            const Index c = 4 * quad + word;
            if (c < width) to[r][c] = kept.factor(philox::uniform(words[word], 1.0f)) * from[r][c];
          }
        });
  }

 private:
  Index width_;
  Kept kept_;
};

}  // namespace

std::unique_ptr<DeviceLayer> cat_on_device() { return std::make_unique<CatOnDevice>(); }
std::unique_ptr<DeviceLayer> sum_on_device() { return std::make_unique<SumOnDevice>(); }
std::unique_ptr<DeviceLayer> multiply_on_device() { return std::make_unique<MultiplyOnDevice>(); }
std::unique_ptr<DeviceLayer> dropout_on_device(Index width, double rate) {
  return std::make_unique<DropoutOnDevice>(width, rate);
}

}  // namespace tesserec::dense
