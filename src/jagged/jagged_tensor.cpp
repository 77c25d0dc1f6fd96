// SPDX-License-Identifier: Apache-2.0
#include <cassert>
#include <type_traits>
#include <utility>

#include "checks.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/jagged/jagged_tensor.hpp>

namespace tesserec::jagged {
namespace {

/// Returns the number of elements of one value: 1, or the length of its vector.
template <class T>
Index depth(const Vector<T>&) {
  return 1;
}
template <class T>
Index depth(const Matrix<T>& values) {
  return Index(values.extent(1));
}
template <class T>
Index depth(const Kokkos::View<T***, Kokkos::LayoutRight, Memory>& values) {
  return Index(values.extent(2));
}

/// Allocates storage of the second argument's kind, for `count` values or padded to [rows, width].
template <class T>
Vector<T> make_values(const Exec& exec, const Vector<T>&, Index count, Index) {
  return make_vector<T>(exec, "tesserec::jagged::values", count);
}
template <class T>
Matrix<T> make_values(const Exec& exec, const Matrix<T>&, Index count, Index depth) {
  return make_matrix<T>(exec, "tesserec::jagged::values", count, depth);
}
template <class T>
Matrix<T> make_padded(const Exec& exec, const Vector<T>&, Index rows, Index width) {
  return make_matrix<T>(exec, "tesserec::jagged::padded", rows, width);
}
template <class T>
typename PaddedForm<Matrix<T>>::type make_padded(const Exec& exec, const Matrix<T>& values, Index rows, Index width) {
  return typename PaddedForm<Matrix<T>>::type(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "tesserec::jagged::padded"), rows, width, values.extent(1));
}

template <class T>
Vector<T> slice(const Vector<T>& values, Index begin, Index end) {
  return Kokkos::subview(values, std::pair(begin, end));
}
template <class T>
Matrix<T> slice(const Matrix<T>& values, Index begin, Index end) {
  return Kokkos::subview(values, std::pair(begin, end), Kokkos::ALL);
}

/// Returns `width` if it is given, else `longest`. Throws Error if `width` is negative.
Index padded_width(const std::optional<Index>& width, Index longest) {
  if (width && *width < 0) fail("the padded width ", *width, " is negative; use 0 or more");
  return width.value_or(longest);
}

/// Copies the bags into a padded array [rows, width]; longer bags are cut. Waits for `exec`.
template <class Values>
typename PaddedForm<Values>::type pad(const Exec& exec, const Values& values, const Vector<Index>& offsets, Index rows,
                                      Index width, typename Values::non_const_value_type padding) {
  assert(values.span_is_contiguous());
  const auto padded = make_padded(exec, values, rows, width);
  const Index deep = depth(values);
  const auto* const from = values.data();
  auto* const to = padded.data();
  parallel_for(exec, "tesserec::jagged::pad", rows, [=](Index row) noexcept {
    const Index kept = std::min(offsets(row + 1) - offsets(row), width);
    auto* const end = std::copy_n(from + offsets(row) * deep, kept * deep, to + row * width * deep);
    std::fill_n(end, (width - kept) * deep, padding);
  });
  exec.fence();
  return padded;
}

}  // namespace

template <class V>
BasicJaggedTensor<V> BasicJaggedTensor<V>::from_lengths(const Exec& exec, const Values& values,
                                                        const Vector<Index>& lengths, const Vector<float>& weights) {
  const Index count = values.extent(0);
  check_weights(weights, count);
  return {values, weights, offsets_of(exec, lengths, count, row_name)};
}

template <class V>
BasicJaggedTensor<V> BasicJaggedTensor<V>::from_offsets(const Values& values, const Vector<Index>& offsets,
                                                        const Vector<float>& weights) {
  const Index count = values.extent(0);
  check_weights(weights, count);
  if (offsets.extent(0) == 0) fail("there are no offsets; give one more than the number of rows");
  check_offsets(offsets, count, row_name);
  return {values, weights, offsets};
}

template <class V>
BasicJaggedTensor<V> BasicJaggedTensor<V>::from_dense(const Exec& exec, const std::vector<Values>& rows,
                                                      const std::vector<Vector<float>>& weights) {
  const Index count = std::ssize(rows);
  if (!weights.empty() && weights.size() != rows.size())
    fail("there are weights of ", weights.size(), " rows for ", rows.size(),
         " rows; give weights for every row, or none");
  const Index deep = rows.empty() ? 0 : depth(rows[0]);
  BasicJaggedTensor jagged;
  jagged.offsets = make_vector<Index>(exec, "tesserec::jagged::offsets", count + 1);
  jagged.offsets(0) = 0;
  for (Index b = 0; b < count; ++b) {
    const Index length = rows[b].extent(0);
    if (depth(rows[b]) != deep)
      fail("row ", b, " has vectors of ", depth(rows[b]), " numbers, but row 0 has vectors of ", deep);
    if (!weights.empty() && Index(weights[b].extent(0)) != length)
      fail("row ", b, " has ", length, " values and ", weights[b].extent(0), " weights; give one weight per value");
    jagged.offsets(b + 1) = jagged.offsets(b) + length;
  }
  jagged.values = make_values(exec, jagged.values, jagged.total(), deep);
  if (!weights.empty()) jagged.weights = make_vector<float>(exec, "tesserec::jagged::weights", jagged.total());
  for (Index b = 0; b < count; ++b) {
    copy_entries(exec, rows[b], 0, jagged.length(b), jagged.values, jagged.offsets(b));
    if (!weights.empty()) copy_entries(exec, weights[b], 0, jagged.length(b), jagged.weights, jagged.offsets(b));
  }
  exec.fence();
  return jagged;
}

template <class V>
BasicJaggedTensor<V> BasicJaggedTensor<V>::from_dense_lengths(const Exec& exec, const Padded& dense,
                                                              const Vector<Index>& lengths) {
  const Index rows = Index(dense.extent(0)), width = dense.extent(1);
  if (Index(lengths.extent(0)) != rows)
    fail("there are ", lengths.extent(0), " lengths for ", rows, " rows; give one per row");
  Index total = 0;
  for (Index b = 0; b < rows; ++b) {
    if (lengths(b) < 0 || lengths(b) > width)
      fail("row ", b, ": length ", lengths(b), " is out of range; use 0 to ", width, ", the width of the rows");
    total += lengths(b);
  }
  assert(dense.span_is_contiguous());
  BasicJaggedTensor jagged;
  jagged.offsets = offsets_of(exec, lengths, total, row_name);
  const Index deep = std::is_same_v<Padded, Matrix<Value>> ? 1 : depth(dense);
  jagged.values = make_values(exec, jagged.values, total, deep);
  const auto* const from = dense.data();
  auto* const to = jagged.values.data();
  parallel_for(exec, "tesserec::jagged::unpad", rows, [=, offsets = jagged.offsets](Index row) noexcept {
    std::copy_n(from + row * width * deep, (offsets(row + 1) - offsets(row)) * deep, to + offsets(row) * deep);
  });
  exec.fence();
  return jagged;
}

template <class V>
Index BasicJaggedTensor<V>::max_length() const {
  Index longest = 0;
  for (Index b = 0; b < size(); ++b) longest = std::max(longest, length(b));
  return longest;
}

template <class V>
Vector<Index> BasicJaggedTensor<V>::lengths(const Exec& exec) const {
  const Vector<Index> lengths = make_vector<Index>(exec, "tesserec::jagged::lengths", size());
  for (Index b = 0; b < size(); ++b) lengths(b) = length(b);
  return lengths;
}

template <class V>
std::vector<V> BasicJaggedTensor<V>::to_dense() const {
  std::vector<Values> rows;
  for (Index b = 0; b < size(); ++b) rows.push_back(slice(values, offsets(b), offsets(b + 1)));
  return rows;
}

template <class V>
std::vector<Vector<float>> BasicJaggedTensor<V>::to_dense_weights() const {
  if (!weighted() && total() > 0) fail("the jagged tensor has no weights to list");
  std::vector<Vector<float>> rows;
  for (Index b = 0; b < size(); ++b) rows.push_back(slice(weights, offsets(b), offsets(b + 1)));
  return rows;
}

template <class V>
typename BasicJaggedTensor<V>::Padded BasicJaggedTensor<V>::to_padded_dense(const Exec& exec,
                                                                            std::optional<Index> width,
                                                                            Value padding) const {
  return pad(exec, values, offsets, size(), padded_width(width, max_length()), padding);
}

template <class V>
Matrix<float> BasicJaggedTensor<V>::to_padded_dense_weights(const Exec& exec, std::optional<Index> width,
                                                            float padding) const {
  if (!weighted() && total() > 0) fail("the jagged tensor has no weights to pad");
  return pad(exec, weights, offsets, size(), padded_width(width, max_length()), padding);
}

template struct BasicJaggedTensor<Vector<Index>>;
template struct BasicJaggedTensor<Vector<float>>;
template struct BasicJaggedTensor<Matrix<float>>;

JaggedTensor from_list(const Exec& exec, const std::vector<std::vector<Index>>& rows,
                       const std::vector<std::vector<float>>& weights) {
  std::vector<Vector<Index>> row_views;
  std::vector<Vector<float>> weight_views;
  for (const auto& row : rows) row_views.push_back(to_vector(exec, row));
  for (const auto& row : weights) weight_views.push_back(to_vector(exec, row));
  return JaggedTensor::from_dense(exec, row_views, weight_views);
}

}  // namespace tesserec::jagged
