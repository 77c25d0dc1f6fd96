// SPDX-License-Identifier: Apache-2.0
// A program that fails as its argument says; it shows how the ranks agree on a failure.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include <unistd.h>

#include <tesserec/comm/environment.hpp>
#include <tesserec/comm/rank_watch.hpp>
#include <tesserec/comm/run.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/signals.hpp>
#include <tesserec/core/timer.hpp>

using namespace tesserec;

namespace {

/// Hangs in the kernel without reacting to signals, as a rank does whose file system is gone: vfork's parent waits for
/// its child.
void hang() {
  if (vfork() == 0) {
    sleep(20);
    _exit(0);
  }
}

/// Computes for longer than the patience of the waiting ranks.
void work() {
  const Timer timer;
  volatile double sum = 0;
  while (timer.seconds() < 5) sum = sum + 1;
}

int act(const std::string& command, const comm::Communicator& comm) {
  const std::size_t dash = command.find('-');
  const std::string kind = command.substr(0, dash);
  const bool chosen = dash != std::string::npos && std::atoi(command.c_str() + dash + 1) == comm.rank();
  if (kind == "stops" || kind == "hangs" || kind == "works") {
    comm::note("act", 7);
    if (chosen && kind == "stops") std::raise(SIGSTOP);
    if (chosen && kind == "hangs") hang();
    if (chosen && kind == "works") work();
    comm.barrier();
    return 0;
  }
  if (kind == "signal") {  // the chosen rank, or all without one, does not look whether it got a signal
    std::raise(SIGUSR1);
    if (dash != std::string::npos && !chosen) Signals::check();
    std::this_thread::sleep_for(std::chrono::seconds(20));
  }
  if (chosen && kind == "code") return 85;
  if (kind == "all" || chosen) fail("rank ", comm.rank(), " failed");
  if (kind == "stuck") comm.barrier();  // the chosen rank never enters
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const auto note = [](const std::string& message) { std::fprintf(stderr, "noted: %s\n", message.c_str()); };
  comm::set_abort_hook(note);
  comm::set_patience(2);
  const auto body = [&](const comm::Communicator& comm) { return act(argc > 1 ? argv[1] : "", comm); };
  return comm::run(argc, argv, body, {.kokkos = false, .failed = note});
}
