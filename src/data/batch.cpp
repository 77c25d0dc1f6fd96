// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <tesserec/data/batch.hpp>

namespace tesserec::data {

void reserve_batch(Batch& batch, Index size, Index global_size, Index dense_features,
                   const std::vector<std::string>& keys, Index tasks) {
  batch.size = size;
  batch.global_size = global_size;
  batch.tasks = tasks;
  const bool fits = Index(batch.dense.extent(0)) >= size && Index(batch.dense.extent(1)) == dense_features;
  if (!fits) batch.dense = make_matrix<float>(batch.exec, "tesserec::data::dense", size, dense_features);
  reserve(batch.exec, batch.labels, "tesserec::data::labels", std::max<Index>(size * tasks, 1));
  if (batch.sparse.keys != keys) batch.sparse.keys = keys;
  batch.sparse.stride = size;
  reserve(batch.exec, batch.sparse.offsets, "tesserec::data::offsets", std::ssize(keys) * size + 1);
}

void reserve_values(Batch& batch, Index total, bool weighted) {
  reserve(batch.exec, batch.sparse.values, "tesserec::data::values", std::max<Index>(total, 1));
  if (weighted)
    reserve(batch.exec, batch.sparse.weights, "tesserec::data::weights", std::max<Index>(total, 1));
  else
    batch.sparse.weights = {};
}

}  // namespace tesserec::data
