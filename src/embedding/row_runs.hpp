// SPDX-License-Identifier: Apache-2.0
/// Uses of rows by a batch, sorted by row. The host never learns the number of distinct rows.
#pragma once

#include <span>

#include "device_bags.hpp"
#include "sort_keys.hpp"

namespace tesserec::embedding {

/// Use of a row: float offset of its gradient, weight, lane, and the height where the next use's lane meets its own.
/// Height 0 is the same lane. last_leaf ends a run: the row's last use, or the last one of a whole subtree if lanes are
/// those of some ranks.
struct alignas(16) DeviceUse {
  Index gradient;
  float weight;
  std::uint32_t bits;
  TESSEREC_FUNCTION static DeviceUse of(Index gradient, float weight, int lane, bool sums, int height) {
    return {gradient, weight, std::uint32_t(lane) << 7 | std::uint32_t(sums) << 6 | std::uint32_t(height)};
  }
  TESSEREC_FUNCTION int lane() const { return int(bits >> 7); }
  TESSEREC_FUNCTION bool sums() const { return bits >> 6 & 1; }  ///< the gradient is already a subtree's sum
  TESSEREC_FUNCTION int height() const { return int(bits & 63); }
};

/// Runs of uses, each of one row or of one subtree of its lanes. The lanes of hot rows are summed first, as
/// pieces.
struct RunArrays {
  Index max_runs = 0, max_pieces = 0;  // bounds of *runs and *pieces, which only the device knows
  const Index* runs = nullptr;
  const Index* pieces = nullptr;
  const std::uint64_t* row = nullptr;     // [runs] shard << row_bits | row
  const Index* begin = nullptr;           // [runs + 1] into uses
  const Index* first_piece = nullptr;     // [runs] -1 = the row is not hot
  const Index* last_piece = nullptr;      // [runs]
  const Index* piece_begin = nullptr;     // [pieces] into uses
  const DeviceUse* uses = nullptr;        // [max_runs]
  const DeviceUse* piece_uses = nullptr;  // [pieces]
  int row_bits = 0;
};

class RowRuns {
 public:
  /// Takes the number of shards, the rows of the largest shard, and the floats of a gradient.
  RowRuns(Index shards, Index rows, Index dim);

  /// Sorts the uses of bags. `lanes`: the whole tree, or the lanes of the samples of some ranks.
  void order(const Device& exec, const DeviceBags& device_bags, int lane_count, Range lanes);
  /// Sorts sums over subtrees of lanes. `sums`: one list per shard.
  void order_sums(const Device& exec, std::span<const std::span<const RowUse>> sums, int lane_count, Range lanes);

  const RunArrays& arrays() const { return arrays_; }
  int lane_count() const { return lane_count_; }
  bool whole_gradients() const { return whole_gradients_; }

 private:
  void sort(const Device& exec, const DeviceVector<std::uint64_t>& keys, const DeviceUse* unsorted, Index count,
            Range lanes);

  Index dim_;
  int row_bits_, key_bits_;
  int lane_count_ = 1;
  bool whole_gradients_ = false;
  RunArrays arrays_;
  DeviceVector<std::uint64_t> keys_, sorted_, rows_;
  DeviceVector<DeviceUse> unsorted_, uses_, piece_uses_;
  DeviceVector<std::uint32_t> places_, run_of_;
  DeviceVector<Index> counts_, begins_, first_piece_, last_piece_, piece_begin_;
  Upload<std::uint64_t> sent_keys_;
  Upload<DeviceUse> sent_uses_;
  KeySort sort_;
};

}  // namespace tesserec::embedding
