// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <tesserec/data/source.hpp>

namespace tesserec::data {

/// Samples of a block: what stays together when the order of an epoch is drawn, and one read of a file.
inline constexpr Index order_block = 8192;
/// Samples of a window: what is read at once and drawn from without putting back.
inline constexpr Index order_window = 4 * order_block;

/// Order of an epoch's samples, each exactly once: a pure function of (samples, seed, epoch, lanes, batch size,
/// shuffle), the same for any number of ranks.
///
/// Shuffled: blocks in an order permuted by (seed, epoch) form one sequence, of which each lane takes a contiguous
/// slice, as long as its samples of the epoch. Windows of a slice are permuted by (seed, epoch, lane, window). Batch k
/// takes the next run of every lane, in lane order. File order: batch k is samples [k*G, k*G + n). Micro-batches, m to
/// a batch, keep the order of their batches' lanes: "batch" k below is micro-batch k mod m of batch k / m.
///
/// A rank reads one stream a lane (shuffled) or one in all (file order): positions cut into windows. A batch needs only
/// the windows that hold it.
class SampleOrder {
 public:
  /// The lanes of `deal.rank` alone.
  SampleOrder(Index samples, const Deal& deal);

  /// Draws the order of an epoch, from 0: O(samples / order_block).
  void start(Index epoch);

  int micro_batches() const { return deal_.lanes.micro_batches(); }
  int micro_batch(Index batch) const { return int(batch % micro_batches()); }
  Index batches() const { return micro_batches() * deal_.batches(samples_); }
  /// Samples of all ranks in all micro-batches beside batch k, and of this rank in batch k.
  Index batch_samples(Index batch) const { return deal_.batch_samples(samples_, batch / micro_batches()); }
  Index local_samples(Index batch) const;

  int streams() const { return int(streams_.size()); }
  /// Positions of batch k in a stream.
  Range positions(int stream, Index batch) const;
  /// Positions of a window in a stream.
  Range window(int stream, Index window) const;
  /// The samples of a window as runs of the data set, before the window is permuted.
  std::vector<Range> runs(int stream, Index window) const;
  /// Entry i: which sample of the window's runs, one after the other, stands at the window's position i.
  std::vector<std::uint16_t> permutation(int stream, Index window) const;

  /// This rank's samples of batch k, in lane order. Keeps the last window of each stream at hand.
  const std::vector<Index>& batch(Index batch);

 private:
  struct Stream {
    Index lane = 0;       ///< shuffled
    int micro_batch = 0;  ///< shuffled: that has the lane
    Index first = 0;      ///< shuffled: start of the slice in the sequence of blocks
    Index size = 0;       ///< samples of the epoch
    Index per_batch = 0;  ///< of a whole batch, all micro-batches together
    Index window = -1;    ///< what `samples` holds
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
  Index short_place_ = 0;      ///< place of the last block of the data set, the only one that may be short
  std::vector<Index> batch_;
};

}  // namespace tesserec::data
