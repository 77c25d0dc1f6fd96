// SPDX-License-Identifier: Apache-2.0
#include "gather.hpp"

#include <algorithm>

namespace tesserec::data {
namespace {

/// ids [*, features], taken in the order of `order`, to one run of n ids a feature at values + f * stride.
/// Eight samples at a time, so that each feature's run is written by whole cache lines.
void transpose(const std::int32_t* ids, const std::uint16_t* order, Index n, Index features, Index* values,
               Index stride) {
  constexpr Index tile = 8;
  Index i = 0;
  for (; i + tile <= n; i += tile) {
    const std::int32_t* row[tile];
    for (Index j = 0; j < tile; ++j) row[j] = ids + order[i + j] * features;
    for (Index f = 0; f < features; ++f)
      for (Index j = 0; j < tile; ++j) values[f * stride + i + j] = row[j][f];
  }
  for (; i < n; ++i)
    for (Index f = 0; f < features; ++f) values[f * stride + i] = ids[order[i] * features + f];
}

void gather_packed(const std::vector<Segment>& segments, Index features, Batch& batch) {
  reserve_values(batch, features * batch.size, false);
  Index* offsets = batch.sparse.offsets.data();
  for (Index i = 0; i <= features * batch.size; ++i) offsets[i] = i;
  Index at = 0;
  for (const Segment& segment : segments) {
    const Window& window = *segment.window;
    transpose(window.samples.ids.data(), window.order.data() + segment.first, segment.size, features,
              batch.sparse.values.data() + at, batch.size);
    at += segment.size;
  }
}

void gather_jagged(const std::vector<Segment>& segments, const std::vector<bool>& weighted, Batch& batch) {
  const auto features = std::ssize(weighted);
  const bool any_weighted = std::find(weighted.begin(), weighted.end(), true) != weighted.end();
  Index* offsets = batch.sparse.offsets.data();
  Index total = 0;
  for (Index f = 0; f < features; ++f) {
    Index* to = offsets + f * batch.size;
    for (const Segment& segment : segments) {
      const std::vector<Index>& from = segment.window->samples.jagged[f].offsets;
      for (Index i = 0; i < segment.size; ++i) {
        const Index sample = segment.window->order[segment.first + i];
        *to++ = total;
        total += from[sample + 1] - from[sample];
      }
    }
  }
  offsets[features * batch.size] = total;
  reserve_values(batch, total, any_weighted);

  Index* values = batch.sparse.values.data();
  float* weights = batch.sparse.weights.data();
  for (Index f = 0; f < features; ++f)
    for (const Segment& segment : segments) {
      const Samples::Jagged& bags = segment.window->samples.jagged[f];
      for (Index i = 0; i < segment.size; ++i) {
        const Index sample = segment.window->order[segment.first + i];
        const Index begin = bags.offsets[sample], end = bags.offsets[sample + 1];
        values = std::copy(bags.values.data() + begin, bags.values.data() + end, values);
        if (weighted[f])
          weights = std::copy(bags.weights.data() + begin, bags.weights.data() + end, weights);
        else if (any_weighted)
          weights = std::fill_n(weights, end - begin, 1.0f);  // parallel to the values; no table reads them
      }
    }
}

}  // namespace

void gather(const std::vector<Segment>& segments, const SourceInfo& info, bool packed, Batch& batch) {
  const Index columns = info.dense_features;
  float* labels = batch.labels.data();
  float* dense = batch.dense.data();
  if (info.sample_weights)
    reserve(batch.exec, batch.weights, "tesserec::data::sample_weights", std::max<Index>(batch.size, 1));
  float* weights = batch.weights.data();
  for (const Segment& segment : segments) {
    const Samples& samples = segment.window->samples;
    for (Index i = 0; i < segment.size; ++i) {
      const Index sample = segment.window->order[segment.first + i];
      *labels++ = samples.labels[sample];
      if (info.sample_weights) *weights++ = samples.weights[sample];
      dense = std::copy_n(samples.dense.data() + sample * columns, columns, dense);
    }
  }
  if (packed)
    gather_packed(segments, std::ssize(info.features), batch);
  else
    gather_jagged(segments, info.weighted, batch);
}

}  // namespace tesserec::data
