// SPDX-License-Identifier: Apache-2.0
/// The program's batches, made from the numbers of a file.
#pragma once

#include <string>
#include <vector>

#include <tesserec/data/batch.hpp>

namespace golden {

/// Returns names of features by number: "f0", "f1", ...
inline std::vector<std::string> numbered(const std::string& letter, tesserec::Index count) {
  std::vector<std::string> names;
  for (tesserec::Index i = 0; i < count; ++i) names.push_back(letter + std::to_string(i));
  return names;
}

/// Returns one rank's batch that is the whole batch. `lengths` is [keys, size]; ids, and weights unless empty, are
/// ordered by feature, then by sample. `dense` is [size, columns]. `dense` and `labels` may be empty.
inline tesserec::data::Batch make_batch(const std::vector<std::string>& keys, tesserec::Index size,
                                        const std::vector<std::int64_t>& lengths, const std::vector<std::int64_t>& ids,
                                        const std::vector<float>& weights, const std::vector<float>& dense = {},
                                        const std::vector<float>& labels = {}) {
  using tesserec::Index;
  tesserec::data::Batch batch{tesserec::Exec()};
  tesserec::data::reserve_batch(batch, size, size, static_cast<Index>(dense.size()) / size, keys);
  tesserec::data::reserve_values(batch, static_cast<Index>(ids.size()), !weights.empty());
  batch.sparse.offsets(0) = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) batch.sparse.offsets(i + 1) = batch.sparse.offsets(i) + lengths[i];
  std::copy(ids.begin(), ids.end(), batch.sparse.values.data());
  std::copy(weights.begin(), weights.end(), batch.sparse.weights.data());
  std::copy(dense.begin(), dense.end(), batch.dense.data());
  std::copy(labels.begin(), labels.end(), batch.labels.data());
  return batch;
}

}  // namespace golden
