// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include <tesserec/core/index.hpp>
#include <tesserec/core/lanes.hpp>

namespace tesserec::network {

/// Vectors of an un-pooled feature for the samples of a chunk.
struct ChunkVectors {
  const float* values = nullptr;  ///< [vectors, dim]
  Index dim = 0;
  const Index* offsets = nullptr;  ///< [samples + 1] first vector of each sample, from 0, and the end
};

/// Input of the dense half for at most chunk_samples samples, in the host's memory.
struct ChunkInput {
  Index samples = 0;
  const float* dense = nullptr;                 ///< [samples, dense_features]
  const float* pooled = nullptr;                ///< [samples, sum of pooled dimensions], features in order
  std::span<const ChunkVectors> unpooled = {};  ///< in the order of Network::unpooled()
  /// Inputs that are the same for all samples: `dense`, and columns of `pooled`, where ranges do not touch. Layers that
  /// read nothing else are computed once.
  bool same_dense = false;
  std::span<const Range> same_pooled = {};
};

/// Forward passes of one thread over a network whose weights Network::freeze() has packed. Several predictors may run
/// at once. A predictor allocates nothing once it has seen its largest chunk, if the model has no sequences.
class Predictor {
 public:
  virtual ~Predictor() = default;
  /// Returns the samples of a chunk that runs fastest, at most chunk_samples. The probabilities do not depend on it.
  virtual Index best_chunk() const = 0;
  /// Computes the probabilities [samples, T] of T labels with the bits of Network::predict(). Uses the calling thread
  /// alone.
  virtual void predict(const ChunkInput& chunk, float* probabilities) = 0;
};

}  // namespace tesserec::network
