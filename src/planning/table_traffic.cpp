// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <tesserec/planning/table_costs.hpp>

namespace tesserec::planning {
namespace {

/// Returns the share of the table's ids whose vectors are not pooled.
double unpooled_share(const embedding::EmbeddingBagConfig& table) {
  double total = 0, unpooled = 0;
  for (std::size_t f = 0; f < table.feature_names.size(); ++f) {
    const double ids = table.ids_per_bag.empty() ? 1 : table.ids_per_bag[f];
    total += ids;
    if (!table.pools(f)) unpooled += ids;
  }
  return total > 0 ? unpooled / total : 0;
}

double ids_per_bag(const ParameterConstraints& constraints) {
  return constraints.pooling_factor > 0 ? constraints.pooling_factor : 1;
}

}  // namespace

TableTraffic::TableTraffic(const embedding::EmbeddingBagConfig& table, const ParameterConstraints& constraints,
                           int ranks, double samples)
    : frequencies(double(table.rows().size()), constraints.zipf.value_or(0), constraints.popular.get()),
      even(!constraints.popular),
      ranks(ranks),
      rows(double(table.rows().size())),
      bags(samples * double(table.feature_names.size())),
      ids(bags * ids_per_bag(constraints)),
      unpooled_ids(ids * unpooled_share(table)),
      pooled_bags(bags - samples * double(table.unpooled.size())),
      bag_ids(pooled_bags > 0 ? (ids - unpooled_ids) / pooled_bags : 0) {
  if (even && pooled_bags > 0) bag_ids = frequencies.as_uniform(bag_ids);
}

double TableTraffic::filled(double share) const {
  const double probability = share >= 1 ? 1 : -std::expm1(bag_ids * std::log1p(-share));
  return std::min(probability, bag_ids * share);
}

}  // namespace tesserec::planning
