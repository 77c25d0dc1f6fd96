// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <tesserec/core/kokkos.hpp>

namespace tesserec::train {

/// metrics.jsonl in the run's folder: one JSON object a line (docs/formats.md). Written by rank 0, flushed line by
/// line.
class MetricsLog {
 public:
  /// Continues the file after `step`: lines of later steps, left by a run that was killed, are dropped. So is the
  /// evaluation of step `last`: it comes after that step's checkpoint, so a resumed run makes it again.
  MetricsLog(const std::string& folder, Index step, Index last);
  ~MetricsLog();
  MetricsLog(const MetricsLog&) = delete;
  MetricsLog& operator=(const MetricsLog&) = delete;

  /// Appends {"step": s, "kind": "train" | "evaluate", name: value, ...}; what is not finite is null.
  void write(Index step, const std::string& kind, const std::vector<std::pair<std::string, double>>& values);

 private:
  std::string path_;
  std::FILE* file_ = nullptr;
};

}  // namespace tesserec::train
