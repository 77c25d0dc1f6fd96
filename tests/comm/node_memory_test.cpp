// SPDX-License-Identifier: Apache-2.0
#include "catch.hpp"
#include <tesserec/comm/node.hpp>
#include <tesserec/comm/tree_reduce.hpp>

using namespace tesserec;

TEST_CASE("NodeMemory: every rank of the node reads what one rank writes and two are disjoint") {
  const comm::Communicator comm(MPI_COMM_WORLD);
  const comm::Node node(comm, comm.size());
  constexpr Index size = 5000;  // a size that is no multiple of a page
  comm::NodeMemory first(node.ranks(), size), second(node.ranks(), size);
  REQUIRE(first);
  REQUIRE(second);
  const Range own = node.share(size);
  for (Index i = own.begin; i < own.end; ++i)
    first.data()[i] = static_cast<float>(i), second.data()[i] = static_cast<float>(-i);
  comm.barrier();
  bool right = true;
  for (Index i = 0; i < size; ++i)
    right &= first.data()[i] == static_cast<float>(i) && second.data()[i] == static_cast<float>(-i);
  REQUIRE(right);

  const float* at = first.data();
  comm::NodeMemory moved(std::move(first));
  REQUIRE(!first);
  REQUIRE(moved.data() == at);
  first = std::move(moved);
  REQUIRE(first.data() == at);
  comm.barrier();
}

TEST_CASE("ranks_per_node: is above 1 only if all nodes have equally many ranks in a row") {
  const auto per_node = [](const std::vector<int>& nodes) { return comm::ranks_per_node(nodes); };
  CHECK(per_node({0}) == 1);
  CHECK(per_node({0, 0, 0}) == 3);
  CHECK(per_node({0, 0, 2, 2}) == 2);
  CHECK(per_node({0, 1, 2}) == 1);
  CHECK(per_node({0, 0, 2}) == 1);
  CHECK(per_node({0, 1, 1}) == 1);
  CHECK(per_node({0, 0, 2, 2, 2, 2}) == 1);
  CHECK(per_node({0, 1, 0, 1}) == 1);
  const comm::Communicator comm(MPI_COMM_WORLD);  // one machine
  CHECK(comm::nodes_of_ranks(comm) == std::vector<int>(static_cast<std::size_t>(comm.size()), 0));
  CHECK(comm::ranks_per_node(comm) == comm.size());
}

TEST_CASE("NodeMemory: is empty on all ranks without a signal if the node lacks the memory") {
  const comm::Communicator comm(MPI_COMM_WORLD);
  const comm::NodeMemory refused(comm, Index{1} << 50);
  REQUIRE(!refused);
  const comm::NodeMemory given(comm, 100);
  REQUIRE(given);
}

// Run by comm.small_shm only, where /dev/shm has 64 MiB.
TEST_CASE("NodeMemory: is empty if /dev/shm is too small and TreeReduce sends messages instead", "[.][small_shm]") {
  const comm::Communicator comm(MPI_COMM_WORLD);
  const Index floats = Index{1} << 26;  // 256 MiB
  const comm::NodeMemory refused(comm, floats);
  REQUIRE(!refused);
  const comm::NodeMemory given(comm, 100000);  // the refused memory left nothing behind
  REQUIRE(given);
  const comm::TreeReduce reduce(Exec(), comm, Lanes(4), floats / 4, comm.size());
  REQUIRE(reduce.ranks_per_node() == 1);
}

TEST_CASE("Node: groups ranks by node and by place and divides a range completely") {
  const comm::Communicator comm(MPI_COMM_WORLD);
  for (int per_node = 1; per_node <= comm.size(); ++per_node) {
    if (comm.size() % per_node != 0) continue;
    const comm::Node node(comm, per_node);
    REQUIRE(node.ranks().size() == per_node);
    REQUIRE(node.ranks().rank() == comm.rank() % per_node);
    REQUIRE(node.across().size() == comm.size() / per_node);
    REQUIRE(node.across().rank() == comm.rank() / per_node);
    const std::vector<Range> shares = node.ranks().all_gather(node.share(100));
    Index next = 0;
    for (const Range& share : shares) {
      REQUIRE(share.begin == next);
      next = share.end;
    }
    REQUIRE(next == 100);
  }
}
