// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <vector>

#include "pass.hpp"
#include <tesserec/network/predictor.hpp>

namespace tesserec::network {
namespace {

class ChunkPredictor final : public Predictor {
 public:
  ChunkPredictor(const Graph& graph, const PackedWeights& weights, const float* parameters,
                 const losses::LossFunction& loss)
      : graph_(graph), executor_(graph, loss, products::panel_products()) {
    data_.parameters = parameters;
    data_.packed = weights.data();
  }

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
