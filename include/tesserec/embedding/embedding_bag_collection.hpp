// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <tesserec/embedding/embedding_bag.hpp>
#include <tesserec/jagged/keyed_jagged_tensor.hpp>
#include <tesserec/jagged/keyed_tensor.hpp>

namespace tesserec::embedding {

/// Lists the keys of a lookup's result: tables in order, in each its features in order; a shared one is feature@table.
std::vector<std::string> embedding_names(const std::vector<EmbeddingBagConfig>& tables, bool pooled = true);

/// Errors, naming table and feature: no table; one without name, features, rows or columns; a name or a
/// table's feature that comes twice; an un-pooled feature that the table has not, or that is weighted.
void check_tables(const std::vector<EmbeddingBagConfig>& tables);

/// "(name): EmbeddingBag(rows, dim, mode='sum', features=['a', 'b'])", as torch prints a module.
std::string describe(const EmbeddingBagConfig& table);

/// Tables that turn bags of ids into one vector a feature and sample, TorchRec's EmbeddingBagCollection, or, for
/// features listed as un-pooled, into one vector an id, its EmbeddingCollection. It starts as a description without
/// storage (device "meta"), which sharding cuts over ranks; `initialise` makes all of it here, on one rank.
class EmbeddingBagCollection {
 public:
  /// Errors: check_tables.
  explicit EmbeddingBagCollection(std::vector<EmbeddingBagConfig> tables);

  const std::vector<EmbeddingBagConfig>& tables() const { return configs_; }
  const std::vector<std::string>& embedding_names() const { return names_; }
  /// Names the un-pooled features.
  std::vector<std::string> unpooled_names() const { return embedding::embedding_names(configs_, false); }
  /// The features it reads, each once, in the order of their first use.
  std::vector<std::string> features() const;

  /// Allocates the tables. Their rows have no values yet.
  void allocate(const Exec& exec);
  /// Allocates the tables and fills them with the start values that any plan gives them.
  void initialise(const Exec& exec, std::uint64_t seed);

  /// Looks up [B, sum of dims]; sums are rounded to `sums` before a mean divides them. Errors: not initialised; a
  /// missing feature or weights; an id outside its table.
  jagged::KeyedTensor forward(const Exec& exec, const jagged::KeyedJaggedTensor& features,
                              NumberType sums = NumberType::fp32) const;

  /// One vector an id, [ids, dim], rounded to `vectors`, of each of unpooled_names(). Errors as forward's.
  std::vector<jagged::JaggedVectors> unpooled(const Exec& exec, const jagged::KeyedJaggedTensor& features,
                                              NumberType vectors = NumberType::fp32) const;

  /// A table by its name. Errors: not initialised; no such table.
  const EmbeddingBag& embedding_bag(const std::string& table) const;

  /// The module tree, as torch prints it.
  std::string describe() const;

 private:
  /// The bags of a table's feature in a batch. Errors: it is not there, an id outside the table, no weights.
  Bags bags_of(const EmbeddingBagConfig& table, std::size_t feature, const jagged::KeyedJaggedTensor& sparse) const;

  std::vector<EmbeddingBagConfig> configs_;
  std::vector<std::string> names_;
  std::vector<std::unique_ptr<EmbeddingBag>> bags_;  // of each table; empty before initialise
};

}  // namespace tesserec::embedding
