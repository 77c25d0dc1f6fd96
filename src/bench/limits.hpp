// SPDX-License-Identifier: Apache-2.0
/// Limits of the machine, whatever the program does.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "measure.hpp"
#include <tesserec/bench/report.hpp>
#include <tesserec/core/kokkos.hpp>
#include <tesserec/embedding/settings.hpp>
#include <tesserec/planning/topology.hpp>
#include <tesserec/products/precision.hpp>

namespace tesserec::bench {

/// Rates of one rank while all ranks measure the same; 0 = not measured.
struct Limits {
  static constexpr std::array<Index, 4> row_bytes{64, 128, 256, 512};

  double flops = 0;                                ///< FLOP/s, fp32 fused multiply-adds counted twice
  double read = 0;                                 ///< bytes/s of reading one long array
  double triad = 0;                                ///< bytes/s of a = b + s c, over three arrays
  std::array<double, 4> row_reads{};               ///< rows/s read at random, with huge pages
  std::array<double, 4> row_updates{};             ///< rows/s read, changed and written at random, with huge pages
  double inside_latency = 0, between_latency = 0;  ///< seconds a message
  double inside_bytes = 0, between_bytes = 0;      ///< bytes/s that a rank sends while it receives as many
  double hdf5_read = 0;                            ///< bytes/s from the page cache

  /// Returns the rows/s for rows of any size in bytes. The time is linear between measured sizes, and above them
  /// proportional to the bytes.
  double reads_of(double bytes) const { return rate(row_reads, bytes); }
  double updates_of(double bytes) const { return rate(row_updates, bytes); }

 private:
  static double rate(const std::array<double, 4>& rates, double bytes);
};

/// Loop of fused multiply-adds in registers, with the widest instructions of this processor.
struct MultiplyAdds {
  const char* instructions;
  double flops;  ///< FLOP of one call on the calling thread
  void (*run)();

  double all_flops(const Exec& exec) const { return flops * concurrency(exec); }
  /// Makes one call on every thread of `exec` at once.
  void run_all(const Exec& exec) const {
    parallel_for(exec, "tesserec::bench::multiply_adds", concurrency(exec), [*this](Index) { run(); });
  }
};
MultiplyAdds multiply_adds();
/// Returns the fastest loop for products of this precision on this processor.
MultiplyAdds multiply_adds(products::Precision precision);
/// Returns the loop that adds products of bf16 numbers to fp32 sums; nothing if the processor has no such instruction.
std::optional<MultiplyAdds> bf16_multiply_adds();
/// Returns the loop that adds products of int8 codes to integers of 32 bits; nothing without such an instruction.
std::optional<MultiplyAdds> int8_multiply_adds();
/// Returns the same with tiles of AMX; nothing unless kernels use them (products::instruction_set()).
std::optional<MultiplyAdds> tile_multiply_adds();

void measure_memory(const Context& context, Limits& limits, std::vector<Figure>& figures);
void measure_messages(const Context& context, const planning::Topology& topology, Limits& limits,
                      std::vector<Figure>& figures);
void measure_store(const Context& context, const std::string& folder, Limits& limits, std::vector<Figure>& figures);

/// Measures all limits. `folder` gets a file for the store. Collective.
Limits measure_limits(const Context& context, const planning::Topology& topology, const std::string& folder,
                      std::vector<Figure>& figures);

}  // namespace tesserec::bench
