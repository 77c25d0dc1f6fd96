// SPDX-License-Identifier: Apache-2.0
/// Checks of a caller's numbers before they become a jagged tensor.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <tesserec/core/kokkos.hpp>

namespace tesserec::jagged {

/// Name that a message has for bag i: "row 3", or key and sample.
using BagName = std::function<std::string(Index)>;

std::string row_name(Index row);

/// Key and sample of bag i, where key k's bags begin at first_bags[k].
BagName sample_name(const std::vector<std::string>& keys, const std::vector<Index>& first_bags);

/// [lengths + 1], from 0. Error: a negative length, or a sum that is not `values`.
Vector<Index> offsets_of(const Exec& exec, const Vector<Index>& lengths, Index values, const BagName& name);

/// Error unless offsets start at 0, ascend and end at `values`.
void check_offsets(const Vector<Index>& offsets, Index values, const BagName& name);

/// Error unless there are no weights, or as many as values.
void check_weights(const Vector<float>& weights, Index values);

/// Position of `key`. Error: names it and the known ones; `what` is where they were looked for.
Index find_key(const std::vector<std::string>& keys, const std::string& key, const std::string& what);

/// "a", "b", "c"; or none.
std::string quoted_list(const std::vector<std::string>& keys);

/// Copies `count` entries from from[first] to to[at].
template <class View>
void copy_part(const Exec& exec, const View& from, Index first, Index count, const View& to, Index at) {
  if (count == 0) return;
  if constexpr (int(View::rank) == 1)
    Kokkos::deep_copy(exec, Kokkos::subview(to, std::pair(at, at + count)),
                      Kokkos::subview(from, std::pair(first, first + count)));
  else
    Kokkos::deep_copy(exec, Kokkos::subview(to, std::pair(at, at + count), Kokkos::ALL),
                      Kokkos::subview(from, std::pair(first, first + count), Kokkos::ALL));
}

}  // namespace tesserec::jagged
