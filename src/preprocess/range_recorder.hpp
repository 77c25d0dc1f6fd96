// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kept_rows.hpp"
#include "scratch_folder.hpp"
#include "text_ranges.hpp"
#include "token_batch.hpp"
#include <tesserec/core/timer.hpp>
#include <tesserec/preprocess/settings.hpp>
#include <tesserec/raw/transforms.hpp>

namespace tesserec::preprocess {

/// Records of a first reading besides the counts of its ranges.
struct Recording {
  bool tokens = false;         ///< whether tokens are counted and numbers measured
  bool rows = false;           ///< whether rows are kept, too; only if keeps_rows()
  KeptMemory* kept = nullptr;  ///< memory for the first of them, which must outlive the recorder; null without rows
};

/// Columns of which each row is recorded.
struct RecordedColumns {
  std::vector<std::size_t> measured;  ///< numbers whose moments are measured
  std::vector<std::size_t> bags;      ///< features that have any number of values
};

/// Recorder of a rank's first reading: counts of the ranges, tokens, moments and rows. It seals what it has on scratch
/// files when the tokens fill their memory, and about every half minute, or less often in a long reading.
class RangeRecorder {
 public:
  /// Takes the objects of a survey, which must outlive this one. `name`: beginning of the scratch files' names.
  /// `memory`: memory of this rank, bytes.
  RangeRecorder(const ScratchFolder& scratch, std::string name, const RowLayout& layout, const Recording& what,
                Index memory);

  /// Begins a range. Rows are then those of the range until end().
  void begin(const FileRange& range);
  /// Counts a row, which begins in block `text_block` of the text.
  void add(const Row& row, Targets targets, Index text_block);
  /// Ends the range and takes its counts.
  void end(const RangeCount& count);
  /// Seals what is not sealed yet.
  void finish();

  /// Returns the scratch files that were sealed, with the packed ranges of each.
  const std::vector<ScratchFolder::Sealed>& sealed() const { return sealed_; }

 private:
  void count_tokens(const Row& row);
  void count_waiting();
  void measure(const Row& row, Index text_block);
  ScratchWriter& file();
  void write_tokens();
  void write_moments();
  void keep_rows();

  const ScratchFolder& scratch_;
  std::string name_;
  const RowLayout& layout_;
  Recording what_;
  Index memory_;  ///< memory of this rank, bytes
  RecordedColumns columns_;
  std::vector<TokenCounts> tokens_;  ///< counts since the last run [F]; empty unless tokens are counted
  WaitingRows waiting_;              ///< values of the last rows, which are not counted yet
  TextRange range_;                  ///< range that is being read
  Index block_ = -1;                 ///< text block of its last row
  std::vector<Moments> blocks_;      ///< moments of its blocks [blocks, measured] row-major
  Index rows_ = 0;                   ///< rows since the memory was looked at
  ReadRanges read_;                  ///< ranges and runs that are not sealed yet
  std::unique_ptr<ScratchWriter> file_;
  std::unique_ptr<KeptWriter> kept_;  ///< rows of the ranges of file_; null unless rows are kept
  std::vector<ScratchFolder::Sealed> sealed_;
  Timer all_;    ///< time since the first row
  Timer timer_;  ///< time since the last seal
};

}  // namespace tesserec::preprocess
