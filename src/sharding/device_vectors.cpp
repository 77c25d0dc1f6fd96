// SPDX-License-Identifier: Apache-2.0
#include "device_vectors.hpp"

#include <algorithm>
#include <cmath>

#include <tesserec/core/tree_sum.hpp>
#include <tesserec/embedding/block_of.hpp>

namespace tesserec::sharding {
namespace {

constexpr int levels = 16;  // log2 of the most row blocks and of the most lanes
static_assert(embedding::block_count <= 1 << levels);

struct AddVectors {
  const DeviceVectors::Sum* sums;
  const DeviceVectors::Source* sources;
  float* data[DeviceVectors::buffers];

  TESSEREC_FUNCTION void operator()(const LaneGroup& lanes, Index item) const {
    const DeviceVectors::Sum& to = sums[item];
    for (Index c = lanes.lane; c < to.dim; c += lanes.width) {
      TreeSum<float, levels> tree;
      float sum = 0.0f;
      for (Index i = to.first; i < to.first + to.count; ++i) {
        const DeviceVectors::Source& source = sources[i];
        const float number = data[source.buffer][source.at + c];
        sum = source.in_chain ? std::fma(source.weight, number, sum) : number;
        if (source.height == 0) continue;
        tree.climb(sum, source.height);
        if (i + 1 < to.first + to.count) sum = 0.0f;
      }
      data[to.buffer][to.at + c] = sum / to.divisor;
    }
  }
};

template <class T>
const T* send(const Device& device, Upload<T>& to, const std::vector<T>& list) {
  std::copy(list.begin(), list.end(), to.reserve(device, "tesserec::sharding::vectors", std::ssize(list)));
  return to.send(device, std::ssize(list));
}

}  // namespace

void DeviceVectors::add(Buffer buffer, Index at, Index leaf) {
  if (sums_.back().count++ > 0) sources_.back().height = std::int8_t(height_above(last_leaf_, leaf));
  sources_.push_back({at, 1.0f, std::int8_t(buffer), last_leaf, false});
  last_leaf_ = leaf;
}

void DeviceVectors::launch(const Device& device, float* const (&data)[buffers]) {
  if (sums_.empty()) return;
  AddVectors kernel{send(device, sent_sums_, sums_), send(device, sent_sources_, sources_), {}};
  std::copy_n(data, buffers, kernel.data);
  Index widest = 0;
  for (const Sum& sum : sums_) widest = std::max(widest, sum.dim);
  tesserec::launch(device, "tesserec::sharding::add_vectors", std::ssize(sums_), widest, kernel);
}

}  // namespace tesserec::sharding
