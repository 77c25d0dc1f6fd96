// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include <tesserec/core/kokkos.hpp>

namespace tesserec::jagged {

/// Some columns of a matrix, where they lie.
using Columns = Kokkos::View<float**, Kokkos::LayoutStride, Memory>;

/// One vector for each key and sample, such as pooled embeddings, side by side in a row for each sample
/// (TorchRec's KeyedTensor). Default: no keys. Copies of the struct share its storage, as views do.
struct KeyedTensor {
  std::vector<std::string> keys;
  std::vector<Index> length_per_key;  ///< columns of each key
  Matrix<float> values;               ///< [samples, sum of length_per_key]

  /// Shares `values`. Error: lengths that are negative, too few or too many, or do not sum to the columns.
  static KeyedTensor from_values(const std::vector<std::string>& keys, const std::vector<Index>& length_per_key,
                                 const Matrix<float>& values);
  /// Copies one matrix [samples, columns] for each key, side by side. Error: rows that differ.
  static KeyedTensor from_list(const Exec& exec, const std::vector<std::string>& keys,
                               const std::vector<Matrix<float>>& matrices);

  Index features() const { return std::ssize(keys); }
  Index samples() const { return Index(values.extent(0)); }
  std::vector<Index> offset_per_key() const;  ///< [F + 1] the first column of each key

  /// Position of the first key of this name. Error: names the unknown key and those there are.
  Index find(const std::string& key) const;
  /// A view of one key's columns.
  Columns columns(Index key) const;
  Columns operator[](const std::string& key) const { return columns(find(key)); }
  std::map<std::string, Columns> to_map() const;

  /// Makes one matrix a group: the columns of its keys side by side, from the tensor that has each. Keys may be left
  /// out or repeated. Copies. Error: an unknown key, one that two tensors have, samples that differ.
  static std::vector<Matrix<float>> regroup(const Exec& exec, const std::vector<KeyedTensor>& tensors,
                                            const std::vector<std::vector<std::string>>& groups);
};

/// Key by key the list of vectors, in TorchRec's form; every number is printed.
std::ostream& operator<<(std::ostream& out, const KeyedTensor& tensor);

}  // namespace tesserec::jagged
