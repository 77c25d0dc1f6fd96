// SPDX-License-Identifier: Apache-2.0
// Products of a device. Matrices are row-major and often alias a layer's input or output.
#include <tesserec/core/placed.hpp>
#include <tesserec/products/products.hpp>

namespace tesserec::products {
namespace {

class RowProducts final : public Products {
 public:
  explicit RowProducts(std::unique_ptr<DeviceProducts> products) : products_(std::move(products)) {}

  Index numbers(const Matrix& m, Index rows) const override { return rows * m.width; }

  void reserve(const Where& where, Index rows, Matrix& m) const override {
    m.numbers = m.own.reserve(where, "tesserec::products::activations", rows * m.width);
    m.stride = m.width;
  }
  void load(const Where& where, Index rows, Rows<const float> from, bool, Matrix& m) const override {
    load_gradient(where, rows, from, false, m);
  }
  void load_gradient(const Where& where, Index rows, Rows<const float> from, bool copy, Matrix& m) const override {
    m.numbers = const_cast<float*>(from.data);
    m.stride = from.stride;
    if (!copy && from.stride == from.width) return;
    reserve(where, rows, m);
    copy_rows(where, rows, from, m.rows());
  }
  void place(const Where& where, Index rows, Rows<float> to, Matrix& m) const override {
    m.numbers = to.data;
    m.stride = to.stride;
    if (to.stride != to.width) reserve(where, rows, m);
  }
  void store(const Where& where, Index rows, const Matrix& m, Rows<float> to) const override {
    if (m.numbers != to.data) copy_rows(where, rows, m.rows(), to);
  }
  void written(const Where&, Index, Matrix&) const override {}
  void gradient_written(const Where& where, Index rows, const Matrix* mask, Matrix& dy) const override {
    if (mask != nullptr) mask_on(where.device(), rows, mask->rows(), dy.rows(), dy.rows());
  }

  void forward(const Where& where, Index rows, const Linear& linear, const Matrix& x, bool relu, Matrix& y) override {
    products_->forward(where.device(), {rows, x.rows(), linear.weight, linear.bias, relu, y.rows(), linear.rounded});
  }
  void weight_gradient(const Where& where, const Pieces& pieces, const Linear& linear, const Matrix& dy,
                       const Matrix& x, const LinearGradients& to) override {
    products_->weight_gradient(
        where.device(), {pieces, dy.rows(), x.rows(), to.weight.data, to.bias.data, to.weight.stride, linear.rounded});
  }
  void input_gradient(const Where& where, Index rows, const Linear& linear, const Matrix& dy, bool, const Matrix* mask,
                      Matrix& dx) override {
    const Rows<const float> masked = mask != nullptr ? mask->rows() : Rows<float>();
    products_->input_gradient(where.device(), {rows, dy.rows(), linear.weight, masked, dx.rows(), linear.rounded});
  }

 private:
  std::unique_ptr<DeviceProducts> products_;
};

}  // namespace

std::unique_ptr<Products> make_products(Kernels kernels, Precision precision) {
  if (place_of(kernels) == Place::host) return panel_products();
  return std::make_unique<RowProducts>(device_products(kernels, precision));
}

}  // namespace tesserec::products
