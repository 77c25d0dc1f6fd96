// SPDX-License-Identifier: Apache-2.0
// Transfers between the memories of devices, by MPI and by NCCL's calls over MPI.
#include "catch.hpp"
#include "errors.hpp"
#include "host_nccl.hpp"
#include "oracle.hpp"
#include <tesserec/comm/node.hpp>
#include <tesserec/comm/transport.hpp>
#include <tesserec/comm/tree_reduce.hpp>
#include <tesserec/core/random.hpp>

using namespace tesserec;

namespace {

std::unique_ptr<comm::Transport> by_nccl(const comm::Communicator& ranks) {
  return comm::nccl_transport(ranks, HostNccl::make());
}

/// Returns a number that tells sender, receiver and place apart.
float number(int from, int to, Index i, int trial) {
  return float(from * 37 + to * 11 + trial) + 1e-3f * float(i % 1000);
}

void require_exchanges(const comm::Communicator& ranks) {
  const Exec exec;
  const int me = ranks.rank();
  for (int trial = 0; trial < 20; ++trial) {
    const auto count = [&](int from, int to) {
      return from == to || (from * 7 + to * 13 + trial * 5) % 4 == 0
                 ? Index{0}
                 : Index{(from * 37 + to * 11 + trial * 101) % (trial % 2 == 0 ? 50 : 30000)};
    };
    std::vector<float> out, expected;
    std::vector<Index> to, from;
    for (int r = 0; r < ranks.size(); ++r) {
      to.push_back(count(me, r) * 4), from.push_back(count(r, me) * 4);
      for (Index i = 0; i < count(me, r); ++i) out.push_back(number(me, r, i, trial));
      for (Index i = 0; i < count(r, me); ++i) expected.push_back(number(r, me, i, trial));
    }
    const PlacedVector<float> outgoing(exec, Place::device, "out", std::ssize(out));
    const PlacedVector<float> incoming(exec, Place::device, "in", std::ssize(expected));
    outgoing.from_host(exec, out);
    incoming.fill(exec, "clear", -1.0f);
    ranks.transport().all_to_all(device_of(exec), outgoing.data(), to, incoming.data(), from);
    REQUIRE(incoming.to_host(exec) == expected);
  }
}

/// Checks that sums of lanes follow the tree on every rank, in one batch or several micro-batches.
void require_sums(const comm::Communicator& ranks, int count, int micro_batches) {
  const Exec exec;
  constexpr Index length = 37;
  const Lanes lanes(count, micro_batches);
  if (lanes.of_micro_batch(0).size() < ranks.size()) return;
  const Random random(5, Purpose::test);
  std::vector<oracle::Sum> leaves(count);
  for (Index lane = 0; lane < count; ++lane) {
    leaves[lane] = oracle::Row(length);
    for (Index i = 0; i < length; ++i) (*leaves[lane])[i] = random.normal(lane, i);
  }
  const oracle::Row expected = *oracle::tree(leaves, 0, leaves.size());
  comm::TreeReduce reduce(exec, ranks, lanes, length, Place::device);
  for (const float scale : {3.0f, 1.0f, 1.0f})
    for (int j = 0; j < micro_batches; ++j) {
      LaneSums& sums = reduce.lane_sums();
      const Range own = lanes.of_rank(ranks.rank(), ranks.size(), j);
      sums.start(own);
      for (Index lane = own.begin; lane < own.end; ++lane) {
        oracle::Row row = *leaves[lane];
        for (float& x : row) x *= scale;
        sums.next(lane).from_host(exec, {row.begin(), row.end()});
      }
      sums.finish();
      const PlacedVector<float> total = reduce(j);
      REQUIRE((total.size() > 0) == (j + 1 == micro_batches));
      if (total.size() == 0 || scale != 1.0f) continue;
      REQUIRE(total.place() == Place::device);
      REQUIRE(total.to_host(exec) == std::vector<float>(expected.begin(), expected.end()));
    }
}

}  // namespace

TEST_CASE("Transport: all_to_all copies between device memories by MPI and NCCL among all or some ranks") {
  const comm::Communicator by_mpi(MPI_COMM_WORLD);
  const comm::Communicator with_nccl(by_mpi, by_nccl);
  CHECK(by_mpi.transport().description().substr(0, 3) == "MPI");
  CHECK(with_nccl.transport().description() == "NCCL 2.28.9");
  for (const comm::Communicator* ranks : {&by_mpi, &with_nccl}) {
    require_exchanges(*ranks);
    const comm::Communicator half(*ranks, ranks->rank() % 2);
    CHECK(half.transport().description() == ranks->transport().description());
    require_exchanges(half);
  }
}

TEST_CASE("TreeReduce: sums device lanes by the tree over MPI and over NCCL") {
  const comm::Communicator by_mpi(MPI_COMM_WORLD);
  const comm::Communicator with_nccl(by_mpi, by_nccl);
  for (const comm::Communicator* ranks : {&by_mpi, &with_nccl})
    for (const int count : {4, 8, 64})
      for (const int micro_batches : {1, 2, 4}) require_sums(*ranks, count, micro_batches);
}

TEST_CASE("nccl_transport: throws on all ranks if their versions of NCCL differ") {
  const comm::Communicator world(MPI_COMM_WORLD);
  if (world.size() == 1) return;
  HostNccl::planted.version = world.rank() == 1 ? "2.27.3" : "2.28.9";
  const std::string error = error_of([&] { const comm::Communicator ranks(world, by_nccl); });
  HostNccl::planted = {};
  CHECK(error ==
        "NCCL is 2.28.9 on rank 0 and 2.27.3 on rank 1; install one version on all nodes, or set "
        "run.communicator = \"mpi\"");
}

TEST_CASE("Transport: check throws if a transfer failed and waiting for it ends") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const comm::Communicator ranks(world, by_nccl);
  HostNccl::planted.fails_at = 1;
  HostNccl::groups = 0;
  const Exec exec;
  const PlacedVector<float> numbers(exec, Place::device, "numbers", ranks.size());
  const auto exchange = [&] {
    const std::vector<Index> none(ranks.size(), 0);
    ranks.transport().all_to_all(device_of(exec), numbers.data(), none, numbers.data(), none);
    wait(exec);
    ranks.transport().check();
  };
  CHECK(error_of(exchange) == "");
  const std::string error = error_of(exchange);
  CHECK(error_of(exchange) == error);  // no further exchange begins
  HostNccl::planted = {};
  CHECK(error.find("NCCL: remote process exited or there was a network error (rank " + std::to_string(world.rank()) +
                   ")") == 0);
}
