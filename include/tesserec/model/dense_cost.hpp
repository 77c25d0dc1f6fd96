// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/network/network.hpp>
#include <tesserec/planning/topology.hpp>

namespace tesserec::model {

/// Work of the dense half in one step, on the rank with most samples.
struct DenseWork {
  double product_flops = 0;   ///< FLOPs of layers that matrix products dominate
  double other_flops = 0;     ///< FLOPs of the other layers
  double vector_bytes = 0;    ///< bytes of vectors that layers read and write, forward
  double gradient_bytes = 0;  ///< bytes of the lanes' gradients, the node's sums and the optimizer's share
  double wire_bytes = 0;      ///< bytes that a rank sends and receives for the sum over nodes
};

/// Computes the work of a step with `global_batch` samples.
DenseWork dense_work(const network::Network& dense, const Lanes& lanes, int ranks, int ranks_per_node,
                     Index global_batch);

/// Estimates the seconds of a step outside the tables: dense half, reduction, optimizer and fixed costs. Making the
/// batch is not included.
double dense_seconds(const network::Network& dense, const Lanes& lanes, const planning::Topology& topology,
                     Index global_batch);

/// Estimates the bytes of the dense half on the rank with most samples. `states`: numbers that the optimizer keeps per
/// parameter.
double dense_bytes(const network::Network& dense, const Lanes& lanes, int ranks, Index global_batch, Index states);

}  // namespace tesserec::model
