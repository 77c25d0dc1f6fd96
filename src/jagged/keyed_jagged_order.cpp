// SPDX-License-Identifier: Apache-2.0
// Keys of keyed jagged tensors: alone, in parts, in another order, and of several tensors together.
#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

#include "checks.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/jagged/keyed_jagged_tensor.hpp>

namespace tesserec::jagged {
namespace {

/// A key of some tensor.
struct Source {
  const KeyedJaggedTensor* kjt;
  Index key;
};

/// Keys [key, key + count): shares values and weights, its offsets are new.
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

/// Copies the keys of `sources`, one after the other.
KeyedJaggedTensor gather(const Exec& exec, const std::vector<Source>& sources, bool variable, bool weighted,
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

}  // namespace

KeyedJaggedTensor KeyedJaggedTensor::concat(const Exec& exec, const std::vector<KeyedJaggedTensor>& parts) {
  std::vector<Source> sources;
  const KeyedJaggedTensor* first = nullptr;       // with keys
  const KeyedJaggedTensor* first_full = nullptr;  // with ids: only there weights can be told from none
  Index stride = parts.empty() ? 0 : parts[0].stride;
  for (const KeyedJaggedTensor& part : parts) {
    if (part.features() == 0) continue;
    if (first == nullptr) {
      first = &part;
      stride = part.stride;
    }
    const auto names = [&] { return "keys " + quoted_list(first->keys) + " and " + quoted_list(part.keys); };
    if (part.variable_stride() != first->variable_stride())
      fail(names(), ": one part has a stride for each key, the other one for all; they cannot be joined");
    if (part.stride != first->stride && !part.variable_stride())
      fail(names(), ": strides ", first->stride, " and ", part.stride, "; joined parts have the same samples");
    stride = std::max(stride, part.stride);
    if (part.total() > 0) {
      if (first_full == nullptr) first_full = &part;
      if (part.weighted() != first_full->weighted())
        fail("keys ", quoted_list(first_full->keys), " and ", quoted_list(part.keys),
             ": only one of the parts has weights; give all of them weights, or none");
    }
    for (Index k = 0; k < part.features(); ++k) sources.push_back({&part, k});
  }
  return gather(exec, sources, first != nullptr && first->variable_stride(),
                first_full != nullptr && first_full->weighted(), stride);
}

KeyedJaggedTensor KeyedJaggedTensor::permute(const Exec& exec, const std::vector<Index>& order) const {
  std::vector<Source> sources;
  for (const Index key : order) {
    if (key < 0 || key >= features())
      fail("permute: no key at position ", key, "; the keyed jagged tensor has ", features(), " keys (",
           quoted_list(keys), "), from position 0");
    sources.push_back({this, key});
  }
  return gather(exec, sources, variable_stride(), weighted(), stride);
}

std::vector<KeyedJaggedTensor> KeyedJaggedTensor::split(const Exec& exec, const std::vector<Index>& segments) const {
  for (const Index segment : segments)
    if (segment < 0) fail("split: a segment of ", segment, " keys; a segment has 0 or more");
  const Index asked = std::accumulate(segments.begin(), segments.end(), Index{0});
  if (asked != features())
    fail("split: the segments have ", asked, " keys together, but the keyed jagged tensor has ", features(), " (",
         quoted_list(keys), ")");
  std::vector<KeyedJaggedTensor> parts;
  Index key = 0;
  for (const Index segment : segments) {
    parts.push_back(cut(exec, *this, key, segment));
    key += segment;
  }
  return parts;
}

JaggedTensor KeyedJaggedTensor::jagged(const Exec& exec, Index key) const {
  assert(key >= 0 && key < features());
  const KeyedJaggedTensor one = cut(exec, *this, key, 1);
  return {one.values, one.weights, one.offsets};
}

}  // namespace tesserec::jagged
