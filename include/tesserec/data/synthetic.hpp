// SPDX-License-Identifier: Apache-2.0
/// What follows from [data.synthetic] alone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <tesserec/data/settings.hpp>

namespace tesserec::data {

/// Rows of each table after the cap data.synthetic.max_rows.
std::vector<Index> synthetic_rows(const SyntheticSettings& settings);
/// "C1", "C2", ...
std::vector<std::string> synthetic_features(const SyntheticSettings& settings);
/// Ids of a planted feature's bag: always so many, or 0 to so many.
struct BagLength {
  Index most = 1;
  bool variable = false;
};
BagLength bag_length(const SyntheticSettings& settings, std::size_t feature);

/// Fault of bag_lengths or pair: the key, what it is and what would fit. Nothing where both will do.
struct SyntheticFault {
  std::string key, text;
};
std::optional<SyntheticFault> fault(const SyntheticSettings& settings);

}  // namespace tesserec::data
