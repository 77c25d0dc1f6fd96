// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <tesserec/comm/communicator.hpp>
#include <tesserec/core/index.hpp>

namespace tesserec::preprocess {

/// Evaluation rows among the records, good or bad, of raw files. A record is known by its file, the block of text or
/// the row group in which it begins, and its number in this block, so that ranges of any cut find it.
class SplitRecords {
 public:
  /// Takes note of the record of a row, the number `in_block` of its block, which comes after those added so far.
  void add(Index file, Index block, Index in_block, Index record);
  /// Makes a record that was added an evaluation row.
  void mark(Index record) { evaluates_[std::size_t(record)] = true; }
  /// Returns the number of evaluation rows of this rank.
  Index marked() const;
  /// Appends the records of all ranks, in rank order; they are the same on every rank then. Collective.
  void gather(const comm::Communicator& comm);

  /// Returns the number of a block's first record, or -1 if no row begins in the block.
  Index first(Index file, Index block) const;
  bool evaluates(Index record) const {
    return record >= 0 && record < std::ssize(evaluates_) && evaluates_[std::size_t(record)];
  }

 private:
  struct FirstRecord {
    Index file, block;
    Index first;  ///< number of the block's first record
  };
  std::vector<FirstRecord> blocks_;  ///< blocks with a row, in the order of the text
  std::vector<bool> evaluates_;
};

class RecordSequences;

/// Side of a split, all records or its training or evaluation rows, and the sequences of the records.
struct SplitSide {
  const SplitRecords* records = nullptr;  ///< null = no records are left out
  bool evaluation = false;                ///< true for the evaluation rows
  RecordSequences* sequences = nullptr;   ///< appended to each row of this rank's share of the text; null = none

  /// Returns whether bad rows are counted, which both sides meet.
  bool counts_bad_rows() const { return records == nullptr || !evaluation; }
};

/// Counter of a stream's records, good or bad, of which it takes those of one side.
class RecordCounter {
 public:
  explicit RecordCounter(SplitSide side) : side_(side) {}

  /// Counts a record that begins in a block of a file. Returns whether it is taken. A record that the split has not
  /// seen is a training row.
  bool take(Index file, Index block);
  /// Returns the number of the last record among all, and in its block.
  Index number() const { return number_; }
  Index in_block() const { return in_block_; }
  const SplitSide& side() const { return side_; }

 private:
  SplitSide side_;
  Index number_ = -1, file_ = -1, block_ = -1, in_block_ = -1;
  Index first_ = -1;  ///< number of the block's first record in the split
};

}  // namespace tesserec::preprocess
