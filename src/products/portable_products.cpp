// SPDX-License-Identifier: Apache-2.0
#include "product_bodies.hpp"
#include <tesserec/core/device_loops.hpp>
#include <tesserec/products/device_products.hpp>

namespace tesserec::products {
namespace {

Index tiles(Index n, Index size) { return (n + size - 1) / size; }

template <class S, Depth b_depth>
void launch(const Device& device, const char* label, const TiledProduct<b_depth>& p) {
  const Index column_tiles = tiles(p.columns, S::columns);
  over_teams<S::members, 2>(device, label, tiles(p.rows, S::rows) * column_tiles, S::floats * sizeof(float),
                            ProductBody<S, b_depth>{p, column_tiles});
}
template <Depth b_depth>
void multiply(const Device& device, const char* label, const TiledProduct<b_depth>& p) {
  if (p.columns > 16)
    launch<TileShape<16, 16, 8, 8>>(device, label, p);
  else
    launch<TileShape<64, 4, 4, 4>>(device, label, p);
}

class PortableProducts final : public DeviceProducts {
 public:
  void forward(const Device& device, const Forward& p) override {
    multiply<Depth::along>(
        device, "tesserec::products::product",
        {p.rows, p.y.width, p.x.width, p.x, {p.weight, p.x.width, p.x.width}, p.bias, p.relu, {}, p.y});
  }
  void input_gradient(const Device& device, const InputGradient& p) override {
    multiply<Depth::down>(
        device, "tesserec::products::input_gradient",
        {p.rows, p.dx.width, p.dy.width, p.dy, {p.weight, p.dx.width, p.dx.width}, nullptr, false, p.mask, p.dx});
  }
  void weight_gradient(const Device& device, const WeightGradient& p) override {
    using Shape = TileShape<16, 16, 4, 4>;  // small, since only a lane's tiles run in parallel
    const Index out_tiles = tiles(p.dy.width, Shape::rows), in_tiles = tiles(p.x.width, Shape::columns);
    over_teams<Shape::members, 2>(device, "tesserec::products::weight_gradient", p.pieces.lanes * out_tiles * in_tiles,
                                  Shape::floats * sizeof(float), WeightGradientBody<Shape>{p, out_tiles, in_tiles});
    bias_gradient(device, p, sums_);
  }

 private:
  ChunkSums sums_;
};

}  // namespace

std::unique_ptr<DeviceProducts> portable_products() { return std::make_unique<PortableProducts>(); }

}  // namespace tesserec::products
