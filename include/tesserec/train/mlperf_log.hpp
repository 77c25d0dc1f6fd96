// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include <tesserec/core/json.hpp>
#include <tesserec/data/source.hpp>
#include <tesserec/store/disk.hpp>
#include <tesserec/train/job.hpp>
#include <tesserec/train/observer.hpp>

namespace tesserec::train {

/// run.mlperf_log: the lines that MLPerf Training's checker and summarizer read (mlcommons/logging), ":::MLLOG " and an
/// object with the time in milliseconds since 1970. On rank 0; without a path every call does nothing.
class MlperfLog final : public Observer {
 public:
  /// Initialization begins. An empty path: no log. The data, those of the evaluation may be null, must outlive the log.
  MlperfLog(const std::string& path, const data::SourceInfo& data, const data::SourceInfo* evaluation);

  /// Writes what is known before the first step, and that it begins now. A run that goes on keeps the lines of the run
  /// before, and appends; else the file is new. Writes nothing of a run that is over. Error: it cannot be written.
  void begins(Training& training) override;
  void steps(Training& training) override;
  void stepped(Training& training) override;
  void evaluates(Training& training) override;
  void evaluated(Training& training, const metrics::BinaryMetrics& metrics) override;
  /// Writes the last line, unless a signal ended the run.
  void ends(Training& training, TrainResult& result) override;

 private:
  void describe(const Job& job);
  Json position(const Training& training) const;
  void start(const std::string& key, const Training& training);
  void stop(const std::string& key, const Training& training);
  void point(const std::string& key, Json value) { line("POINT_IN_TIME", key, std::move(value), Json::object()); }
  void line(const char* event, const std::string& key, Json value, const Json& metadata);
  void write();

  std::string path_, lines_;  // not written yet
  const data::SourceInfo& data_;
  const data::SourceInfo* evaluation_;
  bool evaluates_ = false;  // an evaluation has begun and not ended
  std::optional<store::Descriptor> file_;
};

}  // namespace tesserec::train
