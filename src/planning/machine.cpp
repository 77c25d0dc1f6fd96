// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <tesserec/planning/machine.hpp>

namespace tesserec::planning {
namespace {

/// Data sheet of a GPU and its node. Speeds in bytes per second, of `inside` and `between` for both directions
/// together.
struct DataSheet {
  double memory, cache_bytes, inside, between, host;
  double fp32, bf16;
};

/// Applies the efficiencies that others measured, and the times of an H100's host with one thread per rank
/// (docs/gpu.md).
MachineCosts costs_of(const DataSheet& sheet) {
  constexpr double gather = 0.62, update = 0.44, stream = 0.90, link = 0.82, product = 0.5, plain_product = 0.75;
  constexpr double random_reads = 3.95e9 / 2.039e12;  // of an A100: reads per second over bytes per second
  constexpr double sorted_ids = 7e9, pcie = 0.82;
  // Host times in seconds. Two of them are halved, because `ids` and `bags` count at the asking rank and at the owner.
  constexpr double cut_id = 2.1e-9 / 2, cut_bag = 7.7e-9 / 2, fetched_id = 150e-9;
  constexpr double host_copy = 5e9;  // bytes per second that the host gathers or stores row by row: assumed
  MachineCosts costs;
  costs.row_reads = random_reads * sheet.memory;
  costs.cached_row_reads = 2 * costs.row_reads;
  costs.read_bytes = gather * sheet.memory;
  costs.vector_bytes = stream * sheet.memory;
  costs.row_updates = costs.row_reads / 2;  // each row is read and written
  costs.cached_row_updates = 2 * costs.row_updates;
  costs.update_bytes = update * sheet.memory / 2;
  costs.cached_bytes = sheet.cache_bytes / 8;  // assumes eight tables per GPU
  costs.ids = 1 / (1 / sorted_ids + sizeof(Index) / (pcie * sheet.host) + cut_id);
  costs.fetched_ids = 1 / fetched_id;
  costs.fetched_bytes = costs.read_bytes / 2;  // each row is read and written
  costs.bags = 1 / (1 / costs.row_reads + cut_bag);
  costs.add_bytes = stream * sheet.memory / 4;  // reads two vectors, writes the sum, and sends the gradient
  costs.inside_bytes = link * sheet.inside;
  costs.between_bytes = link * sheet.between;
  costs.inside_latency = 1e-6;
  costs.between_latency = 2e-6;
  costs.dense_flops = plain_product * sheet.fp32;
  costs.bf16_flops = product * sheet.bf16;
  costs.interaction_flops = 4 * sheet.memory;          // FLOP per byte moved
  costs.activation_bytes = stream * sheet.memory / 4;  // moved once forward, and twice backward with its gradient
  costs.dense_bytes = stream * sheet.memory / 2;
  costs.host_bytes = 1 / (2 / host_copy + 1 / (pcie * sheet.host));
  costs.step_seconds = 1e-4;
  return costs;
}

}  // namespace

const std::vector<GpuMachine>& gpu_machines() {
  static const std::vector<GpuMachine> machines = {
      {"h200", 141'000'000'000, 8, costs_of({4.8e12, 5e7, 9e11, 1e11, 6.4e10, 6.7e13, 9.89e14})},
      {"a100", 80'000'000'000, 8, costs_of({2.039e12, 4e7, 6e11, 5e10, 3.2e10, 1.95e13, 3.12e14})},
  };
  return machines;
}

const GpuMachine* gpu_machine(const std::string& name) {
  const auto& machines = gpu_machines();
  const auto found = std::ranges::find(machines, name, &GpuMachine::name);
  return found == machines.end() ? nullptr : &*found;
}

GpuOverhead gpu_taken(int ranks) {
  constexpr Index mib = 1 << 20, buffer = 4 * mib;  // default of NCCL_BUFFSIZE
  constexpr Index rings = 32 * 2 * buffer;          // 32 channels, each with a buffer to send and one to receive
  return {512 * mib, 36 * mib, ranks > 1 ? rings + (ranks - 1) * 2 * buffer : 0};
}

}  // namespace tesserec::planning
