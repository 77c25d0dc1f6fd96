// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <tesserec/data/batch.hpp>
#include <tesserec/train/session.hpp>

namespace tesserec::train {

/// Forms of a file of scores (docs/formats.md).
enum class ScoresFormat { h5, csv };

/// Unfinished file of scores. Calls are collective; bytes are independent of ranks; an Error is the same on all ranks.
class ScoresFile {
 public:
  virtual ~ScoresFile() = default;
  /// Adds the scores of this rank's samples of a micro-batch, `mine` of the epoch.
  virtual void write(Range mine, const data::Batch& batch, const std::vector<float>& scores) = 0;
  /// The file takes its name.
  virtual void publish() = 0;
};

/// `session` and `source`, whose keys go into the file, outlive it.
std::unique_ptr<ScoresFile> make_scores_file(const Session& session, const data::Source& source,
                                             const std::string& path, ScoresFormat format);

}  // namespace tesserec::train
