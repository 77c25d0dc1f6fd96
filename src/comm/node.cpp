// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <tesserec/comm/node.hpp>

namespace tesserec::comm {

std::vector<int> nodes_of_ranks(const Communicator& comm) {
  if (comm.size() == 1) return {0};
  MPI_Comm node = MPI_COMM_NULL;
  check(MPI_Comm_split_type(comm.mpi(), MPI_COMM_TYPE_SHARED, comm.rank(), MPI_INFO_NULL, &node),
        "MPI_Comm_split_type");
  int lowest = comm.rank();
  check(MPI_Bcast(&lowest, 1, MPI_INT, 0, node), "MPI_Bcast");
  check(MPI_Comm_free(&node), "MPI_Comm_free");
  return comm.all_gather(lowest);
}

int ranks_per_node(std::span<const int> nodes) {
  const int size = std::count(nodes.begin(), nodes.end(), nodes.front());
  if (nodes.size() % size != 0) return 1;
  for (int rank = 0; rank < int(nodes.size()); ++rank)
    if (nodes[rank] != rank / size * size) return 1;
  return size;
}

}  // namespace tesserec::comm
