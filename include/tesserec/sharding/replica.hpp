// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/core/index.hpp>

namespace tesserec::sharding {

/// One of `count` copies of a shard, which hold the same bits.
struct Replica {
  int index = 0, count = 1;
  /// Returns the rows that this copy alone writes and counts: an equal run of them.
  Range part(Range rows) const {
    return {rows.begin + rows.size() * index / count, rows.begin + rows.size() * (index + 1) / count};
  }
};

}  // namespace tesserec::sharding
