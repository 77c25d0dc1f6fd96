// SPDX-License-Identifier: Apache-2.0
#include "keyed_jagged_order.hpp"

#include <utility>

#include "checks.hpp"

namespace tesserec::jagged {

KeyedJaggedTensor cut(const Exec& exec, const KeyedJaggedTensor& kjt, Index key, Index count) {
  KeyedJaggedTensor part;
  part.stride = kjt.stride;
  part.keys.assign(kjt.keys.begin() + key, kjt.keys.begin() + key + count);
  const Index first = kjt.first_bag(key), bags = kjt.first_bag(key + count) - first;
  const auto first_id = [&](Index bag) { return kjt.bags() == 0 ? 0 : kjt.offsets(bag); };
  const std::pair<Index, Index> ids(first_id(first), first_id(first + bags));
  part.values = Kokkos::subview(kjt.values, ids);
  if (kjt.weighted()) part.weights = Kokkos::subview(kjt.weights, ids);
  if (kjt.variable_stride())
    for (Index k = key; k <= key + count; ++k) part.first_bags.push_back(kjt.first_bag(k) - first);
  if (count == 0) return part;
  part.offsets = make_vector<Index>(exec, "tesserec::jagged::offsets", bags + 1);
  part.offsets(0) = 0;
  const Vector<Index> old = kjt.offsets, fresh = part.offsets;
  parallel_for(exec, "tesserec::jagged::cut", bags,
               [=, begin = ids.first](Index i) noexcept { fresh(i + 1) = old(first + i + 1) - begin; });
  exec.fence();
  return part;
}

KeyedJaggedTensor gather(const Exec& exec, const std::vector<KeySource>& sources, bool variable, bool weighted,
                         Index stride) {
  KeyedJaggedTensor to;
  to.stride = stride;
  if (variable) to.first_bags = {0};
  Index total = 0, bags = 0;
  for (const auto& [from, key] : sources) {
    const Index first = from->first_bag(key), last = from->first_bag(key + 1);
    to.keys.push_back(from->keys[key]);
    bags += last - first;
    if (variable) to.first_bags.push_back(bags);
    if (first != last) total += from->offsets(last) - from->offsets(first);
  }
  to.offsets = make_vector<Index>(exec, "tesserec::jagged::offsets", bags + 1);
  to.values = make_vector<Index>(exec, "tesserec::jagged::values", total);
  if (weighted) to.weights = make_vector<float>(exec, "tesserec::jagged::weights", total);
  to.offsets(0) = 0;
  Index bag = 0, at = 0;
  for (const auto& [from, key] : sources) {
    const Index first = from->first_bag(key), count = from->first_bag(key + 1) - first;
    if (count == 0) continue;
    const Index begin = from->offsets(first), ids = from->offsets(first + count) - begin;
    const Vector<Index> old = from->offsets, fresh = to.offsets;
    parallel_for(exec, "tesserec::jagged::gather", count,
                 [=](Index i) noexcept { fresh(bag + i + 1) = old(first + i + 1) - begin + at; });
    copy_part(exec, from->values, begin, ids, to.values, at);
    if (weighted) copy_part(exec, from->weights, begin, ids, to.weights, at);
    bag += count;
    at += ids;
  }
  exec.fence();
  return to;
}

}  // namespace tesserec::jagged
