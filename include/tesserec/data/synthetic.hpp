// SPDX-License-Identifier: Apache-2.0
/// Facts that follow from [data.synthetic] alone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <tesserec/data/settings.hpp>

namespace tesserec::data {

/// Returns the rows of each table after the cap data.synthetic.max_rows.
std::vector<Index> synthetic_rows(const SyntheticSettings& settings);
/// Returns the features' names "C1", "C2", ...
std::vector<std::string> synthetic_features(const SyntheticSettings& settings);
/// Returns the law of the ids: settings.ids, or that of the kind.
IdLaw id_law(const SyntheticSettings& settings);
/// Returns the Zipf exponent of the ids, 0 for uniform ones.
double zipf_exponent(const SyntheticSettings& settings);
/// Returns whether samples are drawn one after the other, so that they cannot be shuffled.
bool draws_in_order(const SyntheticSettings& settings);
/// Length of a planted feature's bag: `max_ids`, or uniform in [0, max_ids] if variable.
struct BagLength {
  Index max_ids = 1;
  bool variable = false;
};
/// Returns the bag length of a planted feature.
BagLength bag_length(const SyntheticSettings& settings, std::size_t feature);

/// Returns the feature whose ids name the same items as those of a feature: the item of a planted sequence, or itself.
std::size_t item_feature(const SyntheticSettings& settings, std::size_t feature);

/// Fault of a key beside other keys: the key, and what is wrong with it and what would fit.
struct SyntheticFault {
  std::string key, text;
};
/// Returns the first fault of keys that depend on others, or nothing if all fit.
std::optional<SyntheticFault> fault(const SyntheticSettings& settings);

}  // namespace tesserec::data
