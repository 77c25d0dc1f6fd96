// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tesserec::comm {

/// Mover of numbers between devices. automatic: NCCL where each rank has a GPU and the build has NCCL, else MPI.
enum class TransportType { automatic, mpi, nccl };

/// Lists them by the names that a deck has.
inline const std::vector<std::pair<std::string, TransportType>>& all_transports() {
  static const std::vector<std::pair<std::string, TransportType>> all{
      {"auto", TransportType::automatic}, {"mpi", TransportType::mpi}, {"nccl", TransportType::nccl}};
  return all;
}

}  // namespace tesserec::comm
