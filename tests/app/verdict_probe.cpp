// SPDX-License-Identifier: Apache-2.0
// A program that fails as its argument says, to see how the ranks agree on it.
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include <unistd.h>

#include "src/app/verdict.hpp"
#include <tesserec/comm/environment.hpp>
#include <tesserec/comm/rank_watch.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/timer.hpp>

using namespace tesserec;

namespace {

/// In the kernel, where no signal interrupts it, as a rank whose file system is gone: a parent waits so for its child.
void hang() {
  if (vfork() == 0) {
    sleep(20);
    _exit(0);
  }
}

/// Does what others wait for, longer than they are patient.
void work() {
  const Timer timer;
  volatile double sum = 0;
  while (timer.seconds() < 5) sum = sum + 1;
}

app::Outcome act(const std::string& what, const comm::Communicator& comm) {
  const std::size_t dash = what.find('-');
  const std::string kind = what.substr(0, dash);
  const bool chosen = dash != std::string::npos && std::atoi(what.c_str() + dash + 1) == comm.rank();
  if (kind == "stops" || kind == "hangs" || kind == "works") {
    comm::note("act", 7);
    if (chosen && kind == "stops") std::raise(SIGSTOP);
    if (chosen && kind == "hangs") hang();
    if (chosen && kind == "works") work();
    comm.barrier();
    return {};
  }
  const std::string message = "rank " + std::to_string(comm.rank()) + " failed";
  if (kind == "all" || chosen)
    return kind == "code" ? app::Outcome{85, ""} : app::Outcome{app::exit_code_error, message};
  if (kind == "stuck") comm.barrier();  // the chosen rank never comes
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  const comm::Environment mpi(argc, argv);
  const comm::Communicator last_word(mpi.world());
  const auto note = [](const std::string& message) { std::fprintf(stderr, "noted: %s\n", message.c_str()); };
  comm::set_last_words(note);
  const comm::RankWatch watch(last_word);
  comm::set_patience(2);
  app::Outcome outcome;
  try {
    const comm::Communicator comm(mpi.world());
    const std::string what = argc > 1 ? argv[1] : "";
    if (what == "launcher") comm::require_launcher_agrees(comm);
    outcome = act(what, comm);
  } catch (const Error& error) {
    outcome = {app::exit_code_error, error.what()};
  }
  return app::verdict(last_word, outcome, note);
}
