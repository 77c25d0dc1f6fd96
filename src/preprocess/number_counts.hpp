// SPDX-License-Identifier: Apache-2.0
/// Counts of numbers by value, of which any number may be beyond memory.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "scratch_file.hpp"
#include <tesserec/core/index.hpp>

namespace tesserec::preprocess {

/// Returns a key whose order is that of finite numbers; -0 and 0 have the same.
std::uint64_t number_key(double number);
/// Returns the number of a key.
double key_number(std::uint64_t key);

/// Counts of the numbers of one column that a rank read. Numbers beyond the memory go to sorted runs on a scratch file.
class NumberCounts {
 public:
  /// `scratch`: path of the scratch file. `memory`: bytes of counts kept in memory, about; at least 64 KiB are used.
  NumberCounts(std::string scratch, Index memory);

  void add(double number) {
    if (std::ssize(counts_) >= limit_) compact();
    counts_.push_back({number_key(number), 1});
  }
  /// Ends adding. The functions below may be called then.
  void finish();

  /// Returns how many numbers were added.
  Index size() const { return size_; }
  /// Returns how many numbers have a key below `key`. Ascending keys in a row read each piece of the file once.
  Index below(std::uint64_t key);
  /// Returns the different keys, ascending, or nothing if they are more than `most` or on the scratch file.
  std::vector<std::uint64_t> keys(Index most) const;

 private:
  /// Key and how many numbers have it, after finish() how many have a smaller one.
  struct KeyCount {
    std::uint64_t key;
    Index count;
  };
  /// Sorted counts on the scratch file.
  struct NumberRun {
    std::vector<ScratchPiece> pieces;
    std::vector<KeyCount> first;  ///< first entry of each piece
  };
  class RunCursor;

  static std::vector<KeyCount> read_piece(const ScratchReader& file, const NumberRun& run, std::size_t piece);
  static Index below(std::span<const KeyCount> counts, std::uint64_t key, Index all);
  static NumberRun merge(const ScratchReader& from, std::span<const NumberRun> runs, bool cumulative,
                         ScratchWriter& file);
  static void append_piece(std::vector<KeyCount>& counts, ScratchWriter& file, NumberRun& run);
  void merge_runs();
  void sort();
  void compact();
  void spill();

  std::string path_;
  Index most_;                    ///< counts in memory, at most
  Index limit_;                   ///< counts in memory from which equal keys are added up
  std::vector<KeyCount> counts_;  ///< counts in memory
  std::unique_ptr<ScratchWriter> file_;
  std::vector<NumberRun> runs_;            ///< runs on the scratch file; after finish() at most one
  std::unique_ptr<ScratchReader> merged_;  ///< file of the run, after finish()
  std::vector<KeyCount> read_;             ///< entries of the piece that was read last
  std::size_t read_number_ = 0;            ///< its number; valid unless `read_` is empty
  Index size_ = 0;
};

}  // namespace tesserec::preprocess
