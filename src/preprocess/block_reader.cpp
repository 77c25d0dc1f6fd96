// SPDX-License-Identifier: Apache-2.0
#include "block_reader.hpp"

#include <tesserec/core/error.hpp>

namespace tesserec::preprocess {

BlockReader::BlockReader(const Survey& survey, const Encoding& encoding, const RowFormat& format,
                         const ScratchFolder& scratch, const std::vector<Range>& runs)
    : survey_(survey), encoding_(encoding), format_(format), scratch_(scratch) {
  for (const Range& run : runs)
    for (Index range = run.begin; range < run.end; ++range) {
      ranges_.push_back(range);
      if (range > run.begin && is_kept(range) == is_kept(range - 1))
        runs_.back().end = range + 1;
      else
        runs_.push_back({range, range + 1});
    }
}

/// Finds the row of a fault by reading the run again, and fails. The survey counted the rows before their transforms
/// were known, so no row can be left out any more.
void BlockReader::fail_at_row(const Range& run, const std::string& fault) const {
  CheckedRows rows(survey_, format_, scratch_, run);
  for (Row row; rows.next(row);) try {
      for (std::size_t k = 0; k < row.numbers.size(); ++k) static_cast<void>(encoding_.transforms[k](row.numbers[k]));
    } catch (const UnfitNumber& unfit) {
      fail(rows.place(), ": ", unfit.what(),
           ", and correct or remove the row, which preprocess.bad_rows = \"skip\" does not leave out");
    }
  fail(fault);
}

Index BlockReader::next(EncodedBlock& block, ColumnTally& tally, PhaseProgress& progress) {
  while (rows_ != nullptr || kept_ != nullptr || next_ < runs_.size()) {
    if (rows_ == nullptr && kept_ == nullptr) {
      const Range& run = runs_[next_++];
      block.begin(survey_.own()[std::size_t(run.begin)]);
      if (is_kept(run.begin))
        kept_ = std::make_unique<KeptRows>(survey_, encoding_, run);
      else
        rows_ = std::make_unique<CheckedRows>(survey_, format_, scratch_, run);
    }
    try {
      const Index rows = kept_ != nullptr ? block.read(*kept_, tally, progress) : block.read(*rows_, tally, progress);
      if (rows > 0) return rows;
    } catch (const UnfitNumber& fault) {
      fail_at_row(runs_[next_ - 1], fault.what());
    }
    rows_.reset();
    kept_.reset();
  }
  block.clear();
  return 0;
}

}  // namespace tesserec::preprocess
