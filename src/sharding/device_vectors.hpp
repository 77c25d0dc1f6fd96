// SPDX-License-Identifier: Apache-2.0
/// Sums of vectors in device memory, many in one launch.
#pragma once

#include <vector>

#include <tesserec/core/upload.hpp>

namespace tesserec::sharding {

class DeviceVectors {
 public:
  /// Buffers of vectors: those of a message, and that of fetched rows.
  enum Buffer : std::int32_t { out, in, fetched };
  static constexpr int buffers = 3;

  /// Addend of a sum: the complete sum of a leaf, or, if `in_chain`, a step of a leaf's chain of fma from +0, times
  /// `weight`. `height`: tree height where the next leaf meets this one; 0 = the chain continues.
  struct Source {
    Index at;
    float weight;
    std::int8_t buffer, height;
    bool in_chain;
  };
  /// Sum of sources [first, first + count), divided by `divisor`; 0 without sources.
  struct Sum {
    Index at, first, count, dim;
    std::int32_t buffer;
    float divisor;
  };

  void clear() {
    sums_.clear();
    sources_.clear();
  }
  /// Begins a sum, which has no sources yet.
  void begin(Buffer buffer, Index at, Index dim, float divisor = 1.0f) {
    sums_.push_back({at, std::ssize(sources_), 0, dim, buffer, divisor});
  }
  /// Adds the complete sum of a leaf to the last sum. Leaves must be ascending.
  void add(Buffer buffer, Index at, Index leaf);
  /// Adds a step of a leaf's chain to the last sum.
  void add(Buffer buffer, Index at, float weight, int height) {
    ++sums_.back().count;
    sources_.push_back({at, weight, std::int8_t(buffer), std::int8_t(height), true});
  }

  /// Computes all sums in one launch. `data` [buffers].
  void launch(const Device& device, float* const (&data)[buffers]);

 private:
  std::vector<Sum> sums_;
  std::vector<Source> sources_;
  Index last_leaf_ = 0;
  Upload<Sum> sent_sums_;
  Upload<Source> sent_sources_;
};

}  // namespace tesserec::sharding
