// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/core/index.hpp>
#include <tesserec/products/precision.hpp>

namespace tesserec::products {

/// Layout of a linear layer's packed weights as a host's products read them: w^T, w and the bias in this order, each
/// padded to whole panels. In int8 there is no w, and each column's scale and sum of codes follow the bias.
class PackedLinear {
 public:
  /// Takes the layer's widths. `begin` is the first float in the buffer of packed weights.
  PackedLinear(Index begin, Index in, Index out, Precision precision);

  /// Returns the first float of w^T. Its siblings return those of w and of the bias, and the end.
  Index forward() const { return forward_; }
  Index backward() const { return backward_; }
  Index bias() const { return bias_; }
  /// Returns the first scale of int8. The sums follow after padded_width(out) scales.
  Index scales() const { return scales_; }
  Index end() const { return end_; }

  /// Returns the number of panels of w^T.
  Index panels() const;
  /// Returns the first weight of a panel, counted in w [out, in].
  Index first_weight(Index panel) const;
  /// Packs one panel of w^T and the same columns of the bias, 0 if `bias` is null. With `backward` it packs the same
  /// rows of w too. Threads may pack different panels concurrently.
  void pack(Index panel, const float* weight, const float* bias, bool backward, float* packed) const;

 private:
  Index in_, out_;
  Precision precision_;
  Index forward_, backward_, bias_, scales_, end_;
};

}  // namespace tesserec::products
