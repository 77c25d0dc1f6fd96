// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <tesserec/data/settings.hpp>
#include <tesserec/data/source.hpp>
#include <tesserec/data/source_types.hpp>
#include <tesserec/store/hdf5.hpp>

namespace tesserec::data {

/// Returns the description of what the generator will make. Features are named "C1", "C2", ...
SourceInfo synthetic_info(const SyntheticSettings& settings, Use use);

/// Returns the facts of a source that make_source() gives, from those of its files or generator: with the bag lengths
/// of data.multi_hot_sizes. Throws Error, naming the key, if the sizes do not fit.
SourceInfo known_info(SourceInfo info, const Settings& settings);

/// Returns data.trust as the argument that opens datasets.
store::Trust trust_of(const Settings& settings);

/// Returns whether the settings name data for this use. Throws Error if they name more than one of files, a generator
/// and a user's source type.
bool has_source(const Settings& settings, Use use);

/// Throws Error if `data`, which the deck's `key` names, has no labels.
void require_labels(const SourceInfo& data, const std::string& key);

/// Makes the source that the settings name. Shuffles only for training. Throws Error, naming the key, for no data, two
/// kinds of data, senseless settings, or data without labels unless `use` is predict.
std::unique_ptr<Source> make_source(const Settings& settings, Use use, const Deal& deal);

}  // namespace tesserec::data
