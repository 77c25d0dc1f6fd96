// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "panels.hpp"
#include <tesserec/core/lane_sums.hpp>
#include <tesserec/core/lanes.hpp>
#include <tesserec/products/products.hpp>

namespace tesserec::products {
namespace {

Index height(const Matrix& m, Index rows) { return m.of_bf16_chain ? rows + rows % 2 : rows; }
Words words(const Matrix& m) { return {m.across.data(), m.down.data()}; }
CodedRows coded(const Matrix& m, Index rows) { return {rows, m.across.data(), m.codes.data()}; }
/// Makes the codes of a matrix. `ranges` are those of the product that wrote it, or null.
void code(const Matrix& m, Index rows, const float* ranges) {
  const Index width = kernels().width;
  kernels().make_codes(m.width, {m.numbers, width, rows * width, true, ranges}, coded(m, rows));
}
void round(const Matrix& m, Index rows) {
  if (m.read == Precision::bf16)
    kernels().round(height(m, rows), panel_count(m.width, kernels().width), m.numbers, words(m));
  if (m.read == Precision::int8) code(m, rows, nullptr);
}
/// Returns the operand whose depth runs across its rows.
const float* across(const Linear& linear, const Matrix& m) {
  return linear.precision == Precision::fp32 ? m.numbers : m.across.data();
}

class PanelProducts final : public Products {
 public:
  explicit PanelProducts(bool weights_near) : weights_near_(weights_near) {}

  Index numbers(const Matrix& m, Index rows) const override { return height(m, rows) * padded_width(m.width); }

  void reserve(const Where& where, Index rows, Matrix& m) const override {
    constexpr const char* label = "tesserec::products::activations";
    rows = std::max(rows, chunk_samples);
    m.numbers = m.own.reserve(where, label, numbers(m, rows));
    m.sums.reserve(where, label, padded_width(m.width));
    if (m.read == Precision::fp32) return;
    m.across.reserve(where, label, height(m, rows) * padded_width(depth_of(m.read, m.width)));
    if (m.read == Precision::int8)
      m.codes.reserve(where, label, 2 * rows);
    else
      m.down.reserve(where, label, height(m, rows) / 2 * padded_width(m.width));
  }
  void load(const Where& where, Index rows, Rows<const float> from, bool by_loops, Matrix& m) const override {
    if (m.read == Precision::int8 && !by_loops) {
      reserve(where, rows, m);
      const UncodedRows x{.data = from.data, .row_stride = from.stride, .panel_stride = kernels().width};
      return kernels().make_codes(m.width, x, coded(m, rows));
    }
    load_gradient(where, rows, from, true, m);
    round(m, rows);
  }
  void load_gradient(const Where& where, Index rows, Rows<const float> from, bool, Matrix& m) const override {
    reserve(where, rows, m);
    to_panels(rows, height(m, rows), kernels().width, from, m.numbers);
  }
  void place(const Where& where, Index rows, Rows<float>, Matrix& m) const override { reserve(where, rows, m); }
  void store(const Where&, Index rows, const Matrix& m, Rows<float> to) const override {
    from_panels(rows, height(m, rows), kernels().width, m.numbers, to);
  }
  void written(const Where&, Index rows, Matrix& m) const override { round(m, rows); }
  void gradient_written(const Where&, Index rows, const Matrix* mask, Matrix& dy) const override {
    mask_and_sum(height(dy, rows), dy.width, kernels().width, mask != nullptr ? mask->numbers : nullptr, dy.numbers,
                 dy.sums.data());
    round(dy, rows);
  }

  void forward(const Where& where, Index rows, const Linear& linear, const Matrix& x, bool relu, Matrix& y) override {
    Product p = product(linear, rows, x, linear.packed_forward, y);
    p.finish = relu ? Epilogue::relu : Epilogue::store;
    if (linear.precision == Precision::int8) return multiply_codes(where, linear, p, x, y);
    p.start = linear.packed_bias;
    multiply(linear, p, rows, true, y);
  }
  void weight_gradient(const Where&, const Pieces& pieces, const Linear& linear, const Matrix& dy, const Matrix& x,
                       const LinearGradients& to) override {
    if (to.bias.data != nullptr && to.bias.add) add_floats(to.bias.data, dy.sums.data(), linear.out);
    if (to.bias.data != nullptr && !to.bias.add) std::copy_n(dy.sums.data(), linear.out, to.bias.data);
    WeightGradient p{
        height(x, pieces.lane_rows[1]), linear.out, linear.in, dy.numbers, x.numbers, to.weight.add, to.weight.data};
    if (linear.precision == Precision::bf16) {
      p.rows /= 2;
      p.dy = dy.down.data();
      p.x = x.down.data();
    }
    kernels(linear.precision).weight_gradient(p);
  }
  void input_gradient(const Where&, Index rows, const Linear& linear, const Matrix& dy, bool finished,
                      const Matrix* mask, Matrix& dx) override {
    Product p = product(linear, rows, dy, linear.packed_backward, dx);
    if (finished) {
      p.finish = Epilogue::gradient;
      p.y = mask != nullptr ? mask->numbers : nullptr;
      p.sums = dx.sums.data();
      std::fill_n(p.sums, padded_width(dx.width), 0.0f);
    }
    multiply(linear, p, rows, finished, dx);
  }

 private:
  /// Describes c = a b with a packed b.
  Product product(const Linear& linear, Index rows, const Matrix& a, const float* b, const Matrix& c) const {
    Product p;
    p.fetches_b = !weights_near_;
    p.rows = p.a_rows = height(a, rows);
    p.depth = depth_of(linear.precision, a.width);
    p.columns = c.width;
    p.a = across(linear, a);
    p.b = b;
    p.c = c.numbers;
    return p;
  }
  /// Runs the product of codes, and makes codes of y if the next product reads them.
  void multiply_codes(const Where& where, const Linear& linear, Product& p, const Matrix& x, const Matrix& y) {
    p.coded.rows = x.codes.data();
    p.coded.scales = linear.packed_scales;
    p.coded.sums = linear.packed_scales + padded_width(linear.out);
    p.coded.bias = linear.packed_bias;
    const bool is_coded = y.read == Precision::int8;
    if (is_coded) p.coded.ranges = ranges_.reserve(where, "tesserec::products::ranges", p.rows * kernels().width);
    kernels().int8_product(p);
    if (is_coded)
      code(y, p.rows, p.coded.ranges);
    else
      round(y, p.rows);
  }
  /// Runs the product. A bf16 product rounds a finished c as it writes c, any other product in a separate pass.
  static void multiply(const Linear& linear, Product& p, Index rows, bool finished, Matrix& c) {
    const bool at_once = finished && linear.precision == Precision::bf16 && c.read == Precision::bf16;
    if (at_once) p.rounded = words(c);
    kernels(linear.precision).product(p);
    if (finished && !at_once) round(c, rows);
  }

  bool weights_near_;
  LoopBuffer<float> ranges_;  // of the rows of a product of codes
};

}  // namespace

std::unique_ptr<Products> panel_products(bool weights_near) { return std::make_unique<PanelProducts>(weights_near); }

}  // namespace tesserec::products
