// SPDX-License-Identifier: Apache-2.0
/// Lanes: the runs of a global batch that fix the order of every addition over samples (src/core/README.md).
#pragma once

#include <span>
#include <vector>

#include <tesserec/core/index.hpp>

namespace tesserec {

/// Number of samples in a chunk, which one matrix product computes. A constant of the program, never tuned to a
/// machine.
inline constexpr Index chunk_samples = 128;

/// Partition of a batch of any size into a power of two of lanes, computed in one or more micro-batches of equally many
/// lanes.
class Lanes {
 public:
  /// Takes two powers of two, of which `micro_batches` is at most `count`.
  explicit Lanes(int count, int micro_batches = 1);

  /// Returns the default number of lanes of a global batch G: max(min(8, p(G/64)), min(64, p(G/512))). p(x) is the
  /// largest power of two <= x, at least 1.
  static int automatic(Index global_batch);

  int count() const { return count_; }
  int micro_batches() const { return micro_batches_; }
  /// Returns the lanes of a micro-batch, a whole subtree: [j * count / micro_batches, (j+1) * count / micro_batches).
  Range of_micro_batch(int j) const { return of_rank(0, 1, j); }
  /// Returns the samples of lane l in a batch of n: [l*n/count, (l+1)*n/count), possibly empty.
  Range samples(int lane, Index n) const { return {lane * n / count_, (lane + 1) * n / count_}; }
  /// Returns the samples of a run of lanes in a batch of n.
  Range samples(Range lanes, Index n) const { return {lanes.begin * n / count_, lanes.end * n / count_}; }
  /// Returns the lanes of a rank in a micro-batch: a run of whole lanes, at least one if size * micro_batches <= count.
  Range of_rank(int rank, int size, int micro_batch = 0) const {
    const Index lanes = count_ / micro_batches_, first = micro_batch * lanes;
    return {first + rank * lanes / size, first + (rank + 1) * lanes / size};
  }
  /// Returns the samples of those lanes in a batch of n.
  Range samples_of_rank(int rank, int size, Index n, int micro_batch = 0) const {
    return samples(of_rank(rank, size, micro_batch), n);
  }

 private:
  int count_;
  int micro_batches_;
};

/// Map from the samples of one global batch to lanes and ranks. A rank has the samples of its lanes.
class BatchSplit {
 public:
  BatchSplit() = default;
  /// Splits a micro-batch of a batch of n samples over `ranks` by Lanes::samples. Samples count from the first one of
  /// the micro-batch; lanes of other micro-batches are empty.
  BatchSplit(const Lanes& lanes, int ranks, Index n, int micro_batch = 0);
  /// Splits sizes[rank] samples evenly over each rank's lanes. The bits of results depend on the sizes, unless the
  /// sizes are those of Lanes::samples.
  BatchSplit(const Lanes& lanes, std::span<const Index> sizes);

  /// Returns the split among some ranks, which then count from 0. Samples and lanes keep their numbers.
  BatchSplit of_ranks(Range ranks) const;

  int lane_count() const { return int(first_.size()) - 1; }
  int ranks() const { return int(rank_lanes_.size()) - 1; }
  Index global_size() const { return first_.back(); }
  Range lane(int l) const { return {first_[l], first_[l + 1]}; }
  Range lanes(int rank) const { return {rank_lanes_[rank], rank_lanes_[rank + 1]}; }
  /// Returns the lanes of all ranks of the split.
  Range lanes() const { return {rank_lanes_.front(), rank_lanes_.back()}; }
  Range samples(int rank) const { return {first_[rank_lanes_[rank]], first_[rank_lanes_[rank + 1]]}; }
  /// Returns the lane that holds a sample.
  int lane_of(Index sample) const;

 private:
  std::vector<Index> first_{0};     // first sample of each lane, and the end
  std::vector<int> rank_lanes_{0};  // first lane of each rank, and the end
};

}  // namespace tesserec
