// SPDX-License-Identifier: Apache-2.0
/// Checks of a caller's values before they become a jagged tensor.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <tesserec/core/kokkos.hpp>

namespace tesserec::jagged {

/// Function that names bag i in messages: "row 3", or its key and sample.
using BagName = std::function<std::string(Index)>;

std::string row_name(Index row);

/// Returns a function that names a bag by key and sample; key k's bags begin at first_bags[k]. Keeps references to both
/// arguments.
BagName sample_name(const std::vector<std::string>& keys, const std::vector<Index>& first_bags);

/// Returns the offsets of the bags [lengths + 1], from 0 on. Throws Error if a length is negative or the sum is not
/// `values`.
Vector<Index> offsets_of(const Exec& exec, const Vector<Index>& lengths, Index values, const BagName& name);

/// Throws Error unless the offsets start at 0, ascend and end at `values`.
void check_offsets(const Vector<Index>& offsets, Index values, const BagName& name);

/// Throws Error unless there are no weights, or one for each value.
void check_weights(const Vector<float>& weights, Index values);

/// Returns the position of `key` in `keys`. Throws Error with the known keys if it is missing; `tensor` is its noun.
Index find_key(const std::vector<std::string>& keys, const std::string& key, const std::string& tensor);

/// Returns the keys in quotes ("a", "b", "c"), or the word none.
std::string quoted_list(const std::vector<std::string>& keys);

/// Copies `count` entries from from[first] to to[at]. Does not wait for `exec`.
template <class View>
void copy_entries(const Exec& exec, const View& from, Index first, Index count, const View& to, Index at) {
  if (count == 0) return;
  if constexpr (int(View::rank) == 1)
    Kokkos::deep_copy(exec, Kokkos::subview(to, std::pair(at, at + count)),
                      Kokkos::subview(from, std::pair(first, first + count)));
  else
    Kokkos::deep_copy(exec, Kokkos::subview(to, std::pair(at, at + count), Kokkos::ALL),
                      Kokkos::subview(from, std::pair(first, first + count), Kokkos::ALL));
}

}  // namespace tesserec::jagged
