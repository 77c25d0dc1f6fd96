// SPDX-License-Identifier: Apache-2.0
/// A chain of linear layers alone, on this thread.
#pragma once

#include <vector>

#include <tesserec/layers/mlp.hpp>

namespace tesserec::test {

class MlpAlone {
 public:
  MlpAlone(std::vector<layers::LinearLayer> layers, const float* parameters,
           products::Precision precision = products::Precision::fp32)
      : mlp(std::move(layers), precision), parameters_(parameters), packed_(mlp.packed_end()) {
    mlp.pack(Exec(), parameters, true, packed_.data());
    own_ = mlp.make_matrices();
  }

  /// Computes y [rows, out] from x [rows, in].
  void forward(Index rows, const float* x, float* y) {
    const OnePiece piece(rows);
    mlp.forward({}, batch(rows, piece), {x, mlp.input_width(), mlp.input_width()},
                {y, mlp.output_width(), mlp.output_width()}, own_);
  }
  /// Computes the gradients for the last forward(). `dx` may be null.
  void backward(Index rows, bool add, float* gradient, const float* upstream, float* dx) {
    const OnePiece piece(rows);
    mlp.backward({}, batch(rows, piece), {upstream, mlp.output_width(), mlp.output_width()},
                 {dx, mlp.input_width(), mlp.input_width()}, {gradient, 0, add}, own_);
  }

  const layers::Mlp mlp;

 private:
  layers::Layer::Batch batch(Index rows, const OnePiece& piece) const {
    return {rows, piece.pieces(), {}, parameters_, packed_.data(), products_.get(), nullptr, {}};
  }

  const float* parameters_;
  std::vector<float> packed_;
  layers::Mlp::Matrices own_;
  const std::unique_ptr<products::Products> products_ = products::panel_products();
};

}  // namespace tesserec::test
