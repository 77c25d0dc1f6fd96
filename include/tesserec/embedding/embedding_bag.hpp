// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include <tesserec/core/kokkos.hpp>
#include <tesserec/core/number_type.hpp>
#include <tesserec/embedding/table.hpp>

namespace tesserec::embedding {

/// One whole table, looked up by input and offsets as torch's EmbeddingBag. The bits are those of any plan.
class EmbeddingBag {
 public:
  /// Allocates the rows; their values are those of `initialise`.
  EmbeddingBag(const Exec& exec, const EmbeddingBagConfig& config);

  const EmbeddingBagConfig& config() const { return table_.config(); }
  /// Rows [rows, columns].
  const PlacedMatrix<float>& weights() const { return table_.weights(); }

  RowStore& store() const { return table_.store(); }

  /// EmbeddingTable::initialise: `table` is the table's place in its collection.
  void initialise(const Exec& exec, std::uint64_t seed, Index table) { table_.initialise(exec, seed, table); }

  /// Bag b holds input[offsets[b]] up to input[offsets[b + 1]], the last one the rest of the input. Result
  /// [bags, dim]. `weights` is parallel to the input, for a weighted table alone. An Error names table and
  /// bag of an id outside the table, and of offsets that start above 0, fall, or pass the end of the input.
  Matrix<float> forward(const Exec& exec, std::span<const Index> input, std::span<const Index> offsets,
                        std::span<const float> weights = {}) const;

  /// The same for bags that are known to be good, to out[b * stride]; of un-pooled ones the rows, to out[ids, dim].
  /// Sums are rounded to `sums` before a mean divides them; rows, too.
  void forward(const Exec& exec, const Bags& bags, float* out, Index stride, NumberType sums = NumberType::fp32) const;

 private:
  EmbeddingTable table_;
};

}  // namespace tesserec::embedding
