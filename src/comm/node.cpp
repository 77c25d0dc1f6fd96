// SPDX-License-Identifier: Apache-2.0
#include <tesserec/comm/node.hpp>

namespace tesserec::comm {

int ranks_per_node(const Communicator& comm) {
  MPI_Comm node = MPI_COMM_NULL;
  check(MPI_Comm_split_type(comm.mpi(), MPI_COMM_TYPE_SHARED, comm.rank(), MPI_INFO_NULL, &node),
        "MPI_Comm_split_type");
  int size = 0, place = 0;
  check(MPI_Comm_size(node, &size), "MPI_Comm_size");
  check(MPI_Comm_rank(node, &place), "MPI_Comm_rank");
  check(MPI_Comm_free(&node), "MPI_Comm_free");
  const bool regular = comm.size() % size == 0 && comm.rank() % size == place;
  const Index smallest = comm.min(regular ? size : 1);
  return comm.max(Index{size}) == smallest ? static_cast<int>(smallest) : 1;
}

}  // namespace tesserec::comm
