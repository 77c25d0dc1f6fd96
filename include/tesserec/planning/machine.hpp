// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <tesserec/core/index.hpp>

namespace tesserec::planning {

/// Speeds of a rank. The defaults are those of a plain server core, with MPI in shared memory inside a node and 25
/// Gbit/s between nodes. `tesserec bench --save` measures them.
struct MachineCosts {
  double row_reads = 2e7;           ///< random row lookups that miss the caches [1/s]
  double cached_row_reads = 6e7;    ///< random row lookups in caches [1/s]
  double read_bytes = 1e10;         ///< row bytes added to bags [B/s]
  double vector_bytes = 1e10;       ///< pooled vectors written, or their gradients read [B/s]
  double row_updates = 4e7;         ///< random row updates of one array, weights or state, that miss the caches [1/s]
  double cached_row_updates = 3e7;  ///< random row updates in caches [1/s]
  double update_bytes = 6e9;        ///< weights and optimizer states updated [B/s]
  double cached_bytes = 1e6;        ///< bytes of a table that stay in caches between steps [B]
  double ids = 5e7;                 ///< ids bucketized by owner or sorted by row [1/s]
  double fetched_ids = 1.5e7;       ///< ids of fetched rows, ordered at the samples' rank [1/s]
  double fetched_bytes = 5e9;       ///< fetched rows pooled, or their gradients summed, at the samples' rank [B/s]
  double bags = 1e9;                ///< bags of a shard cut out, pooled or sent [1/s]
  double add_bytes = 8e9;           ///< vectors added at the samples' rank, sending of their gradients included [B/s]
  double inside_bytes = 4e9;        ///< bytes sent or received inside a node [B/s]
  double between_bytes = 1.5e9;     ///< bytes sent or received between nodes [B/s]
  double inside_latency = 2e-6;     ///< latency of a message inside a node [s]
  double between_latency = 1e-5;    ///< latency of a message between nodes [s]
  double dense_flops = 5e10;        ///< MLPs, forward and backward [FLOP/s]
  double bf16_flops = 8e10;         ///< MLPs with model.precision = "bf16" [FLOP/s]
  double interaction_flops = 1e10;  ///< interaction, forward and backward [FLOP/s]
  double activation_bytes = 6e9;    ///< inputs and outputs of layers, forward and backward counted as one [B/s]
  double dense_bytes = 4e9;         ///< dense gradients summed over lanes and applied by the optimizer [B/s]
  double disk_rows = 7e4;           ///< rows of kernel disk read at random and written, by look-ahead [1/s]
  double host_bytes = 2e9;          ///< rows of kernel host_cached copied to the device, and as many back [B/s]
  double step_seconds = 5e-5;       ///< fixed time of a step [s]
};

/// GPU machine by name. Its speeds are data-sheet values times efficiencies that others measured; only the host's work
/// is our own measurement (docs/gpu.md).
struct GpuMachine {
  std::string name;
  Index memory;        ///< memory of a GPU, of which each rank has one [bytes]
  int ranks_per_node;  ///< GPUs per node
  MachineCosts costs;
};

/// Returns the known GPU machines. The first one serves GPU plans that name no machine.
const std::vector<GpuMachine>& gpu_machines();
/// Returns the machine of that name, or nullptr if there is none.
const GpuMachine* gpu_machine(const std::string& name);

/// GPU memory that a rank's libraries occupy before any table [bytes].
struct GpuOverhead {
  Index context = 0;     ///< CUDA context, with the program's code
  Index workspaces = 0;  ///< workspaces of cuBLASLt
  Index messages = 0;    ///< NCCL's buffers: those of its rings, and one to send and one to receive per other rank
  Index total() const { return context + workspaces + messages; }
};
/// Returns the GPU memory that libraries take for each rank in a job of `ranks` ranks.
GpuOverhead gpu_taken(int ranks);

}  // namespace tesserec::planning
