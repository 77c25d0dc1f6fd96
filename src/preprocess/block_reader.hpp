// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "encoded_block.hpp"

namespace tesserec::preprocess {

/// Reader of those of this rank's ranges that are still to be written, block by block.
class BlockReader {
 public:
  /// Takes the survey, the encoding, the format and the folder with the survey's work, which must outlive this object,
  /// and runs of the rank's ranges, in order.
  BlockReader(const Survey& survey, const Encoding& encoding, const RowFormat& format, const ScratchFolder& scratch,
              const std::vector<Range>& runs);

  /// Reads the next rows into the block. Returns their number, 0 at the end of all runs. Throws Error, naming the row,
  /// if a number does not fit a float after its transform.
  Index next(EncodedBlock& block, ColumnTally& tally, PhaseProgress& progress);

  /// Calls take(range) for each range, once, whose rows were all in blocks so far.
  template <class Take>
  void for_each_done(const Take& take) {
    Index end = runs_end();
    if (rows_ != nullptr) end = rows_->range();
    if (kept_ != nullptr) end = kept_->range();
    for (; done_ < ranges_.size() && ranges_[done_] < end; ++done_) take(ranges_[done_]);
  }

 private:
  [[noreturn]] void fail_at_row(const Range& run, const std::string& fault) const;
  Index runs_end() const { return next_ == 0 ? 0 : runs_[next_ - 1].end; }

  bool is_kept(Index range) const { return !survey_.own()[std::size_t(range)].kept.empty(); }

  const Survey& survey_;
  const Encoding& encoding_;
  const RowFormat& format_;
  const ScratchFolder& scratch_;
  std::vector<Range> runs_;            ///< runs of ranges whose rows are all kept, or are all read from the text
  std::vector<Index> ranges_;          ///< ranges of all runs
  std::size_t next_ = 0;               ///< runs that are begun
  std::size_t done_ = 0;               ///< ranges that for_each_done() has taken
  std::unique_ptr<CheckedRows> rows_;  ///< reader of the run's text; null if it has ended or its rows are kept
  std::unique_ptr<KeptRows> kept_;     ///< reader of the run's kept rows, else null
};

}  // namespace tesserec::preprocess
