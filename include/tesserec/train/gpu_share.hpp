// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include <tesserec/comm/communicator.hpp>

namespace tesserec::train {

/// The GPU that a rank computes on.
struct GpuShare {
  std::string name;  ///< gpu_name; empty where it computes on a processor
  int ranks = 1;     ///< of the job that have this one
  Index memory = 0;  ///< bytes that each rank may take: the least of all
};
/// Collective.
GpuShare gpu_share(const comm::Communicator& comm);

/// How many of the texts, each of `sizes` bytes in `all`, are that of `rank`.
int equal_texts(std::span<const char> all, std::span<const Index> sizes, int rank);

}  // namespace tesserec::train
