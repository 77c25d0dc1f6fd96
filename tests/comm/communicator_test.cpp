// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "catch.hpp"
#include <tesserec/comm/communicator.hpp>

using namespace tesserec;

namespace {

/// Returns the message of rank `from` to rank `to`: its length and values name both.
std::vector<Index> message(int from, int to) {
  std::vector<Index> values(static_cast<std::size_t>((from * 3 + to * 5) % 7 * 100));
  std::iota(values.begin(), values.end(), from * 1000000 + to * 10000);
  return values;
}

}  // namespace

TEST_CASE("Communicator: all_to_all delivers every message in one piece or in many") {
  comm::Communicator comm(MPI_COMM_WORLD);
  for (const Index piece : {comm::MessageChannel::default_piece, Index{64}}) {
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

TEST_CASE("Communicator: all_gather keeps rank order and counts; broadcast and reductions agree") {
  const comm::Communicator comm(MPI_COMM_WORLD);
  const std::vector<Index> own(static_cast<std::size_t>(comm.rank()), comm.rank());
  std::vector<Index> counts;
  const auto all = comm.all_gather(std::span<const Index>(own), &counts);
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
  REQUIRE(comm.barrier_within(30));
}

TEST_CASE("Communicator: all_gather accepts known counts in one piece or in many") {
  comm::Communicator comm(MPI_COMM_WORLD);
  for (const Index piece : {comm::MessageChannel::default_piece, Index{64}}) {
    comm.set_piece(piece);
    std::vector<Index> counts, expected;
    for (int r = 0; r < comm.size(); ++r) {
      const auto from = message(r, 0);
      counts.push_back(static_cast<Index>(from.size()));
      expected.insert(expected.end(), from.begin(), from.end());
    }
    const auto own = message(comm.rank(), 0);
    std::vector<Index> all(expected.size());
    comm.all_gather(std::span<const Index>(own), std::span<const Index>(counts), all.data());
    CHECK(all == expected);
    const std::vector<Index> alike(29, comm.rank());
    expected.clear();
    for (int r = 0; r < comm.size(); ++r) expected.insert(expected.end(), alike.size(), r);
    CHECK(comm.all_gather_equal(std::span<const Index>(alike)) == expected);
  }
}

TEST_CASE("Communicator: all_to_all of vectors swaps a rank's own vector instead of copying it") {
  const comm::Communicator comm(MPI_COMM_WORLD);
  std::vector<std::vector<Index>> send, recv, expected;
  for (int r = 0; r < comm.size(); ++r) {
    send.push_back(message(comm.rank(), r));
    expected.push_back(message(r, comm.rank()));
    recv.emplace_back(expected.back().size());
  }
  const Index* own = send[static_cast<std::size_t>(comm.rank())].data();
  comm.all_to_all(send, recv);
  CHECK(recv == expected);
  CHECK(recv[static_cast<std::size_t>(comm.rank())].data() == own);
}

TEST_CASE("Communicator: sum and max reduce many numbers in one piece or in many") {
  comm::Communicator comm(MPI_COMM_WORLD);
  for (const Index piece : {comm::MessageChannel::default_piece, Index{64}}) {
    comm.set_piece(piece);
    std::vector<Index> sums(101), maxima(101);
    for (Index i = 0; i < 101; ++i) maxima[i] = (sums[i] = i + comm.rank());
    comm.sum(std::span<Index>(sums));
    comm.max(std::span<Index>(maxima));
    for (Index i = 0; i < 101; ++i) {
      CHECK(sums[i] == comm.size() * i + comm.size() * (comm.size() - 1) / 2);
      CHECK(maxima[i] == i + comm.size() - 1);
    }
  }
}

TEST_CASE("Communicator: self waits for no other rank") {
  const comm::Communicator world(MPI_COMM_WORLD), self = comm::Communicator::self();
  CHECK(self.size() == 1);
  if (world.rank() == 0) CHECK(self.sum(Index{7}) == 7);
}

TEST_CASE("Communicator: broadcast delivers long values in one piece or in many") {
  comm::Communicator comm(MPI_COMM_WORLD);
  for (const Index piece : {comm::MessageChannel::default_piece, Index{64}})
    for (int root = 0; root < comm.size(); ++root) {
      comm.set_piece(piece);
      std::vector<Index> expected(1001);
      std::iota(expected.begin(), expected.end(), root * 10000);
      std::vector<Index> values = comm.rank() == root ? expected : std::vector<Index>{7};
      comm.broadcast(values, root);
      CHECK(values == expected);
    }
}
