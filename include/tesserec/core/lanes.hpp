// SPDX-License-Identifier: Apache-2.0
/// Lanes: the runs of a global batch that fix the order of every addition over samples (src/core/README.md).
#pragma once

#include <span>
#include <vector>

#include <tesserec/core/index.hpp>

namespace tesserec {

/// Samples of a chunk: what one matrix product takes. A constant of the program, never tuned to a machine.
inline constexpr Index chunk_samples = 128;

/// A power of two of lanes over a batch of any size, computed in one micro-batch or several of as many lanes.
class Lanes {
 public:
  /// `count` and `micro_batches`, which is not above it, must be powers of two.
  explicit Lanes(int count, int micro_batches = 1);

  /// Returns max(min(8, p(G/64)), min(64, p(G/512))) of a global batch G; p(x): largest power of two <= x, at least 1.
  static int automatic(Index global_batch);

  int count() const { return count_; }
  int micro_batches() const { return micro_batches_; }
  /// Lanes of a micro-batch, a whole subtree: [j * count / micro_batches, (j+1) * count / micro_batches).
  Range of_micro_batch(int j) const { return of_rank(0, 1, j); }
  /// Samples of lane l in a batch of n: [l*n/lanes, (l+1)*n/lanes), possibly empty.
  Range samples(int lane, Index n) const { return {lane * n / count_, (lane + 1) * n / count_}; }
  /// Samples of a run of lanes.
  Range samples(Range lanes, Index n) const { return {lanes.begin * n / count_, lanes.end * n / count_}; }
  /// Lanes of a rank in a micro-batch: a run of whole lanes, at least one when size * micro_batches <= count.
  Range of_rank(int rank, int size, int micro_batch = 0) const {
    const Index each = count_ / micro_batches_, first = micro_batch * each;
    return {first + rank * each / size, first + (rank + 1) * each / size};
  }
  /// Their samples, in a batch of n.
  Range samples_of_rank(int rank, int size, Index n, int micro_batch = 0) const {
    return samples(of_rank(rank, size, micro_batch), n);
  }

 private:
  int count_;
  int micro_batches_;
};

/// Map from the samples of one global batch to lanes and ranks: a rank has the samples of its lanes.
class BatchSplit {
 public:
  BatchSplit() = default;
  /// Splits a micro-batch of a batch of n over `ranks` by Lanes::samples. Samples count from 0; other lanes are empty.
  BatchSplit(const Lanes& lanes, int ranks, Index n, int micro_batch = 0);
  /// Deals sizes[rank] samples evenly to each rank's lanes. Bits belong to these sizes, unless they are the law's.
  BatchSplit(const Lanes& lanes, std::span<const Index> sizes);

  int lane_count() const { return int(first_.size()) - 1; }
  int ranks() const { return int(rank_lanes_.size()) - 1; }
  Index global_size() const { return first_.back(); }
  Range lane(int l) const { return {first_[l], first_[l + 1]}; }
  Range lanes(int rank) const { return {rank_lanes_[rank], rank_lanes_[rank + 1]}; }
  Range samples(int rank) const { return {first_[rank_lanes_[rank]], first_[rank_lanes_[rank + 1]]}; }
  /// Lane that holds a sample of the global batch.
  int lane_of(Index sample) const;

 private:
  std::vector<Index> first_{0};     // sample of each lane, and the end
  std::vector<int> rank_lanes_{0};  // first lane of each rank, and the end
};

}  // namespace tesserec
