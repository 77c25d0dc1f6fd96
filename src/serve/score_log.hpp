// SPDX-License-Identifier: Apache-2.0
/// Log of answered requests, as JSON lines (docs/formats.md): a line about the model first, then a line a request.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "inference.hpp"
#include <tesserec/core/json.hpp>
#include <tesserec/scoring/served_model.hpp>
#include <tesserec/serve/settings.hpp>
#include <tesserec/store/disk.hpp>
#include <tesserec/store/lock.hpp>

namespace tesserec::serve {

inline constexpr const char* score_log_format = "tesserec-scores";
inline constexpr std::int64_t score_log_version = 2;  ///< files of one label still have version 1

/// First line of a log: the inputs that all requests of the file have, and the rows and the precision that they were
/// scored with.
struct ScoreLogHead {
  std::vector<std::string> features;
  Index dense_features = 0;
  std::vector<std::string> formats;  ///< format of the rows of each table, of ServedModel::tables()
  std::string mlp;                   ///< precision of the network's products
  std::vector<std::string> labels;   ///< names of several labels, in the order of the scores; empty for one
  bool operator==(const ScoreLogHead&) const = default;
};
ScoreLogHead score_log_head(const scoring::ServedModel& model);
/// Reads the first line. Throws Error if it is not that of such a log, or of a newer version.
ScoreLogHead parse_score_log_head(const std::string& line);

/// Line of a log.
struct LoggedScores {
  Index step = 0;
  std::string digest;  ///< seal of the state that scored
  InferRequest request;
  std::vector<float> scores;  ///< [samples, T] of T labels
};
/// Reads a line. Throws Error if it is cut, or not that of a request with these inputs.
LoggedScores parse_score_line(const ScoreLogHead& head, const std::string& line);

/// Appends lines to a file, and renames it to FILE.1, FILE.1 to FILE.2 and so on when it has grown to a size. Threads
/// may call it at once. A line is written by one call of the system, so that a kill cuts no line but the last.
class ScoreLog {
 public:
  /// Opens the file of the settings, or makes it. Renames one that it cannot continue, of another model or with a cut
  /// line. Throws Error if the file cannot be written, is no log or is another server's, or if the renaming would
  /// delete the oldest file.
  ScoreLog(const ServerSettings& settings, const scoring::ServedModel& model);

  /// Appends a line. A line that the disk does not take is counted in lost(), with a warning at the first.
  void add(const scoring::TrainedFacts& facts, const InferRequest& request, const std::vector<float>& scores);
  Index lost() const;

 private:
  void open();
  /// Renames a file that cannot be continued, and logs the reason.
  void put_aside(const std::string& reason);
  void rotate();
  /// Returns the name of file `n`, 0 = the newest.
  std::string numbered(int n) const;
  void write(const std::string& line);

  const ServerSettings settings_;
  const store::FileLock lock_;
  const std::string head_;
  mutable std::mutex mutex_;
  std::optional<store::Descriptor> file_;
  Index bytes_ = 0;
  Index lost_ = 0;
};

}  // namespace tesserec::serve
