// SPDX-License-Identifier: Apache-2.0
/// Training data of a checkpoint beside those of the run that resumes from it.
#pragma once

#include <string>

#include <tesserec/store/state.hpp>
#include <tesserec/train/session.hpp>

namespace tesserec::train {

/// Throws Error if the training data is known to have other bytes than the checkpoint's, unless checkpoint.accept
/// allows it. Logs the check that was not possible if the checkpoint does not record them. `then`: content_then().
void check_same_bytes(const Session& session, const std::string& then, const std::string& file);

/// Throws Error if data.window differs from the run that wrote the checkpoint, unless checkpoint.accept allows other
/// data.
void check_same_windows(const Session& session, const store::Attributes& attributes, const std::string& file);

/// Returns whether the training data is known to have the bytes that the checkpoint's had.
bool same_files(const Session& session, const std::string& then);

/// Returns the digest of the checkpoint's training data; empty if the checkpoint has none.
std::string content_then(const store::Attributes& attributes, const std::string& file);

/// Returns whether the run has another dataset, as checkpoint.accept allows: other files, another number of samples or
/// other windows; with windows, other bytes, too.
bool has_another_dataset(const Session& session, Index epoch_samples, const store::Attributes& attributes,
                         const std::string& file);

}  // namespace tesserec::train
