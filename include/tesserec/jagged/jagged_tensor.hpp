// SPDX-License-Identifier: Apache-2.0
/// Rows of different lengths in one array, as in TorchRec's JaggedTensor.
#pragma once

#include <algorithm>
#include <iosfwd>
#include <optional>
#include <vector>

#include <tesserec/core/kokkos.hpp>

namespace tesserec::jagged {

/// Type of padded jagged values, with one axis more.
template <class Values>
struct PaddedForm;
template <class T>
struct PaddedForm<Vector<T>> {
  using type = Matrix<T>;
};
template <class T>
struct PaddedForm<Matrix<T>> {
  using type = Kokkos::View<T***, Kokkos::LayoutRight, Memory>;
};

/// Rows of different lengths: row b holds values [offsets(b), offsets(b + 1)). A value is one number, or D numbers if
/// `values` is a matrix [N, D]. A default tensor has no rows. Copies of the struct share its storage, as views do.
template <class V>
struct BasicJaggedTensor {
  using Values = V;
  using Value = typename Values::non_const_value_type;
  using Padded = typename PaddedForm<Values>::type;  ///< [rows, width] or [rows, width, D]

  Values values;          ///< [N] or [N, D]
  Vector<float> weights;  ///< parallel to values; empty when unweighted
  Vector<Index> offsets;  ///< [rows + 1] from 0, or empty without rows

  /// Makes a tensor that shares values and weights. Throws Error if a length is negative, or if the lengths do not sum
  /// to the number of values.
  static BasicJaggedTensor from_lengths(const Exec& exec, const Values& values, const Vector<Index>& lengths,
                                        const Vector<float>& weights = {});
  /// Makes a tensor that shares its arguments. Throws Error unless the offsets start at 0, ascend and end at the number
  /// of values.
  static BasicJaggedTensor from_offsets(const Values& values, const Vector<Index>& offsets,
                                        const Vector<float>& weights = {});
  /// Copies row after row. Throws Error unless `weights` is empty or has the rows' lengths.
  static BasicJaggedTensor from_dense(const Exec& exec, const std::vector<Values>& rows,
                                      const std::vector<Vector<float>>& weights = {});
  /// Copies the first lengths(b) values of each row b of `dense`. Throws Error if a length is negative or greater than
  /// the width.
  static BasicJaggedTensor from_dense_lengths(const Exec& exec, const Padded& dense, const Vector<Index>& lengths);

  /// Returns the number of rows.
  Index size() const { return offsets.extent(0) == 0 ? 0 : Index(offsets.extent(0)) - 1; }
  Index length(Index row) const { return offsets(row + 1) - offsets(row); }
  Index total() const { return size() == 0 ? 0 : offsets(size()); }
  /// Returns the length of the longest row; 0 without rows.
  Index max_length() const;
  bool weighted() const { return weights.extent(0) > 0; }
  Vector<Index> lengths(const Exec& exec) const;

  /// Returns a view of each row.
  std::vector<Values> to_dense() const;
  /// Returns a view of each row's weights. Throws Error if the values have no weights.
  std::vector<Vector<float>> to_dense_weights() const;

  /// Copies the rows to [rows, width] or [rows, width, D]. Fills short rows with `padding` and cuts long rows. The
  /// default width is the length of the longest row.
  Padded to_padded_dense(const Exec& exec, std::optional<Index> width = {}, Value padding = 0) const;
  /// Pads the weights in the same way. Throws Error if the values have no weights.
  Matrix<float> to_padded_dense_weights(const Exec& exec, std::optional<Index> width = {}, float padding = 0) const;
};

/// Bags of ids.
using JaggedTensor = BasicJaggedTensor<Vector<Index>>;
/// Bags of numbers.
using JaggedFloats = BasicJaggedTensor<Vector<float>>;
/// Bags of vectors, the result of an unpooled lookup.
using JaggedVectors = BasicJaggedTensor<Matrix<float>>;

extern template struct BasicJaggedTensor<Vector<Index>>;
extern template struct BasicJaggedTensor<Vector<float>>;
extern template struct BasicJaggedTensor<Matrix<float>>;

/// Copies numbers into a new view.
template <class T>
Vector<T> to_vector(const Exec& exec, const std::vector<T>& numbers) {
  Vector<T> view = make_vector<T>(exec, "tesserec::jagged::values", std::ssize(numbers));
  std::copy(numbers.begin(), numbers.end(), view.data());
  return view;
}

/// Copies rows that are written out: from_list({{5, 6, 7}, {}, {8}}). `weights` is empty or has the same shape.
JaggedTensor from_list(const Exec& exec, const std::vector<std::vector<Index>>& rows,
                       const std::vector<std::vector<float>>& weights = {});

/// Prints the rows as lists, with the weights if there are any. Leaves no number out.
std::ostream& operator<<(std::ostream& out, const JaggedTensor& jagged);
std::ostream& operator<<(std::ostream& out, const JaggedFloats& jagged);
std::ostream& operator<<(std::ostream& out, const JaggedVectors& jagged);

}  // namespace tesserec::jagged
