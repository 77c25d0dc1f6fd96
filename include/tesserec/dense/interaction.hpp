// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <tesserec/core/index.hpp>

namespace tesserec::dense {

enum class Interaction { dot, cat };

/// How the bottom MLP's vector z0 [D] and the pooled vectors z1 ... zT of the features meet (Naumov et al.,
/// arXiv 1906.00091), in the order of the reference DLRM:
///   dot: [z0, z1.z0, z2.z0, z2.z1, z3.z0, ...]: the strictly lower triangle of Z Z^T by rows; with `itself`
///   its
///        diagonal too. All vectors have D numbers.
///   cat: [z0, z1, ..., zT], of any dimensions.
class FeatureInteraction {
 public:
  FeatureInteraction(Interaction type, bool itself, Index bottom_dim, std::vector<Index> pooled_dims);

  Index width() const { return width_; }
  Index pooled_width() const { return pooled_width_; }
  /// Multiplications and additions of one sample's forward pass; the backward pass has twice as many.
  double flops() const;
  /// Floats of scratch that forward and backward need; 64-byte aligned.
  Index scratch() const;

  /// out [rows, width] from bottom [rows, D] and pooled [rows, pooled width]. A dot product adds its terms in
  /// order.
  void forward(Index rows, const float* bottom, const float* pooled, float* out, float* scratch) const;
  /// Gradients of the inputs, overwritten. The terms of a vector's gradient come in the order of the vectors,
  /// then the upstream of z0 itself is added.
  void backward(Index rows, const float* bottom, const float* pooled, const float* upstream, float* bottom_gradient,
                float* pooled_gradient, float* scratch) const;

 private:
  Interaction type_;
  bool itself_;
  Index dim_;
  Index vectors_;  // bottom and features
  Index pooled_width_ = 0;
  Index width_ = 0;
};

}  // namespace tesserec::dense
