// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <tesserec/core/kokkos.hpp>

namespace tesserec::jagged {

/// The sparse half of a batch, key-major: for each key a bag of ids for each of `stride` samples (TorchRec's
/// KeyedJaggedTensor). Bag (key k, sample b) holds values [offsets(k * stride + b), offsets(k * stride + b + 1)).
struct KeyedJaggedTensor {
  std::vector<std::string> keys;
  Index stride = 0;        ///< samples B
  Vector<Index> values;    ///< ids; may be longer than what offsets use
  Vector<float> weights;   ///< parallel to values; empty when unweighted
  Vector<Index> offsets;   ///< at least F * B + 1

  Index features() const { return static_cast<Index>(keys.size()); }
  Index begin(Index key, Index sample) const { return offsets(key * stride + sample); }
  Index length(Index key, Index sample) const {
    return offsets(key * stride + sample + 1) - offsets(key * stride + sample);
  }
  Index total() const { return features() * stride == 0 ? 0 : offsets(features() * stride); }
  bool weighted() const { return weights.extent(0) > 0; }
};

}  // namespace tesserec::jagged
