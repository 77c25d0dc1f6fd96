// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <stdexcept>

#include "catch.hpp"
#include "errors.hpp"
#include <tesserec/comm/agree.hpp>
#include <tesserec/core/signals.hpp>

using namespace tesserec;

TEST_CASE("agree: throws one rank's exception on all ranks with the text of the lowest rank") {
  const comm::Communicator world(MPI_COMM_WORLD);
  for (int first = 0; first < world.size(); ++first) {
    const std::string error = error_of([&] {
      comm::agree(world, [&] {
        if (world.rank() >= first) throw std::runtime_error("disk of rank " + std::to_string(world.rank()));
      });
    });
    CHECK(error == "internal error: disk of rank " + std::to_string(first));
  }
  CHECK(error_of([&] { comm::agree(world, [] {}); }).empty());
  CHECK(error_of([&] { comm::agree(world, [] { throw Error(""); }); }) == "unknown error");
}

TEST_CASE("agree and agree_on_signals: end the work on all ranks if a signal ends it on one") {
  const comm::Communicator world(MPI_COMM_WORLD);
  for (int first = 0; first < world.size(); ++first) {
    int signal = 0;
    try {
      comm::agree(world, [&] {
        if (world.rank() == first) throw Stopped(SIGRTMAX);
        if (world.rank() > first) throw std::runtime_error("a higher rank");
      });
    } catch (const Stopped& stopped) {
      signal = stopped.signal();
    }
    CHECK(signal == SIGRTMAX);
  }
  const Signals signals;
  comm::agree_on_signals(world);
  if (world.rank() == world.size() - 1) std::raise(SIGUSR2);
  CHECK_THROWS_AS(comm::agree_on_signals(world), Stopped);
}

TEST_CASE("agree: a collective call inside the body throws instead of waiting for ranks that failed") {
  const comm::Communicator world(MPI_COMM_WORLD), self(MPI_COMM_SELF);
  const auto error = [&](const auto& body) { return error_of([&] { comm::agree(world, body); }); };
  const bool several = world.size() > 1;
  const auto refused = [&](const std::string& text) { return mentions(text, "where a rank is alone") == several; };
  const std::vector<Index> ones(static_cast<std::size_t>(world.size()), 1);
  CHECK(refused(error([&] { world.barrier(); })));
  CHECK(refused(error([&] { world.sum(1); })));
  CHECK(refused(error([&] { world.min(1); })));
  CHECK(refused(error([&] { world.max(1); })));
  CHECK(refused(error([&] { world.broadcast("x", 0); })));
  CHECK(refused(error([&] { world.all_gather(1); })));
  CHECK(refused(error([&] { world.all_to_all(ones); })));
  CHECK(refused(error([&] { comm::agree(world, [] {}); })));
  CHECK(refused(error([&] { comm::Communicator(world, 0); })));
  // A single rank waits for nobody, and collective calls outside agree() work as before.
  CHECK(error([&] { self.barrier(); }).empty());
  CHECK(world.sum(1) == world.size());
}
