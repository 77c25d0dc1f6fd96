// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <tesserec/data/settings.hpp>
#include <tesserec/data/source.hpp>
#include <tesserec/store/hdf5.hpp>

namespace tesserec::data {

/// The use of a source. Training shuffles as the deal says; evaluation and prediction read in file order, prediction
/// data.predict or, without it, the evaluation data.
enum class Use { train, evaluate, predict };

/// Describes what the generator will make; features are "C1", "C2", ...
SourceInfo synthetic_info(const SyntheticSettings& settings, Use use);

/// data.trust, for whoever opens data sets.
store::Trust trust_of(const Settings& settings);

/// Returns whether the settings give data for this use. Errors: files and a generator are both given.
bool has_source(const Settings& settings, Use use);

/// Error unless the data, those of `key`, have labels.
void require_labels(const SourceInfo& data, const std::string& key);

/// The source that the settings ask for. Errors: no data, files and a generator are both given, settings of a
/// generator that make no sense; the message names the keys.
std::unique_ptr<Source> make_source(const Settings& settings, Use use, const Deal& deal);

}  // namespace tesserec::data
