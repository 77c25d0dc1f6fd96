// SPDX-License-Identifier: Apache-2.0
#include "short_turns.hpp"

#include <cerrno>
#include <csignal>

#include <sched.h>
#include <unistd.h>

namespace tesserec::serve {
namespace {

constexpr long turn = 200'000;  // nanoseconds

volatile thread_local std::sig_atomic_t offered = 0;

void offer(int) {
  const int error = errno;
  ::sched_yield();
  offered = offered + 1;
  errno = error;
}

}  // namespace

ShortTurns::ShortTurns() {
  struct sigaction action {};
  action.sa_handler = offer;
  action.sa_flags = SA_RESTART;
  if (::sigaction(SIGURG, &action, nullptr) != 0) return;
  struct sigevent event {};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGURG;
  event._sigev_un._tid = ::gettid();  // glibc before 2.38 has no name for it
  timer_t timer{};
  if (::timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) return;
  timer_ = timer;
  const itimerspec every{{0, turn}, {0, turn}};
  ::timer_settime(timer, 0, &every, nullptr);
}

ShortTurns::~ShortTurns() {
  if (timer_) ::timer_delete(*timer_);
}

Index ShortTurns::offers() { return offered; }

}  // namespace tesserec::serve
