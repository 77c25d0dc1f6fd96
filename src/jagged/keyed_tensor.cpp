// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

#include "checks.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/jagged/keyed_tensor.hpp>

namespace tesserec::jagged {
namespace {

/// Columns of one key, and their first column in the result.
struct ColumnCopy {
  Columns from;
  Index at;
};

/// Concatenates columns into a new matrix [samples, sum of widths]. Waits for `exec`.
Matrix<float> side_by_side(const Exec& exec, const std::vector<Columns>& columns, Index samples) {
  std::vector<ColumnCopy> copies;
  Index width = 0;
  for (const Columns& from : columns) {
    copies.push_back({from, width});
    width += from.extent(1);
  }
  const Matrix<float> values = make_matrix<float>(exec, "tesserec::jagged::values", samples, width);
  parallel_for(exec, "tesserec::jagged::side_by_side", samples, [values, &copies](Index row) noexcept {
    for (const ColumnCopy& copy : copies)
      for (Index c = 0; c < Index(copy.from.extent(1)); ++c) values(row, copy.at + c) = copy.from(row, c);
  });
  exec.fence();
  return values;
}

/// Returns the columns of a key. Throws Error unless exactly one tensor has it.
Columns find_in(const std::vector<KeyedTensor>& tensors, const std::string& key) {
  const KeyedTensor* holder = nullptr;
  std::vector<std::string> known;
  for (const KeyedTensor& tensor : tensors) {
    known.insert(known.end(), tensor.keys.begin(), tensor.keys.end());
    if (std::find(tensor.keys.begin(), tensor.keys.end(), key) == tensor.keys.end()) continue;
    if (holder != nullptr) fail("regroup: key \"", key, "\" is in two of the keyed tensors; rename one");
    holder = &tensor;
  }
  if (holder == nullptr) fail("regroup: the keyed tensors have no key \"", key, "\"; their keys: ", quoted_list(known));
  return (*holder)[key];
}

}  // namespace

KeyedTensor KeyedTensor::from_values(const std::vector<std::string>& keys, const std::vector<Index>& length_per_key,
                                     const Matrix<float>& values) {
  if (length_per_key.size() != keys.size())
    fail("there are lengths of ", length_per_key.size(), " keys for ", keys.size(), " keys (", quoted_list(keys), ")");
  for (std::size_t k = 0; k < keys.size(); ++k)
    if (length_per_key[k] < 0) fail("key \"", keys[k], "\": length ", length_per_key[k], " is negative; use 0 or more");
  const Index sum = std::accumulate(length_per_key.begin(), length_per_key.end(), Index{0});
  if (sum != Index(values.extent(1)))
    fail("the lengths of the keys (", quoted_list(keys), ") sum to ", sum, ", but the values have ", values.extent(1),
         " columns");
  return {keys, length_per_key, values};
}

KeyedTensor KeyedTensor::from_list(const Exec& exec, const std::vector<std::string>& keys,
                                   const std::vector<Matrix<float>>& matrices) {
  if (matrices.size() != keys.size())
    fail("there are ", matrices.size(), " matrices for ", keys.size(), " keys (", quoted_list(keys),
         "); give one for each");
  KeyedTensor tensor;
  tensor.keys = keys;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    if (matrices[k].extent(0) != matrices[0].extent(0))
      fail("key \"", keys[k], "\" has ", matrices[k].extent(0), " rows, but key \"", keys[0], "\" has ",
           matrices[0].extent(0));
    tensor.length_per_key.push_back(matrices[k].extent(1));
  }
  tensor.values =
      side_by_side(exec, {matrices.begin(), matrices.end()}, matrices.empty() ? 0 : Index(matrices[0].extent(0)));
  return tensor;
}

std::vector<Index> KeyedTensor::offset_per_key() const {
  std::vector<Index> first{0};
  for (const Index length : length_per_key) first.push_back(first.back() + length);
  return first;
}

Index KeyedTensor::find(const std::string& key) const { return find_key(keys, key, "keyed tensor"); }

Columns KeyedTensor::columns(Index key) const {
  assert(key >= 0 && key < features());
  const Index first = std::accumulate(length_per_key.begin(), length_per_key.begin() + key, Index{0});
  return Kokkos::subview(values, Kokkos::ALL, std::pair(first, first + length_per_key[key]));
}

std::map<std::string, Columns> KeyedTensor::to_map() const {
  std::map<std::string, Columns> map;
  for (Index k = 0; k < features(); ++k) map.emplace(keys[k], columns(k));
  return map;
}

std::vector<Matrix<float>> KeyedTensor::regroup(const Exec& exec, const std::vector<KeyedTensor>& tensors,
                                                const std::vector<std::vector<std::string>>& groups) {
  for (const KeyedTensor& tensor : tensors)
    if (tensor.samples() != tensors[0].samples())
      fail("regroup: the keyed tensor with keys ", quoted_list(tensor.keys), " has ", tensor.samples(),
           " samples, but the one with keys ", quoted_list(tensors[0].keys), " has ", tensors[0].samples());
  std::vector<Matrix<float>> grouped;
  for (const auto& group : groups) {
    std::vector<Columns> columns;
    for (const std::string& key : group) columns.push_back(find_in(tensors, key));
    grouped.push_back(side_by_side(exec, columns, tensors.empty() ? 0 : tensors[0].samples()));
  }
  return grouped;
}

}  // namespace tesserec::jagged
