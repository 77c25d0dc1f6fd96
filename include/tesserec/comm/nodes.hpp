// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/comm/communicator.hpp>

namespace tesserec::comm {

/// Ranks that share memory, as MPI_Comm_split_type sees them: the ranks of each node when all nodes have as many and
/// hold consecutive ranks, else 1 (each rank counts as a node). The same on every rank; collective.
int ranks_per_node(const Communicator& comm);

}  // namespace tesserec::comm
