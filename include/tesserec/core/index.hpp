// SPDX-License-Identifier: Apache-2.0
/// Sizes and ranges of indices.
#pragma once

#include <cstdint>

#include <tesserec/core/kernel.hpp>

namespace tesserec {

/// Type of all sizes and indices of data: 64 bits everywhere.
using Index = std::int64_t;

/// A half-open range of indices.
struct Range {
  Index begin = 0;
  Index end = 0;
  TESSEREC_FUNCTION Index size() const { return end - begin; }
  TESSEREC_FUNCTION bool contains(Index i) const { return begin <= i && i < end; }
  bool operator==(const Range&) const = default;
};

}  // namespace tesserec
