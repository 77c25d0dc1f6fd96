// SPDX-License-Identifier: Apache-2.0
/// The uses of rows by a batch, sorted by row, for updates without a host that knows how many rows there are.
#pragma once

#include <span>

#include "device_bags.hpp"
#include "sort_keys.hpp"

namespace tesserec::embedding {

/// One use of a row: where its gradient is, its weight, its lane, and the height at which the next use's lane meets it:
/// 0 is the same lane, last_leaf the row's last or, of one rank's share of a row, that of a whole subtree.
struct alignas(16) DeviceUse {
  Index gradient;
  float weight;
  std::uint32_t bits;
  TESSEREC_FUNCTION static DeviceUse of(Index gradient, float weight, int lane, bool sums, int height) {
    return {gradient, weight, std::uint32_t(lane) << 7 | std::uint32_t(sums) << 6 | std::uint32_t(height)};
  }
  TESSEREC_FUNCTION int lane() const { return int(bits >> 7); }
  TESSEREC_FUNCTION bool sums() const { return bits >> 6 & 1; }  ///< a subtree's, which enters as it is
  TESSEREC_FUNCTION int height() const { return int(bits & 63); }
};

/// Runs of uses, each a row or a rank's subtree of it. If a row has more than `hot` uses, pieces stand for them.
struct RunArrays {
  Index most = 0, most_pieces = 0;  // of runs and pieces; *runs and *pieces tell
  const Index* runs = nullptr;
  const Index* pieces = nullptr;
  const std::uint64_t* row = nullptr;     // [runs] shard << row_bits | row
  const Index* begin = nullptr;           // [runs + 1] of uses
  const Index* first_piece = nullptr;     // [runs]; -1: no hot row
  const Index* last_piece = nullptr;      // [runs]
  const Index* piece_begin = nullptr;     // [pieces] of uses
  const DeviceUse* uses = nullptr;        // [most]
  const DeviceUse* piece_uses = nullptr;  // [pieces]
  int row_bits = 0;
};

class RowRuns {
 public:
  /// `rows`: of the largest of the shards; `dim`: floats of a gradient.
  RowRuns(Index shards, Index rows, Index dim);

  /// Sorts uses from bags; `lanes` = the whole tree, or one rank's.
  void order(const Device& exec, const DeviceBags& of, int lane_count, Range lanes);
  /// Sorts sums over subtrees of lanes, of each shard.
  void order_sums(const Device& exec, std::span<const std::span<const RowUse>> sums, int lane_count);

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
