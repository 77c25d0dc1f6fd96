// SPDX-License-Identifier: Apache-2.0
/// Sequences of [[preprocess.sequence]]: the last items of a row's user before the row.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "raw_files.hpp"
#include "record_sorter.hpp"
#include <tesserec/comm/communicator.hpp>
#include <tesserec/preprocess/report.hpp>
#include <tesserec/preprocess/settings.hpp>
#include <tesserec/raw/row_format.hpp>

namespace tesserec::preprocess {

/// Sequences of the records of a rank's ranges of some files, in the order of the records.
class RecordSequences {
 public:
  /// `sequences`: number of sequences of a row. `scratch`, `memory`: as of RecordSorter.
  RecordSequences(std::size_t sequences, std::string scratch, Index memory);

  /// Adds the items of a sequence of a record, as packed by find_sequences().
  void add(Index record, std::size_t sequence, std::string_view items);
  /// Ends adding.
  void sort() { sorter_.sort(); }
  /// Begins again with the first record.
  void rewind();
  /// Appends the sequences of a record to a row, as its next features. Records ascend from call to call.
  void append(Index record, Row& row);

 private:
  std::size_t sequences_;
  RecordSorter sorter_;
  SortedRecord next_;
  bool has_next_ = false;
  std::vector<std::string> items_;  ///< packed items of the row's sequences
};

/// Raw files of one dataset, as find_sequences() reads them.
struct SequenceFiles {
  const std::vector<RawFile>* files;
  Targets targets;
};

/// Counts of find_sequences().
struct SequenceCounts {
  std::vector<Index> untimed;       ///< rows of all files without a user or a time, of each sequence
  std::vector<FileReport> history;  ///< rows of the files that are only read for sequences
};

/// Reads all files of a command and finds the sequences of their rows by user and time, rows of one time in the order
/// of the files. The first set gives items alone, and gets no sequences: nobody else reads these files, so that their
/// faults are those of a survey(). Rows without a user or a time have empty sequences and are in none. Returns an
/// object for each dataset. Records beyond the memory go to files "*.tmp" in `folder`, which the objects remove.
/// Collective.
std::vector<std::unique_ptr<RecordSequences>> find_sequences(const comm::Communicator& comm,
                                                             const std::vector<SequenceFiles>& sets,
                                                             const RowFormat& format, const Settings& settings,
                                                             const std::string& folder, SequenceCounts& counts);

/// Throws Error if one file is in two lists of a command with sequences: each of its rows would have its own item.
void require_apart(const Settings& settings);

}  // namespace tesserec::preprocess
