// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <tesserec/core/random.hpp>
#include <tesserec/embedding/settings.hpp>

namespace tesserec::embedding {

/// The numbers that a table's rows start with: U(-sqrt(1/n), sqrt(1/n)), n the table's rows, as the reference DLRM; a
/// function of (seed, table, row, column). Or 1.
class StartValues {
 public:
  /// `index`: of the table among the model's.
  StartValues(const EmbeddingBagConfig& table, std::uint64_t seed, Index index);

  const Random& random() const { return random_; }
  float bound() const { return bound_; }
  bool ones() const { return ones_; }
  /// out[row][column]; the columns begin at a multiple of four.
  void operator()(Range rows, Range columns, float* out) const;
  /// Returns the root of the expected square of a row's length.
  double row_norm() const;

 private:
  Random random_;
  float bound_;
  Index columns_;
  bool ones_;
};

}  // namespace tesserec::embedding
