// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <tesserec/core/index.hpp>

namespace tesserec::planning {

/// Work that a rank does a second. The defaults are those of a plain server core with MPI in shared memory inside
/// a node and 25 Gbit/s between nodes; `tesserec bench --save` measures them.
struct MachineCosts {
  double row_reads = 2e7;           ///< rows looked up at random, out of memory, 1/s
  double cached_row_reads = 6e7;    ///< the same where caches hold the table
  double read_bytes = 1e10;         ///< bytes of such rows added to a bag, 1/s
  double vector_bytes = 1e10;       ///< bytes of pooled vectors written, or of their gradients read, 1/s
  double row_updates = 4e7;         ///< rows of an array, weights or state, moved at random by the optimizer, 1/s
  double cached_row_updates = 3e7;  ///< the same where caches hold the table
  double update_bytes = 6e9;        ///< bytes of weights and optimizer state moved, 1/s
  double cached_bytes = 1e6;        ///< bytes of a table that stay in caches from step to step
  double ids = 5e7;                 ///< ids sorted to owners or by row, 1/s
  double fetched_ids = 1.5e7;       ///< ids of rows that travel un-pooled, put in order at the samples, 1/s
  double fetched_bytes = 5e9;       ///< bytes of such rows pooled at the samples, or of their gradients summed, 1/s
  double bags = 1e9;                ///< bags of a shard cut out, pooled or sent, 1/s
  double add_bytes = 8e9;        ///< bytes of vectors added at the samples' rank, sending their gradients included, 1/s
  double inside_bytes = 4e9;     ///< bytes sent or received inside a node, 1/s
  double between_bytes = 1.5e9;  ///< bytes sent or received between nodes, 1/s
  double inside_latency = 2e-6;  ///< of a message inside a node, s
  double between_latency = 1e-5;    ///< of a message between nodes, s
  double dense_flops = 5e10;        ///< of the MLPs forward and backward, FLOP/s
  double bf16_flops = 8e10;         ///< the same with model.precision = "bf16"
  double interaction_flops = 1e10;  ///< of the interaction forward and backward, FLOP/s
  double activation_bytes = 6e9;    ///< bytes of the layers' inputs and outputs, forward and backward as one, 1/s
  double dense_bytes = 4e9;         ///< bytes of dense gradients summed over lanes and moved by the optimizer, 1/s
  double step_seconds = 5e-5;       ///< of a step whatever it does, s
};

/// A machine with GPUs by name: its data sheet times shares that others measured (docs/gpu.md); we measured none.
struct GpuMachine {
  std::string name;
  Index memory;        ///< bytes of a GPU; a rank has one
  int ranks_per_node;  ///< GPUs of a node
  MachineCosts costs;
};

/// The first is what a plan for GPUs takes that names none.
const std::vector<GpuMachine>& gpu_machines();
/// nullptr: none of that name.
const GpuMachine* gpu_machine(const std::string& name);

/// Bytes of a GPU's memory that its rank takes before any table.
struct GpuTaken {
  Index context = 0;     ///< CUDA's, with the program's code
  Index workspaces = 0;  ///< of cuBLASLt
  Index messages = 0;    ///< NCCL's buffers: some for its rings, and for each other rank one to send and one to receive
  Index total() const { return context + workspaces + messages; }
};
GpuTaken gpu_taken(int ranks);

}  // namespace tesserec::planning
