// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>

#include <tesserec/core/error.hpp>
#include <tesserec/core/memory.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/embedding/complete_tables.hpp>
#include <tesserec/network/smaller_tables.hpp>
#include <tesserec/train/tables.hpp>

namespace tesserec::train {
namespace {

/// Returns the mean number of ids per bag.
double ids_per_bag(const data::SourceInfo& data, std::size_t feature) {
  return data.ids_per_bag.empty() ? 1.0 : data.ids_per_bag[feature];
}

/// Returns the feature's index in the data. Throws Error if the data lacks the feature, or its weights for a weighted
/// table.
std::size_t feature_index(const data::SourceInfo& data, const std::string& feature,
                          const embedding::EmbeddingBagConfig& table) {
  const auto found = std::find(data.features.begin(), data.features.end(), feature);
  if (found == data.features.end())
    fail("table ", table.name, ": the data (", data.description, ") has no feature \"", feature, "\"; it has ",
         join(data.features));
  const std::size_t index = found - data.features.begin();
  if (table.weighted && (data.weighted.empty() || !data.weighted[index]))
    fail("table ", table.name, " is weighted, but the data (", data.description, ") have no weights for feature \"",
         feature, "\"; give data files with /sparse/", feature, "/weights (docs/formats.md), or set table.", table.name,
         ".weighted = false");
  return index;
}

/// Count from which counts are rounded down to eighths of a power of two. An eighth of 8 is 1, so smaller counts stay
/// exact.
constexpr double grouped_from = 16;

/// Groups the rows of each block by their approximate counts. Rows that were counted once and rows that were not
/// counted share the ids of the former (Good and Turing's estimate for a sample of the ids).
std::vector<planning::BlockRows> counted_rows(const embedding::EmbeddingBagConfig& table,
                                              const std::map<Index, double>& counts) {
  const embedding::BlockOf block_of = table.block_of();
  double all = 0;
  std::map<std::pair<Index, double>, std::pair<double, double>> groups;  // {block, rounded count}: {rows, their counts}
  std::vector<double> unseen(embedding::block_count), once(embedding::block_count);
  for (Index b = 0; b < embedding::block_count; ++b) unseen[b] = double(table.rows({b, b + 1}).size());
  for (const auto& [row, count] : counts) {
    const Index block = block_of(row);
    all += count;
    if (count <= 1) {
      ++once[block];
      continue;
    }
    const double eighth = double(std::bit_floor(std::uint64_t(count))) / 8;
    auto& [rows, sum] = groups[{block, count < grouped_from ? count : std::floor(count / eighth) * eighth}];
    ++rows;
    sum += count;
    --unseen[block];
  }
  std::vector<planning::BlockRows> popular;
  for (const auto& [at, group] : groups) popular.push_back({at.first, group.first, group.second / group.first / all});
  for (Index b = 0; b < embedding::block_count; ++b)
    if (unseen[b] > 0) popular.push_back({b, unseen[b], once[b] / unseen[b] / all});
  return popular;
}

std::shared_ptr<const planning::Popularity> popular_rows(const embedding::EmbeddingBagConfig& table,
                                                         const data::SourceInfo& data, const data::IdShares& shares) {
  if (table.grows()) return nullptr;
  std::map<Index, double> counts;  // counts, or shares times ids, of rows
  double bags = 0;                 // ids per bag, summed over features
  for (const std::string& name : table.feature_names) {
    const auto found = shares.features.find(name);
    if (found == shares.features.end()) return nullptr;
    const double ids = shares.counted ? 1 : ids_per_bag(data, feature_index(data, name, table));
    bags += ids;
    for (const auto& [id, count] : found->second)
      if (table.takes(id)) counts[table.row(id)] += count * ids;
  }
  if (counts.empty() || bags == 0) return nullptr;
  auto popular = std::make_shared<planning::Popularity>();
  popular->from = shares.from;
  if (shares.counted) {
    popular->rows = counted_rows(table, counts);
  } else {
    for (const auto& [row, share] : counts) popular->rows.push_back({table.block_of()(row), 1, share / bags});
  }
  return popular;
}

/// Throws Error for a table that grows though the data's ids are rows of a vocabulary, or that does not grow though the
/// ids may be any numbers.
void require_kind_of_ids(const std::vector<embedding::EmbeddingBagConfig>& tables, const data::SourceInfo& data) {
  for (const embedding::EmbeddingBagConfig& table : tables)
    for (const std::string& feature : table.feature_names) {
      const bool any = data.rows[feature_index(data, feature, table)] == data::any_id;
      if (table.grows() && !any && !data.vocabulary.empty())
        fail("table ", table.name, " grows, but the ids of feature ", feature, " in ", data.description,
             " are rows of a vocabulary; set table.", table.name,
             ".growing = false, or give data with ids of 64 bits and without a vocabulary (docs/formats.md)");
      if (any && !table.grows())
        fail("table ", table.name, ": ids of feature ", feature, " in ", data.description,
             " are any 64-bit numbers, so the table must grow; set table.", table.name,
             ".growing = true, and its capacity in table.", table.name, ".rows");
    }
}

/// Throws Error if the bytes of the tables, with gradients and optimizer states, overflow 64 bits.
void require_countable(const std::vector<embedding::EmbeddingBagConfig>& tables) {
  constexpr Index copies = 4 * Index{sizeof(float)};  // bytes of an element: weight, two states, gradient
  double all = 0;
  for (const embedding::EmbeddingBagConfig& table : tables) {
    const Index rows = table.rows().size();
    const double bytes = double(rows) * double(table.embedding_dim) * double(copies);
    all += bytes;
    if (!product({rows, table.embedding_dim, copies}) || all > 0x1p62)
      fail("table ", table.name, " does not fit: ", rows, " x ", table.embedding_dim, " numbers take about ",
           bytes_text(bytes), " with optimizer state; give it fewer rows (table.", table.name,
           ".rows, data.synthetic.max_rows)");
  }
}

}  // namespace

std::vector<embedding::EmbeddingBagConfig> resolve_tables(std::vector<embedding::EmbeddingBagConfig> tables,
                                                          const data::SourceInfo& data,
                                                          const network::Settings& model) {
  data::checked(data);
  if (data.features.empty())
    fail("the data (", data.description,
         ") have no sparse features, but a model needs one; add a category (preprocess.column with kind = "
         "\"category\"), if need be one that is the same in all samples");
  std::vector<embedding::DataFeature> features;
  for (std::size_t f = 0; f < data.features.size(); ++f) features.push_back({data.features[f], data.rows[f]});
  tables = embedding::complete_tables(std::move(tables), features, data.description);
  require_kind_of_ids(tables, data);
  for (embedding::EmbeddingBagConfig& table : tables) {
    table.ids_per_bag.clear();
    for (const std::string& feature : table.feature_names)
      table.ids_per_bag.push_back(ids_per_bag(data, feature_index(data, feature, table)));
  }
  std::vector<embedding::EmbeddingBagConfig> made = network::smaller_tables(std::move(tables), model);
  require_countable(made);
  return made;
}

planning::Settings planner_settings(planning::Settings plan, const std::vector<embedding::EmbeddingBagConfig>& tables,
                                    const data::SourceInfo& data, const data::IdShares& shares) {
  data::checked(data);
  for (const embedding::EmbeddingBagConfig& table : tables) {
    double ids = 0, zipf = 0;
    for (const std::string& feature : table.feature_names) {
      const std::size_t index = feature_index(data, feature, table);
      ids += ids_per_bag(data, index);
      if (!data.zipf.empty()) zipf += data.zipf[index] / double(table.feature_names.size());
    }
    planning::ParameterConstraints& constraints = plan.tables[table.name];
    if (!constraints.zipf) {
      constraints.zipf = zipf;
      if (!shares.from.empty()) constraints.popular = popular_rows(table, data, shares);
    }
    double& factor = constraints.pooling_factor;
    // A mean of no id at all would make the table free of cost.
    if (factor == 0) factor = std::max(1e-3, ids / double(table.feature_names.size()));
  }
  return plan;
}

std::vector<Index> id_limits(const std::vector<embedding::EmbeddingBagConfig>& tables, const data::SourceInfo& data) {
  data::checked(data);
  std::vector<Index> limits(data.features.size(), data::any_id);
  std::vector<bool> read(data.features.size());
  for (const embedding::EmbeddingBagConfig& table : tables)
    for (const std::string& feature : table.feature_names) {
      const std::size_t f = feature_index(data, feature, table);
      read[f] = true;
      if (!table.grows()) limits[f] = std::min(limits[f], table.ids());
    }
  for (std::size_t f = 0; f < limits.size(); ++f)
    if (!read[f]) limits[f] = data.rows[f];
  return limits;
}

std::string unread_features(const std::vector<embedding::EmbeddingBagConfig>& tables, const data::SourceInfo& data,
                            const std::string& title) {
  std::vector<std::string> unread = data.features;
  for (const embedding::EmbeddingBagConfig& table : tables)
    for (const std::string& feature : table.feature_names) std::erase(unread, feature);
  if (unread.empty()) return "";
  return concat("  ", title, "no [[table]] names ", join(unread), ", so the model does not read ",
                unread.size() == 1 ? "it" : "them", "\n");
}

}  // namespace tesserec::train
