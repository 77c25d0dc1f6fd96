// SPDX-License-Identifier: Apache-2.0
/// What a checkpoint belongs to: the task that its deck describes.
#pragma once

#include <map>
#include <string>

#include <tesserec/train/job.hpp>

namespace tesserec::train {

/// Purpose of loading a checkpoint: to go on training, to begin another run, or for its weights alone.
enum class Purpose { resume, start, weights };

/// A deck as effective_deck writes it: "model.bottom" -> "[64, 8]", "table.NAME.pooling" -> "\"sum\"".
std::map<std::string, std::string> flat_deck(const std::string& text);

/// Returns whether checkpoint.accept names the key or a block that it lies in.
bool accepts(const CheckpointSettings& checkpoint, const std::string& key);

/// Consequences of a difference that checkpoint.accept allows: weights, or optimizer states, that do not fit.
struct Explained {
  bool weights = false, states = false;
};

/// Error naming every key of the task whose value differs between the checkpoint's deck and the job's, with both
/// values, but for those in checkpoint.accept; returns what those explain. `same_files`: the training data are known to
/// have the same bytes, wherever they lie. A key that one of the two programs did not know is passed over.
Explained check_same_task(const std::string& deck_then, const Job& job, Purpose purpose, bool same_files,
                          const std::string& file);

}  // namespace tesserec::train
