// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <tesserec/data/synthetic.hpp>

namespace tesserec::data {

std::vector<Index> synthetic_rows(const SyntheticSettings& settings) {
  std::vector<Index> rows = settings.rows;
  for (Index& n : rows)
    if (settings.max_rows > 0) n = std::min(n, settings.max_rows);
  return rows;
}

std::vector<std::string> synthetic_features(const SyntheticSettings& settings) {
  std::vector<std::string> names;
  for (std::size_t f = 0; f < settings.rows.size(); ++f)
    names.push_back(std::string("C").append(std::to_string(f + 1)));
  return names;
}

BagLength bag_length(const SyntheticSettings& settings, std::size_t feature) {
  const bool variable = settings.variable_bags.value_or(false);
  if (settings.bag_lengths.empty()) return {settings.ids_per_bag, variable};
  const Index most = settings.bag_lengths[feature];
  return {most, variable && most > 1};
}

}  // namespace tesserec::data
