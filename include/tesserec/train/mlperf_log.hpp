// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include <tesserec/core/json.hpp>
#include <tesserec/data/source.hpp>
#include <tesserec/store/disk.hpp>
#include <tesserec/train/job.hpp>

namespace tesserec::train {

/// run.mlperf_log: the lines that MLPerf Training's checker and summarizer read (mlcommons/logging), ":::MLLOG " and an
/// object with the time in milliseconds since 1970. On rank 0; without a path every call does nothing.
class MlperfLog {
 public:
  /// Initialization begins. An empty path: no log.
  explicit MlperfLog(const std::string& path);
  /// Writes what is known before the first step, and that it begins now. A run that goes on after `done` samples keeps
  /// the lines of the run before, and appends; else the file is new. Error: it cannot be written.
  void begin(const Job& job, const data::SourceInfo& data, const data::SourceInfo* evaluation, Index done);
  /// Whole epochs done are `epochs`, a fraction where one is under way.
  struct At {
    double epochs = 0;
    Index samples = 0;
  };
  void start(const std::string& key, const At& at) { line("INTERVAL_START", key, {}, position(at)); }
  void stop(const std::string& key, const At& at) { line("INTERVAL_END", key, {}, position(at)); }
  void accuracy(double auc, const At& at);
  /// The last line. `success`: what was asked for was reached.
  void end(bool success, const At& at);

 private:
  static Json position(const At& at);
  void point(const std::string& key, Json value) { line("POINT_IN_TIME", key, std::move(value), Json::object()); }
  void line(const char* event, const std::string& key, Json value, const Json& metadata);
  void write();

  std::string path_, lines_;  // not written yet
  std::optional<store::Descriptor> file_;
};

}  // namespace tesserec::train
