// SPDX-License-Identifier: Apache-2.0
#include "src/serve/short_turns.hpp"

#include <chrono>
#include <csignal>
#include <thread>

#include <time.h>

#include "catch.hpp"

using namespace tesserec;
using namespace tesserec::serve;

namespace {

/// Works until the thread has offered its processor `more` times, or for 20 seconds. Returns how often it has.
Index offers_at_work(Index more) {
  const Index before = ShortTurns::offers();
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (ShortTurns::offers() - before < more && std::chrono::steady_clock::now() < end) {
  }
  return ShortTurns::offers() - before;
}

/// Returns the processor time of the calling thread, seconds.
double worked() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

}  // namespace

TEST_CASE("ShortTurns: its thread offers the processor while it works, and no other thread does") {
  REQUIRE(ShortTurns::offers() == 0);
  Index of_another = -1, of_its_own = -1;
  {
    const ShortTurns turns;
    CHECK(offers_at_work(5) >= 5);
    std::thread([&] { of_another = ShortTurns::offers(); }).join();
    std::thread([&] {
      const ShortTurns own;
      of_its_own = offers_at_work(3);
    }).join();
  }
  CHECK(of_another == 0);
  CHECK(of_its_own >= 3);
  const Index ended = ShortTurns::offers();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  CHECK(ShortTurns::offers() == ended);
}

TEST_CASE("ShortTurns: a thread that had less than a twentieth of the time works before it offers the processor") {
  const ShortTurns turns;
  // A thread that waits for a processor gets one signal afterwards.
  sigset_t signals;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGURG);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));  // 10 ms of work are due, of which 5 ms are made up for
  ::pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  const double before = worked();
  CHECK(offers_at_work(1) >= 1);
  CHECK(worked() - before > 4e-3);
}
