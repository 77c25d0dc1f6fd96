// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <utility>

#include <tesserec/model/dense_cost.hpp>

namespace tesserec::model {

namespace {

/// Returns the largest number of samples and of lanes on one rank.
std::pair<Index, Index> most_of_rank(const Lanes& lanes, int ranks, Index global_batch) {
  Index samples = 0, most_lanes = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    samples = std::max(samples, lanes.samples_of_rank(rank, ranks, global_batch).size());
    most_lanes = std::max(most_lanes, lanes.of_rank(rank, ranks).size());
  }
  return {samples, most_lanes};
}

/// Counts the floats that layers read and write per sample in the forward pass. Vectors inside a layer count twice, as
/// written and read. Pooled vectors count once more, for the scan of their gradients for values that are not finite.
double vector_numbers(const network::Network& dense) {
  double sum = double(dense.pooled_width());
  for (const network::LayerInfo& layer : dense.layers()) {
    for (const layers::InputShape& input : layer.inputs) sum += double(input.width()) * input.length;
    const double outputs = layer.sequence ? layer.sequence->length : 1.0;
    const std::vector<Index>& widths = layer.settings.widths;
    const Index inside = std::accumulate(widths.begin(), widths.end(), layer.width * layer.settings.layers);
    sum += outputs * double(layer.width) + 2.0 * double(std::max(Index{0}, inside - layer.width));
  }
  return sum;
}

}  // namespace

DenseWork dense_work(const network::Network& dense, const Lanes& lanes, int ranks, int ranks_per_node,
                     Index global_batch) {
  const auto [samples, most_lanes] = most_of_rank(lanes, ranks, global_batch);
  const double other = dense.other_flops_per_sample();
  const double gradient = sizeof(float) * double(dense.parameters());
  DenseWork work;
  work.product_flops = double(samples) * (dense.flops_per_sample() - other);
  work.other_flops = double(samples) * other;
  work.vector_bytes = sizeof(float) * double(samples) * vector_numbers(dense);
  // A rank reads its share of the sums of all ranks on its node, and updates that share of the parameters.
  work.gradient_bytes = gradient * (double(most_lanes) + (ranks_per_node > 1 ? 1.0 : 0.0) + 1.0 / ranks_per_node);
  // The share is reduce-scattered among the nodes and all-gathered. Each sends and receives, hence the factor 4.
  const double nodes = double(ranks) / ranks_per_node;
  work.wire_bytes = 4 * gradient / ranks_per_node * (nodes - 1) / nodes;
  return work;
}

double dense_bytes(const network::Network& dense, const Lanes& lanes, int ranks, Index global_batch, Index states) {
  const auto [samples, most_lanes] = most_of_rank(lanes, ranks, global_batch);
  // Parameters, both packed forms, states, and the buffers of LaneSums: about log2(lanes) partial sums and the result.
  const double copies = 3 + double(states) + double(std::bit_width(std::uint64_t(most_lanes))) + 1;
  const double vectors = ranks > 1 ? 4 : 2;  // pooled vectors and their gradients, of two batches with train.pipeline
  return sizeof(float) *
         (copies * double(dense.parameters()) + double(samples) * vectors * double(dense.pooled_width()));
}

double dense_seconds(const network::Network& dense, const Lanes& lanes, const planning::Topology& topology,
                     Index global_batch) {
  const DenseWork work = dense_work(dense, lanes, topology.ranks, topology.ranks_per_node, global_batch);
  const planning::MachineCosts& m = topology.costs;
  const bool bf16 = dense.settings().precision == products::Precision::bf16;
  return work.product_flops / (bf16 ? m.bf16_flops : m.dense_flops) + work.other_flops / m.interaction_flops +
         work.vector_bytes / m.activation_bytes + work.gradient_bytes / m.dense_bytes +
         work.wire_bytes / m.between_bytes + m.step_seconds;
}

}  // namespace tesserec::model
