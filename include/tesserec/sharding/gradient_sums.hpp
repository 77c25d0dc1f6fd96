// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <tesserec/embedding/row_sums.hpp>

namespace tesserec::sharding {

/// Gradients of one rank's rows, summed over the micro-batches of a step until the rows are updated.
class GradientSums {
 public:
  /// Returns this rank's share of the sum of squares of all rows' gradients. A row with copies counts on one rank. Does
  /// not communicate.
  ExactSum squares(const Exec& exec) {
    ExactSum sum;
    for (Shard& shard : shards_)
      if (shard.counts) shard.sums.add_squares(exec, sum);
    return sum;
  }
  /// Returns the sums of a shard, given its index in the collection.
  const embedding::RowSums& of(std::size_t shard) { return shards_[shard].sums.finish(); }

 private:
  friend class RowUpdates;
  struct Shard {
    embedding::GatheredRows sums;
    bool counts;  // its squares count here
  };
  std::vector<Shard> shards_;
};

}  // namespace tesserec::sharding
