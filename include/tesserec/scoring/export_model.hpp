// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include <tesserec/core/kokkos.hpp>
#include <tesserec/scoring/model_folder.hpp>

namespace tesserec::scoring {

/// Writes the model of a checkpoint's folder as the model folder `to`, which must not exist. A table gets
/// format_of_rows(). The folder takes raw values if the deck of the checkpoint has the columns of
/// [preprocess] and the data set that taught its vocabulary is there: `vocabulary`, or else one of data.train of the
/// deck. ModelManifest::no_raw says why it takes none; with `vocabulary` that is an Error. `mlp`: precision of matrix
/// products in scores; none = as in training. Holds one piece of a table in memory at a time. The folder gets its name
/// once all files are on the disk and were read back. Throws Error, and leaves no folder, if the checkpoint is damaged,
/// a number has no form in the format, or the disk is full.
ModelManifest export_model(const Exec& exec, const std::string& checkpoint, const std::string& to, ServedFormat format,
                           std::optional<products::Precision> mlp = {}, const std::string& vocabulary = {});

}  // namespace tesserec::scoring
