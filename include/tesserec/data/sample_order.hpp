// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <tesserec/data/source.hpp>

namespace tesserec::data {

/// Samples of a block: the unit that stays together when an epoch is shuffled, and that one read of a file takes.
inline constexpr Index order_block = 8192;
/// Samples of a window: the unit that is read at once and permuted.
inline constexpr Index order_window = 4 * order_block;

/// Order of an epoch's samples, each exactly once. It is a pure function of (samples, seed, epoch, lanes, batch size,
/// shuffle), the same for any number of ranks.
///
/// Shuffled: blocks in an order permuted by (seed, epoch) form one sequence. Each lane takes a contiguous slice of it,
/// as long as the lane's samples of the epoch. Windows of a slice are permuted by (seed, epoch, lane, window). Batch k
/// takes the next run of every lane, in lane order.
///
/// File order: batch k is samples [k*G, k*G + n). Micro-batches, m to a batch, keep the order of their batches' lanes.
/// "Batch" k below is micro-batch k mod m of batch k / m.
///
/// A rank reads one stream per lane (shuffled) or a single stream (file order), whose positions are cut into windows. A
/// batch needs only the windows that hold its samples.
class SampleOrder {
 public:
  /// Takes the streams of `deal.rank` and starts epoch 0.
  SampleOrder(Index samples, const Deal& deal);

  /// Draws the order of an epoch, from 0. Takes O(samples / order_block) time and memory.
  void start(Index epoch);

  int micro_batches() const { return deal_.lanes.micro_batches(); }
  int micro_batch(Index batch) const { return int(batch % micro_batches()); }
  Index batches() const { return micro_batches() * deal_.batches(samples_); }
  /// Returns the samples of all ranks in all micro-batches of the global batch to which batch k belongs.
  Index batch_samples(Index batch) const { return deal_.batch_samples(samples_, batch / micro_batches()); }
  /// Returns the samples of this rank in batch k.
  Index local_samples(Index batch) const;

  int streams() const { return int(streams_.size()); }
  /// Returns the positions of batch k in a stream.
  Range positions(int stream, Index batch) const;
  /// Returns the positions of a window in a stream.
  Range window(int stream, Index window) const;
  /// Returns the samples of a window as runs of the dataset, before the window is permuted.
  std::vector<Range> runs(int stream, Index window) const;
  /// Returns the permutation of a window. Entry i is the index, in the window's concatenated runs, of the sample at the
  /// window's position i.
  std::vector<std::uint16_t> permutation(int stream, Index window) const;

  /// Returns this rank's samples of batch k, in lane order. Caches the last window of each stream. The next call
  /// overwrites the result.
  const std::vector<Index>& batch(Index batch);

 private:
  struct Stream {
    Index lane = 0;       ///< shuffled
    int micro_batch = 0;  ///< shuffled: micro-batch that has the lane
    Index first = 0;      ///< shuffled: start of the slice in the sequence of blocks
    Index size = 0;       ///< samples of the epoch
    Index per_batch = 0;  ///< samples of a whole batch, all micro-batches together
    Index window = -1;    ///< window that `samples` holds
    std::vector<Index> samples;
  };

  /// Samples of this rank in a global batch of n.
  Range share(Index n, int micro_batch) const {
    return deal_.lanes.samples_of_rank(deal_.rank, deal_.ranks, n, micro_batch);
  }
  void add_sequence(Range range, std::vector<Range>& runs) const;
  void add_batches(Range range, std::vector<Range>& runs) const;

  Index samples_;
  Deal deal_;
  Index epoch_ = 0;
  std::vector<Stream> streams_;
  std::vector<Index> blocks_;  ///< shuffled: block at each place of the sequence
  Index short_place_ = 0;      ///< place of the last block of the dataset, the only one that may be short
  std::vector<Index> batch_;
};

}  // namespace tesserec::data
