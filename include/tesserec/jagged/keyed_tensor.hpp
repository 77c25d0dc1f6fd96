// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include <tesserec/core/kokkos.hpp>

namespace tesserec::jagged {

/// View of some columns of a matrix, in place.
using Columns = Kokkos::View<float**, Kokkos::LayoutStride, Memory>;

/// One vector for each key and sample, such as pooled embeddings, as in TorchRec's KeyedTensor. The vectors of a sample
/// lie side by side in one row. A default tensor has no keys. Copies of the struct share its storage, as views do.
struct KeyedTensor {
  std::vector<std::string> keys;
  std::vector<Index> length_per_key;  ///< columns of each key
  Matrix<float> values;               ///< [samples, sum of length_per_key]

  /// Makes a tensor that shares `values`. Throws Error unless there is one length per key, none is negative, and they
  /// sum to the number of columns.
  static KeyedTensor from_values(const std::vector<std::string>& keys, const std::vector<Index>& length_per_key,
                                 const Matrix<float>& values);
  /// Copies one matrix [samples, columns] for each key, side by side. Throws Error if their numbers of rows differ.
  static KeyedTensor from_list(const Exec& exec, const std::vector<std::string>& keys,
                               const std::vector<Matrix<float>>& matrices);

  Index features() const { return std::ssize(keys); }
  Index samples() const { return Index(values.extent(0)); }
  std::vector<Index> offset_per_key() const;  ///< [F + 1] first column of each key

  /// Returns the position of the first key of this name. Throws Error with the known keys if there is none.
  Index find(const std::string& key) const;
  /// Returns a view of one key's columns.
  Columns columns(Index key) const;
  Columns operator[](const std::string& key) const { return columns(find(key)); }
  std::map<std::string, Columns> to_map() const;

  /// Copies each group to one matrix: the columns of its keys side by side, each from the one tensor that has the key.
  /// Keys may be left out or repeated. Throws Error if a key is unknown or in two tensors, or if the numbers of samples
  /// differ.
  static std::vector<Matrix<float>> regroup(const Exec& exec, const std::vector<KeyedTensor>& tensors,
                                            const std::vector<std::vector<std::string>>& groups);
};

/// Prints the list of vectors key by key in TorchRec's form. Leaves no number out.
std::ostream& operator<<(std::ostream& out, const KeyedTensor& tensor);

}  // namespace tesserec::jagged
