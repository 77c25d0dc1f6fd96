// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <tesserec/data/batch.hpp>
#include <tesserec/train/session.hpp>

namespace tesserec::train {

/// Formats of a file of scores (docs/formats.md).
enum class ScoresFormat { h5, csv };

/// Unfinished file of scores. Its bytes do not depend on the number of ranks. All calls are collective and throw the
/// same Error on all ranks.
class ScoresFile {
 public:
  virtual ~ScoresFile() = default;
  /// Appends the scores of this rank's samples of a micro-batch. `samples`: their range in the epoch.
  virtual void write(Range samples, const data::Batch& batch, const std::vector<float>& scores) = 0;
  /// Renames the file to its final name.
  virtual void publish() = 0;
};

/// Creates the file of scores at `path`. `session` and `source`, whose keys are written too, must outlive it.
/// Throws Error if `path` is a folder, a file without scores, or inside a checkpoint or model folder. Collective.
std::unique_ptr<ScoresFile> make_scores_file(const Session& session, const data::Source& source,
                                             const std::string& path, ScoresFormat format);

}  // namespace tesserec::train
