// SPDX-License-Identifier: Apache-2.0
// Batches that tests write out as lists.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <tesserec/jagged/keyed_jagged_tensor.hpp>

/// Returns the batch of ids[key][sample][position]; weights have the same shape or are empty.
inline tesserec::jagged::KeyedJaggedTensor batch_of(const std::vector<std::string>& keys,
                                                    const std::vector<std::vector<std::vector<tesserec::Index>>>& ids,
                                                    const std::vector<std::vector<std::vector<float>>>& weights = {}) {
  using tesserec::Index;
  std::vector<Index> values, offsets{0};
  std::vector<float> flat_weights;
  for (std::size_t k = 0; k < ids.size(); ++k)
    for (std::size_t s = 0; s < ids[k].size(); ++s) {
      values.insert(values.end(), ids[k][s].begin(), ids[k][s].end());
      if (!weights.empty()) flat_weights.insert(flat_weights.end(), weights[k][s].begin(), weights[k][s].end());
      offsets.push_back(static_cast<Index>(values.size()));
    }
  const auto view = [](const auto& numbers) {
    auto v = tesserec::make_vector<typename std::decay_t<decltype(numbers)>::value_type>(
        tesserec::Exec(), "tesserec::test::batch", static_cast<Index>(numbers.size()));
    std::copy(numbers.begin(), numbers.end(), v.data());
    return v;
  };
  tesserec::jagged::KeyedJaggedTensor batch;
  batch.keys = keys;
  batch.stride = ids.empty() ? 0 : static_cast<Index>(ids[0].size());
  batch.values = view(values);
  batch.offsets = view(offsets);
  if (!weights.empty()) batch.weights = view(flat_weights);
  return batch;
}
