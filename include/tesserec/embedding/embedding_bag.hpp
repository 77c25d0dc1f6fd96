// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include <tesserec/core/kokkos.hpp>
#include <tesserec/embedding/table.hpp>

namespace tesserec::embedding {

/// Whole table, looked up by input and offsets as torch's EmbeddingBag. Its results have the bits of any sharding plan.
class EmbeddingBag {
 public:
  /// Allocates the rows, whose values initialize() sets.
  EmbeddingBag(const Exec& exec, const EmbeddingBagConfig& config);

  const EmbeddingBagConfig& config() const { return table_.config(); }
  /// Returns the rows [rows, columns] of a table in fp32 (RowStore::weights).
  const PlacedMatrix<float>& weights() const { return table_.weights(); }

  RowStore& store() const { return table_.store(); }

  /// Gives the rows the start values of EmbeddingTable::initialize. `table` is the index of the table in its
  /// collection.
  void initialize(const Exec& exec, std::uint64_t seed, Index table) { table_.initialize(exec, seed, table); }

  /// Looks up bags and returns their vectors [bags, dim]. Bag b holds input[offsets[b]] up to input[offsets[b + 1]],
  /// the last bag the rest of the input. `weights` is parallel to the input, for a weighted table only. Throws Error,
  /// naming table and bag, if an id is outside the table. Also throws if offsets start above 0, decrease, or exceed the
  /// input.
  Matrix<float> forward(const Exec& exec, std::span<const Index> input, std::span<const Index> offsets,
                        std::span<const float> weights = {}) const;

  /// Looks up valid bags, and writes the vector of bag b to out[b * stride]. Un-pooled bags write the rows of their ids
  /// to out[ids, dim].
  void forward(const Exec& exec, const Bags& bags, float* out, Index stride) const;

 private:
  EmbeddingTable table_;
};

}  // namespace tesserec::embedding
