// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <tesserec/model/dense_cost.hpp>

namespace tesserec::model {

DenseWork dense_work(const Dlrm& dense, const Lanes& lanes, int ranks, Index global_batch) {
  Index samples = 0, most_lanes = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    samples = std::max(samples, lanes.samples_of_rank(rank, ranks, global_batch).size());
    most_lanes = std::max(most_lanes, lanes.of_rank(rank, ranks).size());
  }
  const double interaction = dense.interaction_flops_per_sample();
  const double gradient = sizeof(float) * static_cast<double>(dense.parameters());
  DenseWork work;
  work.mlp_flops = static_cast<double>(samples) * (dense.flops_per_sample() - interaction);
  work.interaction_flops = static_cast<double>(samples) * interaction;
  work.gradient_bytes = gradient * static_cast<double>(most_lanes + 1);
  work.wire_bytes = 4 * gradient * (ranks - 1) / ranks;  // pieces to their ranks, then all pieces to all: both ways
  return work;
}

double dense_seconds(const Dlrm& dense, const Lanes& lanes, const sharding::Topology& topology, Index global_batch) {
  const DenseWork work = dense_work(dense, lanes, topology.ranks, global_batch);
  const sharding::MachineCosts& m = topology.costs;
  const double others = std::max(1, topology.ranks - 1);
  const double inside = (topology.ranks_per_node - 1) / others, between = 1 - inside;
  const double wire = topology.ranks == 1 ? 0 : work.wire_bytes * (inside / m.inside_bytes + between / m.between_bytes);
  return work.mlp_flops / m.dense_flops + work.interaction_flops / m.interaction_flops +
         work.gradient_bytes / m.dense_bytes + wire + m.step_seconds;
}

}  // namespace tesserec::model
