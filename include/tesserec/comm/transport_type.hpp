// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tesserec::comm {

/// Type of a Transport. automatic: NCCL if each rank has a GPU and the build has NCCL, else MPI.
enum class TransportType { automatic, mpi, nccl };

/// Returns the types with their names in a deck.
inline const std::vector<std::pair<std::string, TransportType>>& all_transports() {
  static const std::vector<std::pair<std::string, TransportType>> all{
      {"auto", TransportType::automatic}, {"mpi", TransportType::mpi}, {"nccl", TransportType::nccl}};
  return all;
}

}  // namespace tesserec::comm
