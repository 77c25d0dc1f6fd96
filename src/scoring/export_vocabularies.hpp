// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "export_parts.hpp"
#include <tesserec/scoring/model_folder.hpp>

namespace tesserec::scoring {

/// Writes the vocabularies that raw values need to a folder and lists them in the manifest, or says there why it
/// cannot. `dataset`: data set with the vocabulary of the training; empty = the one among data.train of the deck.
/// Throws Error if a data set that was named does not do.
void export_vocabularies(const ExportSource& source, const std::string& dataset, const std::string& folder,
                         ModelManifest& manifest);

}  // namespace tesserec::scoring
