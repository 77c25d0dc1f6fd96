// SPDX-License-Identifier: Apache-2.0
#include "block_reader.hpp"

#include <utility>

namespace tesserec::preprocess {

BlockReader::BlockReader(const Survey& survey, const RowFormat& format, const ScratchFolder& scratch,
                         std::vector<Range> runs)
    : survey_(survey), format_(format), scratch_(scratch), runs_(std::move(runs)) {
  for (const Range& run : runs_)
    for (Index range = run.begin; range < run.end; ++range) ranges_.push_back(range);
}

Index BlockReader::next(EncodedBlock& block, ColumnTally& tally, PhaseProgress& progress) {
  while (rows_ != nullptr || next_ < runs_.size()) {
    if (rows_ == nullptr) {
      const Range& run = runs_[next_++];
      block.begin(survey_.own()[std::size_t(run.begin)]);
      rows_ = std::make_unique<CheckedRows>(survey_, format_, scratch_, run);
    }
    if (const Index rows = block.read(*rows_, tally, progress); rows > 0) return rows;
    rows_.reset();
  }
  block.clear();
  return 0;
}

}  // namespace tesserec::preprocess
