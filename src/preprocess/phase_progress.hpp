// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "raw_files.hpp"
#include <tesserec/comm/communicator.hpp>
#include <tesserec/core/timer.hpp>

namespace tesserec::preprocess {

/// Progress of a reading of raw text, which rank 0 shows: "reading train: 45 %, 1.2 M rows/s, 310 MiB/s, 40 s to go".
/// Rates are those of rank 0 by its share of the text.
class PhaseProgress {
 public:
  /// Takes the `ranges` that this rank reads. Collective.
  PhaseProgress(const comm::Communicator& comm, std::string name, std::span<const RawFile> files,
                std::span<const FileRange> ranges);
  /// Counts a row of range number `range`, which begins in the block `block` of the text.
  void row(std::size_t range, Index block) { rows(range, block, 1); }
  /// Counts rows, of which the last one begins there.
  void rows(std::size_t range, Index block, Index count) {
    const Index before = std::exchange(rows_, rows_ + count);
    if ((before ^ rows_) >= 4096) show(range, block);
  }
  /// Shows the whole, if it took long.
  void finish();

 private:
  void show(std::size_t range, Index block);

  std::string name_;
  std::span<const RawFile> files_;
  std::span<const FileRange> ranges_;
  std::vector<double> before_;  ///< bytes of the ranges before each range, and of all
  double shares_ = 1;           ///< text of all ranks by that of this rank
  bool shown_;
  Index rows_ = 0;
  Timer timer_;
  double last_ = 0;  ///< seconds of the last line
};

}  // namespace tesserec::preprocess
