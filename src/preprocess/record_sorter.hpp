// SPDX-License-Identifier: Apache-2.0
/// Sort of records that may be larger than memory.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <tesserec/core/index.hpp>

namespace tesserec::preprocess {

/// Record, valid until the next one is read.
struct SortedRecord {
  std::string_view key, value;
};

/// Sorter of records by their keys, compared as bytes. Records beyond the memory go to sorted runs in scratch files,
/// which the destructor removes. Records with equal keys keep no order, so keys should differ.
class RecordSorter {
 public:
  /// `scratch`: path of the scratch files, to which a number and ".tmp" are appended. `memory`: bytes of records kept
  /// in memory.
  RecordSorter(std::string scratch, Index memory);
  ~RecordSorter();
  RecordSorter(const RecordSorter&) = delete;
  RecordSorter& operator=(const RecordSorter&) = delete;

  void add(std::string_view key, std::string_view value);
  /// Ends adding. Later calls of next() give the records in ascending order.
  void sort();
  /// Reads the next record. Returns false behind the last one.
  bool next(SortedRecord& record);
  /// Begins again with the first record.
  void rewind();
  /// Returns the bytes of scratch files.
  Index scratch_bytes() const { return scratch_bytes_; }

 private:
  class ScratchRun;
  class RunWriter;
  struct SorterEntry {
    std::size_t at;
    std::uint32_t key, value;  ///< bytes
  };
  SortedRecord record_of(const SorterEntry& entry) const;
  void sort_memory();
  RunWriter new_run();
  void spill();
  void open_runs(std::size_t count);
  void merge_runs();

  std::string scratch_;
  std::size_t memory_;
  std::string bytes_;                              ///< records in memory, key before value
  std::vector<SorterEntry> entries_;               ///< records in memory
  std::size_t position_ = 0;                       ///< next record in memory
  std::vector<std::string> files_;                 ///< scratch files, each with a sorted run
  std::size_t created_ = 0;                        ///< scratch files so far
  std::vector<std::unique_ptr<ScratchRun>> runs_;  ///< readers of scratch files
  std::vector<std::size_t> heap_;                  ///< runs with records, that of the smallest key in front
  bool popped_ = false;                            ///< true if the front run's record has been given
  Index scratch_bytes_ = 0;
};

}  // namespace tesserec::preprocess
