// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tesserec/core/index.hpp>
#include <tesserec/store/disk.hpp>
#include <tesserec/train/train_result.hpp>

namespace tesserec::train {

/// The file metrics.jsonl in the run's folder, with one JSON object per line (docs/formats.md). Rank 0 writes it line
/// by line.
class MetricsLog {
 public:
  /// Continues the file after `step`. Drops the lines of later steps, which a killed run left, the evaluation of step
  /// `last`, and that of the window whose first batch is next. These follow the step's checkpoint, so a resumed run
  /// makes them again.
  MetricsLog(const std::string& folder, Index step, Index last);
  /// Appends {"step": s, "kind": "train" | "evaluate" | "window", name: value, ..., "time": seconds since 1970, UTC}.
  /// Writes numbers that are not finite as null. Throws Error if the line cannot be written.
  void write(Index step, const std::string& kind, const std::vector<std::pair<std::string, double>>& values);

  /// Returns whether the file had no evaluation of the step after which it was continued.
  bool lacks_evaluation() const { return !evaluated_; }

  /// Returns the means of the window lines from step `begun` on. A window counts with its samples; metrics that are not
  /// finite do not count.
  WindowMeans window_means(Index begun, const std::vector<std::string>& metrics) const;

  /// Blocks until all lines are on the disk.
  void sync() const;
  /// Syncs and closes the file. Throws Error if the file system reports only now that a line was lost. No call may
  /// follow.
  void close();

 private:
  std::string path_;
  bool evaluated_ = false;
  std::optional<store::Descriptor> file_;
};

}  // namespace tesserec::train
