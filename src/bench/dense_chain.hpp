// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "measure.hpp"
#include <tesserec/core/lane_sums.hpp>
#include <tesserec/network/network.hpp>

namespace tesserec::bench {

/// Makes n small values of both signs.
Vector<float> numbers(const Exec& exec, Index n);

/// Dense half of one rank on made-up values, from dense features to all gradients, without the sum over ranks.
class DenseChain {
 public:
  /// Takes the rank (`rank` of `size`) whose samples of a batch of `global_size` samples it computes.
  DenseChain(const Exec& exec, const network::Network& dense, const Lanes& lanes, int rank, int size,
             Index global_size);

  void run() {
    dense_.forward_backward(exec_, parameters_, input_, pooled_gradient_.data(), sums_, unpooled_gradient_).get();
  }

  const PlacedVector<float>& parameters() const { return parameters_; }
  LaneSums& sums() { return sums_; }
  Index samples() const { return samples_; }

 private:
  Exec exec_;
  const network::Network& dense_;
  Index samples_;
  PlacedVector<float> parameters_;
  Vector<float> x_, pooled_, pooled_gradient_, labels_;
  LaneSums sums_;
  network::DenseInput input_;
  std::vector<jagged::JaggedVectors> unpooled_gradient_;
};

}  // namespace tesserec::bench
