// SPDX-License-Identifier: Apache-2.0
// Second worked example of docs/design/law.md over ranks: the sums of four lanes make 7 on every rank.
#include "catch.hpp"
#include <tesserec/comm/tree_reduce.hpp>

using namespace tesserec;

TEST_CASE("worked example of a lane: TreeReduce adds four lanes to 7 over any ranks") {
  const Exec exec;
  const comm::Communicator comm(MPI_COMM_WORLD);
  const Lanes lanes(4);
  const float lane_sums[] = {16777218.0f, 4.0f, 1.0f, -16777216.0f};
  for (int per_node = 1; per_node <= comm.size(); ++per_node) {
    if (comm.size() % per_node != 0) continue;
    comm::TreeReduce reduce(exec, comm, lanes, 1, per_node);
    LaneSums& sums = reduce.lane_sums();
    const Range own = lanes.of_rank(comm.rank(), comm.size());
    sums.start(own);
    for (Index lane = own.begin; lane < own.end; ++lane) sums.next(lane).data()[0] = lane_sums[lane];
    sums.finish();
    if (comm.size() == 2) {
      REQUIRE(sums.count() == 1);
      CHECK(sums.sum(0).data()[0] == (comm.rank() == 0 ? 16777222.0f : -16777215.0f));
    }
    CHECK(reduce().data()[0] == 7.0f);
  }
}
