// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <tesserec/embedding/embedding_bag.hpp>
#include <tesserec/jagged/keyed_jagged_tensor.hpp>
#include <tesserec/jagged/keyed_tensor.hpp>

namespace tesserec::embedding {

/// Lists the keys of a lookup's result, by table, then by feature. A feature of several tables is named feature@table.
/// `pooled` selects the pooled features or the un-pooled ones.
std::vector<std::string> embedding_names(const std::vector<EmbeddingBagConfig>& tables, bool pooled = true);

/// Throws Error, naming table and feature, if the tables are invalid. Each table needs a unique name, features, rows
/// and columns, and each of its features once. An un-pooled feature must be among the table's features, and its table
/// must not be weighted. A table with a QrHalf must have QrHalf::rows() rows.
void check_tables(const std::vector<EmbeddingBagConfig>& tables);

/// Describes a table as torch prints a module: "(name): EmbeddingBag(rows, dim, mode='sum', features=['a', 'b'])".
std::string describe(const EmbeddingBagConfig& table);

/// Tables that turn bags of ids into one vector per feature and sample, as TorchRec's EmbeddingBagCollection. Un-pooled
/// features get one vector per id, as in its EmbeddingCollection. A collection starts as a description without storage
/// (device "meta"), which sharding cuts over ranks. initialize() allocates all of it on this rank.
class EmbeddingBagCollection {
 public:
  /// Takes the tables. Throws Error as check_tables does.
  explicit EmbeddingBagCollection(std::vector<EmbeddingBagConfig> tables);

  const std::vector<EmbeddingBagConfig>& tables() const { return configs_; }
  const std::vector<std::string>& embedding_names() const { return names_; }
  /// Returns the names of the un-pooled features.
  std::vector<std::string> unpooled_names() const { return embedding::embedding_names(configs_, false); }
  /// Lists the features that the tables read, each once, in the order of their first use.
  std::vector<std::string> features() const;

  /// Allocates the tables, whose rows have no values yet.
  void allocate(const Exec& exec);
  /// Allocates the tables and fills them with start values, which are the same under any plan.
  void initialize(const Exec& exec, std::uint64_t seed);

  /// Looks up the pooled vectors [B, sum of dims]. Throws Error if the collection has no storage, if a feature or
  /// weights are missing, or if an id is outside its table.
  jagged::KeyedTensor forward(const Exec& exec, const jagged::KeyedJaggedTensor& features) const;

  /// Looks up one vector per id, [ids, dim], for each of unpooled_names(). Throws Error as forward() does.
  std::vector<jagged::JaggedVectors> unpooled(const Exec& exec, const jagged::KeyedJaggedTensor& features) const;

  /// Returns a table by its name. Throws Error if the collection has no storage or no such table.
  const EmbeddingBag& embedding_bag(const std::string& table) const;

  /// Describes the module tree as torch prints it.
  std::string describe() const;

 private:
  /// Returns the bags of a table's feature in a batch. Throws Error if feature or weights are missing, or if an id is
  /// outside the table.
  Bags bags_of(const EmbeddingBagConfig& table, std::size_t feature, const jagged::KeyedJaggedTensor& sparse) const;

  std::vector<EmbeddingBagConfig> configs_;
  std::vector<std::string> names_;
  std::vector<std::unique_ptr<EmbeddingBag>> bags_;  // [table] bags; empty before allocate
};

}  // namespace tesserec::embedding
