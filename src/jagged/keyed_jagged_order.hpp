// SPDX-License-Identifier: Apache-2.0
/// Keys of keyed jagged tensors as tensors of their own.
#pragma once

#include <vector>

#include <tesserec/jagged/keyed_jagged_tensor.hpp>

namespace tesserec::jagged {

/// A key of some tensor.
struct KeySource {
  const KeyedJaggedTensor* kjt;
  Index key;
};

/// Returns keys [key, key + count) of `kjt`. Shares values and weights; the offsets are new.
KeyedJaggedTensor cut(const Exec& exec, const KeyedJaggedTensor& kjt, Index key, Index count);
/// Copies the keys of `sources`, one after the other.
KeyedJaggedTensor gather(const Exec& exec, const std::vector<KeySource>& sources, bool variable, bool weighted,
                         Index stride);

}  // namespace tesserec::jagged
