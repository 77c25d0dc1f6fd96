// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <tesserec/comm/unordered.hpp>

namespace tesserec::comm {

void unordered_sum(const Communicator& comm, float* values, Index n) {
  if (comm.size() == 1) return;
  constexpr Index piece = Index{1} << 28;
  for (Index done = 0; done < n; done += piece)
    check(MPI_Allreduce(MPI_IN_PLACE, values + done, int(std::min(piece, n - done)), MPI_FLOAT, MPI_SUM, comm.mpi()),
          "MPI_Allreduce");
}

}  // namespace tesserec::comm
