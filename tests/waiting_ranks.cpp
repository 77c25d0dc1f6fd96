// SPDX-License-Identifier: Apache-2.0
// sched_yield() for ranks that share processors. A rank of Open MPI that waits for another calls it again and again,
// and takes the processor from the one that it waits for: beside one busy program, 4 ranks on 2 processors took 413 s
// of them instead of 88. Here all but a wait's first few calls sleep. Tests load it first (LD_PRELOAD).
#include <chrono>
#include <thread>

#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

extern "C" int sched_yield() noexcept {
  using Clock = std::chrono::steady_clock;
  constexpr int yields = 3;
  static thread_local Clock::time_point last;
  static thread_local int calls = 0;
  // A thread that did something else since its last call begins another wait.
  calls = Clock::now() - last > std::chrono::microseconds(10) ? 0 : calls + 1;
  if (calls == yields) prctl(PR_SET_TIMERSLACK, 1000UL);  // ns; it is 50000, which doubled the sleep
  if (calls < yields) {
    syscall(SYS_sched_yield);
  } else {
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  last = Clock::now();
  return 0;
}
