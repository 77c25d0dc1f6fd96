// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tesserec/core/index.hpp>
#include <tesserec/store/disk.hpp>

namespace tesserec::train {

/// metrics.jsonl in the run's folder: one JSON object a line (docs/formats.md). Written by rank 0, line by line.
class MetricsLog {
 public:
  /// Continues the file after `step`: lines of later steps, left by a run that was killed, are dropped. So is the
  /// evaluation of step `last`: it comes after that step's checkpoint, so a resumed run makes it again.
  MetricsLog(const std::string& folder, Index step, Index last);
  /// Appends {"step": s, "kind": "train" | "evaluate", name: value, ..., "time": seconds since 1970, UTC}; what is not
  /// finite is null. Error when the line cannot be written.
  void write(Index step, const std::string& kind, const std::vector<std::pair<std::string, double>>& values);

  /// True if the file had no evaluation of the step that it was continued after.
  bool lacks_evaluation() const { return !evaluated_; }

  /// Waits until all lines are on the disk.
  void sync() const;
  /// The last call: sync(), and an Error where the file system finds only now that a line was lost.
  void close();

 private:
  std::string path_;
  bool evaluated_ = false;
  std::optional<store::Descriptor> file_;
};

}  // namespace tesserec::train
