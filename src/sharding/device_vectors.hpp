// SPDX-License-Identifier: Apache-2.0
/// Vectors that are added, divided and put elsewhere in device memory, many in a launch.
#pragma once

#include <vector>

#include <tesserec/core/upload.hpp>

namespace tesserec::sharding {

class DeviceVectors {
 public:
  /// Buffers in which vectors lie: those of a message, and what is fetched.
  enum Buffer : std::int32_t { out, in, fetched };
  static constexpr int buffers = 3;

  /// A vector that is added: a leaf's sum as it is, or, times `weight`, one more of a leaf's chain of fma from +0. At
  /// `height` in the tree the leaf meets the next one; 0: the chain goes on.
  struct Source {
    Index at;
    float weight;
    std::int8_t buffer, height;
    bool in_chain;
  };
  /// Target of sources [first, first + count), divided by `divisor`; 0 without any.
  struct Sum {
    Index at, first, count, dim;
    std::int32_t buffer;
    float divisor;
  };

  void clear() {
    sums_.clear();
    sources_.clear();
  }
  /// A sum without sources yet.
  void begin(Buffer buffer, Index at, Index dim, float divisor = 1.0f) {
    sums_.push_back({at, std::ssize(sources_), 0, dim, buffer, divisor});
  }
  /// Adds to the last sum a vector of a leaf above those before.
  void add(Buffer buffer, Index at, Index leaf);
  /// Adds to the last sum one more of a leaf's chain.
  void add(Buffer buffer, Index at, float weight, int height) {
    ++sums_.back().count;
    sources_.push_back({at, weight, std::int8_t(buffer), std::int8_t(height), true});
  }

  /// All sums at once. `data` [buffers].
  void launch(const Device& device, float* const (&data)[buffers]);

 private:
  std::vector<Sum> sums_;
  std::vector<Source> sources_;
  Index last_leaf_ = 0;
  Upload<Sum> sent_sums_;
  Upload<Source> sent_sources_;
};

}  // namespace tesserec::sharding
