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

/// Log of run.mlperf_log: lines that MLPerf Training's checker and summarizer read (mlcommons/logging). A line is
/// ":::MLLOG " and an object with the time in milliseconds since 1970. Rank 0 writes it. Without a path every call does
/// nothing.
class MlperfLog final : public Observer {
 public:
  /// Records that initialization begins. An empty path means no log. `data` and, unless null, `evaluation` must outlive
  /// the log.
  MlperfLog(const std::string& path, const data::SourceInfo& data, const data::SourceInfo* evaluation);

  /// Writes the facts known before the first step, and that the run begins now. A resumed run keeps the lines of the
  /// previous run and appends; another run begins a new file. Writes nothing if the run is over. Throws Error if the
  /// file cannot be written.
  void begins(Training& training) override;
  void steps(Training& training) override;
  void stepped(Training& training) override;
  void evaluates(Training& training) override;
  void evaluated(Training& training, const metrics::BinaryMetrics& metrics) override;
  /// Ends an interrupted evaluation's interval and, unless a signal ended the run, writes the last line.
  void ends(Training& training, TrainResult& result) override;

 private:
  void describe(const Job& job);
  Json position(const Training& training) const;
  void start(const std::string& key, const Training& training);
  void stop(const std::string& key, const Training& training);
  void point(const std::string& key, Json value) { line("POINT_IN_TIME", key, std::move(value), Json::object()); }
  void line(const char* event, const std::string& key, Json value, const Json& metadata);
  void write();

  std::string path_, lines_;  // lines not written yet
  const data::SourceInfo& data_;
  const data::SourceInfo* evaluation_;
  bool evaluates_ = false;  // an evaluation has begun and not ended
  std::optional<store::Descriptor> file_;
};

}  // namespace tesserec::train
