// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <tesserec/data/settings.hpp>
#include <tesserec/data/source.hpp>
#include <tesserec/data/source_types.hpp>
#include <tesserec/store/hdf5.hpp>

namespace tesserec::data {

/// Describes what the generator will make; features are "C1", "C2", ...
SourceInfo synthetic_info(const SyntheticSettings& settings, Use use);

/// data.trust, for whoever opens data sets.
store::Trust trust_of(const Settings& settings);

/// Returns whether the settings give data for this use. Errors: two of files, a generator and a
/// source of one's own are given.
bool has_source(const Settings& settings, Use use);

/// Error unless the data, those of `key`, have labels.
void require_labels(const SourceInfo& data, const std::string& key);

/// Makes the source of the settings. Errors name the keys: no data, two kinds of data, senseless settings.
std::unique_ptr<Source> make_source(const Settings& settings, Use use, const Deal& deal);

}  // namespace tesserec::data
