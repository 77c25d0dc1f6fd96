// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/network/network.hpp>
#include <tesserec/planning/topology.hpp>

namespace tesserec::model {

/// Work of the dense half of a step on the rank with most samples.
struct DenseWork {
  double product_flops = 0;   ///< of layers that multiply matrices
  double other_flops = 0;     ///< of the others
  double vector_bytes = 0;    ///< of the layers' inputs and outputs, each once
  double gradient_bytes = 0;  ///< of the lanes' gradients, of the node's sums, and of what the optimizer moves
  double wire_bytes = 0;      ///< of the sum over nodes: sent and received by a rank
};

DenseWork dense_work(const network::Network& dense, const Lanes& lanes, int ranks, int ranks_per_node,
                     Index global_batch);

/// Returns a step's seconds outside the tables: dense half, reduction, optimizer, fixed costs; not making the batch.
double dense_seconds(const network::Network& dense, const Lanes& lanes, const planning::Topology& topology,
                     Index global_batch);

/// Bytes of the dense half on the rank with most samples. `states`: numbers that the optimizer keeps of a parameter.
double dense_bytes(const network::Network& dense, const Lanes& lanes, int ranks, Index global_batch, Index states);

}  // namespace tesserec::model
