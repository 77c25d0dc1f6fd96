// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/core/index.hpp>
#include <tesserec/products/precision.hpp>

namespace tesserec::products {

/// A linear layer's weights as a host's products read them: w^T, w and the bias, each padded to whole panels, one after
/// the other from float `begin` of a run of packed weights.
class PackedLinear {
 public:
  PackedLinear(Index begin, Index in, Index out, Precision precision);

  /// The first float of w^T, of w and of the bias, and the end.
  Index forward() const { return forward_; }
  Index backward() const { return backward_; }
  Index bias() const { return bias_; }
  Index end() const { return end_; }

  /// Number of panels of w^T, and the first weight of one, counted in w [out, in].
  Index panels() const;
  Index first_weight(Index panel) const;
  /// Packs one panel of w^T and, with `backward`, what lies in the same rows of w; of the bias the same columns, 0
  /// where it is null. Panels may be packed side by side.
  void pack(Index panel, const float* weight, const float* bias, bool backward, float* packed) const;

 private:
  Index in_, out_;
  Precision precision_;
  Index forward_, backward_, bias_, end_;
};

}  // namespace tesserec::products
