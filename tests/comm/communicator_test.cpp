// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "catch.hpp"
#include <tesserec/comm/communicator.hpp>

using namespace tesserec;

namespace {

/// What rank `from` sends to rank `to`: a length and values that name both.
std::vector<Index> message(int from, int to) {
  std::vector<Index> values(static_cast<std::size_t>((from * 3 + to * 5) % 7 * 100));
  std::iota(values.begin(), values.end(), from * 1000000 + to * 10000);
  return values;
}

}  // namespace

TEST_CASE("all_to_all delivers every message, in one piece or in many") {
  comm::Communicator comm(MPI_COMM_WORLD);
  for (const Index piece : {comm::Communicator::default_piece, Index{64}}) {
    comm.set_piece(piece);
    std::vector<Index> send, send_counts, recv_counts, expected;
    for (int r = 0; r < comm.size(); ++r) {
      const auto out = message(comm.rank(), r), in = message(r, comm.rank());
      send.insert(send.end(), out.begin(), out.end());
      expected.insert(expected.end(), in.begin(), in.end());
      send_counts.push_back(static_cast<Index>(out.size()));
      recv_counts.push_back(static_cast<Index>(in.size()));
    }
    REQUIRE(comm.all_to_all(std::span<const Index>(send_counts)) == recv_counts);
    std::vector<Index> received(expected.size());
    comm.all_to_all(send.data(), send_counts, received.data(), recv_counts);
    REQUIRE(received == expected);
  }
}

TEST_CASE("all_gather keeps rank order and counts, broadcast and reductions agree everywhere") {
  const comm::Communicator comm(MPI_COMM_WORLD);
  const std::vector<Index> mine(static_cast<std::size_t>(comm.rank()), comm.rank());
  std::vector<Index> counts;
  const auto all = comm.all_gather(std::span<const Index>(mine), &counts);
  std::vector<Index> expected;
  for (int r = 0; r < comm.size(); ++r) {
    REQUIRE(counts[r] == r);
    expected.insert(expected.end(), static_cast<std::size_t>(r), r);
  }
  REQUIRE(all == expected);
  REQUIRE(comm.sum(Index{1}) == comm.size());
  REQUIRE(comm.max(Index{comm.rank()}) == comm.size() - 1);
  REQUIRE(comm.min(Index{comm.rank()}) == 0);
  REQUIRE(comm.broadcast(comm.rank() == comm.size() - 1 ? "from the last" : "", comm.size() - 1) == "from the last");
  REQUIRE(comm.meet(30));
}

TEST_CASE("a long broadcast arrives in full, in one piece or in many") {
  comm::Communicator comm(MPI_COMM_WORLD);
  for (const Index piece : {comm::Communicator::default_piece, Index{64}})
    for (int root = 0; root < comm.size(); ++root) {
      comm.set_piece(piece);
      std::vector<Index> expected(1001);
      std::iota(expected.begin(), expected.end(), root * 10000);
      std::vector<Index> values = comm.rank() == root ? expected : std::vector<Index>{7};
      comm.broadcast(values, root);
      CHECK(values == expected);
    }
}
