// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

#include "checks.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/jagged/keyed_jagged_tensor.hpp>

namespace tesserec::jagged {
namespace {

/// A key, and the tensor that it is taken from.
struct KeySource {
  const KeyedJaggedTensor* kjt;
  Index key;
};

/// Returns keys [key, key + count) of `kjt`. Shares values and weights; the offsets are new. Waits for `exec`.
KeyedJaggedTensor cut(const Exec& exec, const KeyedJaggedTensor& kjt, Index key, Index count) {
  KeyedJaggedTensor result;
  result.stride = kjt.stride;
  result.keys.assign(kjt.keys.begin() + key, kjt.keys.begin() + key + count);
  const Index first = kjt.first_bag(key), bags = kjt.first_bag(key + count) - first;
  const auto first_id = [&](Index bag) { return kjt.bags() == 0 ? 0 : kjt.offsets(bag); };
  const std::pair<Index, Index> ids(first_id(first), first_id(first + bags));
  result.values = Kokkos::subview(kjt.values, ids);
  if (kjt.weighted()) result.weights = Kokkos::subview(kjt.weights, ids);
  if (kjt.variable_stride())
    for (Index k = key; k <= key + count; ++k) result.first_bags.push_back(kjt.first_bag(k) - first);
  if (count == 0) return result;
  result.offsets = make_vector<Index>(exec, "tesserec::jagged::offsets", bags + 1);
  result.offsets(0) = 0;
  const Vector<Index> old = kjt.offsets, fresh = result.offsets;
  parallel_for(exec, "tesserec::jagged::cut", bags,
               [=, begin = ids.first](Index i) noexcept { fresh(i + 1) = old(first + i + 1) - begin; });
  exec.fence();
  return result;
}

/// Copies the keys of `sources` into one tensor, in order. `variable` is true for a stride per key. Waits for `exec`.
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
    copy_entries(exec, from->values, begin, ids, to.values, at);
    if (weighted) copy_entries(exec, from->weights, begin, ids, to.weights, at);
    bag += count;
    at += ids;
  }
  exec.fence();
  return to;
}

/// Returns a tensor with keys, stride and first bags for a total of `bags` bags. Throws Error if `strides` do not fit.
KeyedJaggedTensor with_strides(const std::vector<std::string>& keys, Index bags, const std::vector<Index>& strides) {
  KeyedJaggedTensor kjt;
  kjt.keys = keys;
  if (strides.empty()) {
    const Index features = kjt.features();
    if (features == 0 ? bags != 0 : bags % features != 0)
      fail(bags, " bags cannot be divided evenly among ", features, " keys (", quoted_list(keys),
           "); give lengths for each key and sample, or a stride for each key");
    kjt.stride = features == 0 ? 0 : bags / features;
    return kjt;
  }
  if (strides.size() != keys.size())
    fail("there are ", strides.size(), " strides for ", keys.size(), " keys; give one for each");
  kjt.first_bags = {0};
  for (std::size_t k = 0; k < keys.size(); ++k) {
    if (strides[k] < 0) fail("key \"", keys[k], "\": stride ", strides[k], " is negative; use 0 or more");
    kjt.first_bags.push_back(kjt.first_bags.back() + strides[k]);
    kjt.stride = std::max(kjt.stride, strides[k]);
  }
  if (kjt.first_bags.back() != bags) fail("the strides sum to ", kjt.first_bags.back(), " bags, but there are ", bags);
  return kjt;
}

}  // namespace

KeyedJaggedTensor KeyedJaggedTensor::from_lengths(const Exec& exec, const std::vector<std::string>& keys,
                                                  const Vector<Index>& values, const Vector<Index>& lengths,
                                                  const Vector<float>& weights, const std::vector<Index>& strides) {
  const Index count = values.extent(0);
  check_weights(weights, count);
  KeyedJaggedTensor kjt = with_strides(keys, Index(lengths.extent(0)), strides);
  const std::vector<Index> first_bags = kjt.lengths_offset_per_key();
  kjt.offsets = offsets_of(exec, lengths, count, sample_name(keys, first_bags));
  kjt.values = values;
  kjt.weights = weights;
  return kjt;
}

KeyedJaggedTensor KeyedJaggedTensor::from_offsets(const std::vector<std::string>& keys, const Vector<Index>& values,
                                                  const Vector<Index>& offsets, const Vector<float>& weights,
                                                  const std::vector<Index>& strides) {
  const Index count = values.extent(0);
  check_weights(weights, count);
  if (offsets.extent(0) == 0) fail("there are no offsets; give one more than the number of bags");
  KeyedJaggedTensor kjt = with_strides(keys, Index(offsets.extent(0)) - 1, strides);
  const std::vector<Index> first_bags = kjt.lengths_offset_per_key();
  check_offsets(offsets, count, sample_name(keys, first_bags));
  kjt.offsets = offsets;
  kjt.values = values;
  kjt.weights = weights;
  return kjt;
}

KeyedJaggedTensor KeyedJaggedTensor::from_jagged(const Exec& exec, const std::vector<std::string>& keys,
                                                 const std::vector<JaggedTensor>& jagged) {
  if (keys.size() != jagged.size())
    fail("there are ", jagged.size(), " jagged tensors for ", keys.size(), " keys; give one for each");
  std::vector<KeyedJaggedTensor> tensors;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    if (jagged[k].size() != jagged[0].size())
      fail("key \"", keys[k], "\" has ", jagged[k].size(), " rows, but key \"", keys[0], "\" has ", jagged[0].size(),
           "; every key needs a bag for each sample");
    tensors.push_back({{keys[k]}, jagged[k].size(), jagged[k].values, jagged[k].weights, jagged[k].offsets});
  }
  return concat(exec, tensors);
}

KeyedJaggedTensor KeyedJaggedTensor::from_dense(const Exec& exec, const std::vector<std::string>& keys,
                                                const std::vector<std::vector<std::vector<Index>>>& bags,
                                                const std::vector<std::vector<std::vector<float>>>& weights) {
  if (keys.size() != bags.size()) fail("there are bags of ", bags.size(), " keys for ", keys.size(), " keys");
  if (!weights.empty() && weights.size() != bags.size())
    fail("there are weights of ", weights.size(), " keys for ", bags.size(), " keys");
  std::vector<JaggedTensor> jagged;
  for (std::size_t k = 0; k < keys.size(); ++k)
    jagged.push_back(weights.empty() ? from_list(exec, bags[k]) : from_list(exec, bags[k], weights[k]));
  return from_jagged(exec, keys, jagged);
}

KeyedJaggedTensor KeyedJaggedTensor::concat(const Exec& exec, const std::vector<KeyedJaggedTensor>& tensors) {
  std::vector<KeySource> sources;
  const KeyedJaggedTensor* first = nullptr;       // first tensor with keys
  const KeyedJaggedTensor* first_full = nullptr;  // first tensor with ids; without ids, weighted() tells nothing
  Index stride = tensors.empty() ? 0 : tensors[0].stride;
  for (const KeyedJaggedTensor& tensor : tensors) {
    if (tensor.features() == 0) continue;
    if (first == nullptr) {
      first = &tensor;
      stride = tensor.stride;
    }
    const auto names = [&] { return "keys " + quoted_list(first->keys) + " and " + quoted_list(tensor.keys); };
    if (tensor.variable_stride() != first->variable_stride())
      fail(names(),
           ": one tensor has a stride for each key, the other has one stride for all; they cannot be concatenated");
    if (tensor.stride != first->stride && !tensor.variable_stride())
      fail(names(), ": strides ", first->stride, " and ", tensor.stride,
           " differ; concatenated tensors need the same samples");
    stride = std::max(stride, tensor.stride);
    if (tensor.total() > 0) {
      if (first_full == nullptr) first_full = &tensor;
      if (tensor.weighted() != first_full->weighted())
        fail("keys ", quoted_list(first_full->keys), " and ", quoted_list(tensor.keys),
             ": only one of the tensors has weights; give weights to all of them, or to none");
    }
    for (Index k = 0; k < tensor.features(); ++k) sources.push_back({&tensor, k});
  }
  return gather(exec, sources, first != nullptr && first->variable_stride(),
                first_full != nullptr && first_full->weighted(), stride);
}

Index KeyedJaggedTensor::find(const std::string& key) const { return find_key(keys, key, "keyed jagged tensor"); }

JaggedTensor KeyedJaggedTensor::jagged(const Exec& exec, Index key) const {
  assert(key >= 0 && key < features());
  const KeyedJaggedTensor bags = cut(exec, *this, key, 1);
  return {bags.values, bags.weights, bags.offsets};
}

std::map<std::string, JaggedTensor> KeyedJaggedTensor::to_map(const Exec& exec) const {
  std::map<std::string, JaggedTensor> map;
  for (Index k = 0; k < features(); ++k) map.emplace(keys[k], jagged(exec, k));
  return map;
}

KeyedJaggedTensor KeyedJaggedTensor::permute(const Exec& exec, const std::vector<Index>& order) const {
  std::vector<KeySource> sources;
  for (const Index key : order) {
    if (key < 0 || key >= features())
      fail("permute: there is no key at position ", key, "; the keyed jagged tensor has ", features(), " keys (",
           quoted_list(keys), "), from position 0");
    sources.push_back({this, key});
  }
  return gather(exec, sources, variable_stride(), weighted(), stride);
}

std::vector<KeyedJaggedTensor> KeyedJaggedTensor::split(const Exec& exec, const std::vector<Index>& segments) const {
  for (const Index segment : segments)
    if (segment < 0) fail("split: a segment of ", segment, " keys is negative; use 0 or more");
  const Index total = std::accumulate(segments.begin(), segments.end(), Index{0});
  if (total != features())
    fail("split: the segments have ", total, " keys together, but the keyed jagged tensor has ", features(), " (",
         quoted_list(keys), ")");
  std::vector<KeyedJaggedTensor> tensors;
  Index key = 0;
  for (const Index segment : segments) {
    tensors.push_back(cut(exec, *this, key, segment));
    key += segment;
  }
  return tensors;
}

Vector<Index> KeyedJaggedTensor::lengths(const Exec& exec) const {
  const Vector<Index> lengths = make_vector<Index>(exec, "tesserec::jagged::lengths", bags());
  for (Index i = 0; i < bags(); ++i) lengths(i) = offsets(i + 1) - offsets(i);
  return lengths;
}

std::vector<Index> KeyedJaggedTensor::stride_per_key() const {
  std::vector<Index> strides;
  for (Index k = 0; k < features(); ++k) strides.push_back(first_bag(k + 1) - first_bag(k));
  return strides;
}

std::vector<Index> KeyedJaggedTensor::length_per_key() const {
  std::vector<Index> ids = offset_per_key();
  std::adjacent_difference(ids.begin(), ids.end(), ids.begin());
  ids.erase(ids.begin());
  return ids;
}

std::vector<Index> KeyedJaggedTensor::offset_per_key() const {
  std::vector<Index> first_ids;
  for (Index k = 0; k <= features(); ++k) first_ids.push_back(bags() == 0 ? 0 : offsets(first_bag(k)));
  return first_ids;
}

std::vector<Index> KeyedJaggedTensor::lengths_offset_per_key() const {
  std::vector<Index> first;
  for (Index k = 0; k <= features(); ++k) first.push_back(first_bag(k));
  return first;
}

}  // namespace tesserec::jagged
