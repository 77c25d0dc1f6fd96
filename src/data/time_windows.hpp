// SPDX-License-Identifier: Apache-2.0
/// Windows of the training samples in the order of time.
#pragma once

#include <string>
#include <vector>

#include <tesserec/data/dataset.hpp>

namespace tesserec::data {

/// Samples of each window of a dataset. A window of a span of time has the samples of that span, in file order; spans
/// of "1 day" begin at midnight UTC, as all spans begin at multiples of their width since 1970. A window of a file has
/// the file's samples. Windows without samples are left out.
class TimeWindows {
 public:
  /// A dataset without windows.
  TimeWindows() = default;
  /// Finds the windows of `window`, a value of data.window. Reads all times, 8 bytes per sample, if they are spans.
  /// Holds 24 bytes per run of consecutive samples of one window. Throws Error, with sample and file, if a sample has
  /// no time or a file stores none. Call after all ranks have verified their parts.
  TimeWindows(const Dataset& dataset, const std::string& window);

  /// Returns the windows, in the order of time or of the files.
  const std::vector<TimeWindow>& all() const { return windows_; }
  /// Returns the runs of the dataset that lie at positions of a window. `positions` lie inside of it.
  std::vector<Range> runs(Index window, const std::vector<Range>& positions) const;
  /// Returns a line for the log: number, width and span of the windows, those left out, and runs that are read apart.
  std::string description(Index batch_size) const;

 private:
  /// Consecutive samples of a window.
  struct WindowRun {
    Index at;  ///< position of the first sample in the window
    Range samples;
  };
  void add_files(const Dataset& dataset);
  void add_spans(const Dataset& dataset, Index width);

  std::string width_;  ///< data.window
  std::vector<TimeWindow> windows_;
  std::vector<std::vector<WindowRun>> runs_;  ///< runs of each window, in file order
  Index left_out_ = 0;                        ///< spans or files without samples, between the first and the last window
};

}  // namespace tesserec::data
