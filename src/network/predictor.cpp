// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <vector>

#include <unistd.h>

#include "pass.hpp"
#include <tesserec/core/lanes.hpp>
#include <tesserec/network/predictor.hpp>

namespace tesserec::network {
namespace {

/// Returns the bytes of the second cache, which a core has for itself.
Index second_cache() {
  constexpr Index usual = Index{1} << 20;
#ifdef _SC_LEVEL2_CACHE_SIZE
  const long known = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return known > 0 ? Index{known} : usual;
#else
  return usual;
#endif
}

/// Returns the numbers of a sample that a pass reads or writes: inputs, outputs of layers and of products inside them.
Index numbers_of_sample(const Graph& graph) {
  Index numbers = graph.dense_features() + graph.pooled_width();
  for (const Graph::Node& node : graph.nodes()) numbers += node.layer->width();
  for (const layers::Parameter& tensor : graph.parameters())
    if (tensor.columns > 1) numbers += tensor.rows;
  return numbers;
}

/// Division of the second cache between packed weights and the numbers of a chunk's samples.
struct CacheSplit {
  explicit CacheSplit(const Graph& graph) {
    constexpr Index step = 16, least = 16, number = sizeof(float);
    const Index cache = second_cache(), left = cache - graph.packed_size() * number;
    weights_near = left >= cache / 2;
    const Index fit = left / 3 / (numbers_of_sample(graph) * number);
    if (weights_near) best_chunk = std::clamp(fit / step * step, least, chunk_samples);
  }
  bool weights_near;                 ///< The weights leave at least half of the cache free.
  Index best_chunk = chunk_samples;  ///< samples whose numbers take a third of what is free, or as many as there may be
};

class ChunkPredictor final : public Predictor {
 public:
  ChunkPredictor(const Graph& graph, const PackedWeights& weights, const float* parameters,
                 const losses::LossFunction& loss)
      : graph_(graph), cache_(graph), executor_(graph, loss, products::panel_products(cache_.weights_near)) {
    data_.parameters = parameters;
    data_.packed = weights.data();
  }

  Index best_chunk() const override { return cache_.best_chunk; }

  void predict(const ChunkInput& chunk, float* probabilities) override {
    sequences_.clear();
    for (const ChunkVectors& vectors : chunk.unpooled) {
      SequenceData& sequence = sequences_.emplace_back(SequenceData{{vectors.values, vectors.dim, vectors.dim}});
      sequence.offsets = vectors.offsets;
      sequence.on_host = vectors.offsets;
    }
    data_.global_size = chunk.samples;
    data_.dense = chunk.dense;
    data_.pooled = chunk.pooled;
    data_.sequences = sequences_;
    data_.same = find_same(chunk);
    const OnePiece piece(chunk.samples);
    executor_.forward({}, data_, 0, chunk.samples, piece.pieces());
    executor_.predict({}, probabilities);
  }

 private:
  /// Returns the layers that read nothing but what is the same for all samples, or none.
  std::span<const std::uint8_t> find_same(const ChunkInput& chunk) {
    if (!chunk.same_dense && chunk.same_pooled.empty()) return {};
    same_.clear();
    for (const Graph::Node& node : graph_.nodes())
      same_.push_back(std::ranges::all_of(node.inputs, [&](const Graph::Input& input) {
        if (input.from == Graph::From::dense) return chunk.same_dense;
        if (input.from == Graph::From::layer) return same_[input.layer] != 0;
        const auto contains = [&](const Range& columns) {
          return columns.begin <= input.columns.begin && input.columns.end <= columns.end;
        };
        return input.from == Graph::From::pooled && std::ranges::any_of(chunk.same_pooled, contains);
      }));
    return same_;
  }

  const Graph& graph_;
  CacheSplit cache_;
  Executor executor_;
  BatchData data_;
  std::vector<SequenceData> sequences_;
  std::vector<std::uint8_t> same_;  // [layer]
};

}  // namespace

std::unique_ptr<Predictor> chunk_predictor(const Graph& graph, const PackedWeights& weights, const float* parameters,
                                           const losses::LossFunction& loss) {
  return std::make_unique<ChunkPredictor>(graph, weights, parameters, loss);
}

}  // namespace tesserec::network
