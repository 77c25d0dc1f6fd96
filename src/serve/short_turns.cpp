// SPDX-License-Identifier: Apache-2.0
#include "short_turns.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>

#include <sched.h>
#include <unistd.h>

namespace tesserec::serve {
namespace {

constexpr std::int64_t turn = 200'000;         // nanoseconds between offers
constexpr std::int64_t share = 20;             // a waiting thread is offered no more than leaves this one 1 / share
constexpr std::int64_t most_debt = 5'000'000;  // nanoseconds of work that are made up for at once

struct Account {
  std::int64_t time = 0, work = 0;  // clocks at the last signal, nanoseconds
  std::int64_t debt = 0;            // nanoseconds of work that are due before the next offer
};
thread_local Account account;
volatile thread_local std::sig_atomic_t offered = 0;

std::int64_t nanoseconds(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

/// Offers the processor unless the thread has had less than its share. Calls only functions that are safe in a signal
/// handler.
void offer(int) {
  const int error = errno;
  const std::int64_t time = nanoseconds(CLOCK_MONOTONIC), work = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
  const std::int64_t due = (time - account.time) / share - (work - account.work);
  account = {time, work, std::clamp(account.debt + due, std::int64_t{0}, most_debt)};
  if (account.debt == 0) {
    ::sched_yield();
    offered = offered + 1;
  }
  errno = error;
}

}  // namespace

ShortTurns::ShortTurns() {
  account = {nanoseconds(CLOCK_MONOTONIC), nanoseconds(CLOCK_THREAD_CPUTIME_ID)};
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
