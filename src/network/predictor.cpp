// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "pass.hpp"
#include <tesserec/network/predictor.hpp>

namespace tesserec::network {
namespace {

class ChunkPredictor final : public Predictor {
 public:
  ChunkPredictor(const Graph& graph, const PackedWeights& weights, const float* parameters,
                 const losses::LossFunction& loss)
      : executor_(graph, loss, products::panel_products()) {
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
    const OnePiece piece(chunk.samples);
    executor_.forward({}, data_, 0, chunk.samples, piece.pieces());
    executor_.predict({}, probabilities);
  }

 private:
  Executor executor_;
  BatchData data_;
  std::vector<SequenceData> sequences_;
};

}  // namespace

std::unique_ptr<Predictor> chunk_predictor(const Graph& graph, const PackedWeights& weights, const float* parameters,
                                           const losses::LossFunction& loss) {
  return std::make_unique<ChunkPredictor>(graph, weights, parameters, loss);
}

}  // namespace tesserec::network
