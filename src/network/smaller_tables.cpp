// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <tesserec/core/elementary.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/network/model_types.hpp>
#include <tesserec/network/smaller_tables.hpp>

namespace tesserec::network {
namespace {

using embedding::EmbeddingBagConfig;
using embedding::QrOperation;

void mix_dimensions(std::vector<EmbeddingBagConfig>& tables, const Settings& s) {
  std::vector<Index> rows;
  for (const EmbeddingBagConfig& table : tables) rows.push_back(table.num_embeddings);
  if (s.smaller.md_temperature == 0.0 || rows.empty() || *std::min_element(rows.begin(), rows.end()) == 0) return;
  const std::vector<Index> dims =
      mixed_dimensions(rows, s.smaller.md_temperature, s.embedding_dim, s.smaller.md_round_dims);
  for (std::size_t t = 0; t < tables.size(); ++t) {
    EmbeddingBagConfig& table = tables[t];
    if (table.embedding_dim != 0 || rows[t] <= s.smaller.md_threshold || dims[t] >= s.embedding_dim) continue;
    if (!table.unpooled.empty()) continue;
    table.embedding_dim = dims[t];
    if (table.projection == 0) table.projection = s.embedding_dim;
  }
}

/// Returns the collisions by which `table` is cut in two, or 0 for a whole table. Throws SettingError if the table has
/// too few rows.
Index collisions_of(const EmbeddingBagConfig& table, const Settings& s) {
  if (table.half || table.grows() || table.num_embeddings == 0 || !table.unpooled.empty()) return 0;
  const Index by_model = table.num_embeddings > s.smaller.qr_threshold ? s.smaller.qr_collisions : 0;
  const Index collisions = table.qr_collisions.value_or(by_model);
  if (collisions >= table.num_embeddings) {
    const std::string text = concat(" is ", collisions, ", but table ", table.name, " has ",
                                    counted(table.num_embeddings, "row"), "; give a smaller number, ");
    if (table.qr_collisions)
      throw SettingError(table.name + ".qr_collisions", text + "or 0 for a whole table", "table");
    throw SettingError("qr_collisions", concat(text, "or raise model.qr_threshold to ", table.num_embeddings));
  }
  return collisions;
}

EmbeddingBagConfig half_of(const EmbeddingBagConfig& table, Index collisions, QrOperation operation, bool remainder) {
  EmbeddingBagConfig half = table;
  half.name += remainder ? "_remainder" : "_quotient";
  half.half = {table.name, table.num_embeddings, collisions, operation, remainder};
  half.num_embeddings = half.half->rows();
  if (operation == QrOperation::concat) half.embedding_dim /= 2;
  return half;
}

}  // namespace

std::vector<Index> mixed_dimensions(const std::vector<Index>& rows, double temperature, Index dim, bool round) {
  std::vector<Index> dims;
  for (const Index n : rows) {
    const double fewer = double(*std::min_element(rows.begin(), rows.end())) / double(n);
    const double d = double(dim) * elementary::exp(temperature * elementary::log(fewer));
    dims.push_back(Index(std::nearbyint(std::max(1.0, d))));  // ties to even
    if (!round) continue;
    Index power = 1;
    while (2 * power * power < dims.back() * dims.back()) power *= 2;  // nearest power of 2 by logarithm
    dims.back() = power;
  }
  return dims;
}

std::vector<EmbeddingBagConfig> smaller_tables(std::vector<EmbeddingBagConfig> tables, const Settings& s) {
  mix_dimensions(tables, s);
  std::vector<EmbeddingBagConfig> all;
  for (EmbeddingBagConfig& table : tables) {
    if (table.embedding_dim == 0) table.embedding_dim = s.embedding_dim;
    if (!table.format) table.format = s.table_format;
    const Index collisions = collisions_of(table, s);
    if (collisions == 0) {
      if (table.num_embeddings > 0) table.qr_collisions = 0;
      all.push_back(std::move(table));
      continue;
    }
    if (s.smaller.qr_operation == QrOperation::concat && table.embedding_dim % 2 != 0)
      throw SettingError("qr_operation", concat(" is concat, which halves the columns, but table ", table.name, " has ",
                                                table.embedding_dim, "; give it an even number, or set mult or add"));
    all.push_back(half_of(table, collisions, s.smaller.qr_operation, false));
    all.push_back(half_of(table, collisions, s.smaller.qr_operation, true));
  }
  return all;
}

}  // namespace tesserec::network
