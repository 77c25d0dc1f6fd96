// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tesserec::comm {

/// Mover of numbers between the devices of ranks. automatic: NCCL where ranks have a GPU each and the build has it,
/// MPI elsewhere.
enum class TransportType { automatic, mpi, nccl };

/// Lists them by the names that a deck has.
inline const std::vector<std::pair<std::string, TransportType>>& all_transports() {
  static const std::vector<std::pair<std::string, TransportType>> all{
      {"auto", TransportType::automatic}, {"mpi", TransportType::mpi}, {"nccl", TransportType::nccl}};
  return all;
}

}  // namespace tesserec::comm
