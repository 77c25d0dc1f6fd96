// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <cstdlib>
#include <functional>

#include <sys/wait.h>
#include <unistd.h>

#include "catch.hpp"
#include <tesserec/core/signals.hpp>

using namespace tesserec;

namespace {

/// How a process of its own ends that runs `body`: its exit code, 1000 + N where signal N ended it.
int end_of(const std::function<void()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    body();
    std::_Exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

}  // namespace

TEST_CASE("every signal that would end a process raises a flag, however often it comes") {
  for (const int signal : {SIGTERM, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGHUP, SIGXCPU, SIGALRM, SIGVTALRM, SIGPROF,
                           SIGIO, SIGPWR, SIGSTKFLT, SIGRTMIN + 3, SIGRTMAX}) {
    INFO(signal_text(signal));
    CHECK(end_of([&] {
            const Signals signals;
            for (int i = 0; i < 3; ++i) std::raise(signal);
            std::raise(SIGUSR1);
            std::_Exit(Signals::received());  // the first one
          }) == signal);
  }
}

TEST_CASE("a second SIGTERM, SIGINT or SIGQUIT ends the process, one that comes with the first does not") {
  const auto insist = [](int first, int second) {
    return end_of([&] {
      const Signals signals;
      std::raise(first);
      usleep(400'000);
      std::raise(second);
    });
  };
  CHECK(insist(SIGINT, SIGINT) == 1000 + SIGINT);
  CHECK(insist(SIGINT, SIGTERM) == 1000 + SIGTERM);
  CHECK(insist(SIGTERM, SIGUSR1) == 0);
  CHECK(insist(SIGTERM, SIGHUP) == 0);
  CHECK(insist(SIGUSR1, SIGTERM) == 0);  // the job's time is up while its checkpoint is written
}

TEST_CASE("what was ignored stays so, but for SIGINT and its like, and all is as before afterwards") {
  CHECK(end_of([] {
          std::signal(SIGHUP, SIG_IGN);
          std::signal(SIGINT, SIG_IGN);
          {
            const Signals signals;
            std::raise(SIGHUP);
            if (Signals::received() != 0) std::_Exit(1);
            std::raise(SIGINT);
            if (Signals::received() != SIGINT) std::_Exit(2);
          }
          if (Signals::received() != 0) std::_Exit(3);
          std::raise(SIGINT);
          std::raise(SIGUSR2);
        }) == 1000 + SIGUSR2);
}

TEST_CASE("work that looks for signals stops at one, but not where it ends in order") {
  CHECK(end_of([] {
          const Signals signals;
          Signals::check();
          std::raise(SIGHUP);
          {
            const Signals::Orderly orderly;
            Signals::check();
          }
          try {
            Signals::check();
          } catch (const Stopped& stopped) {
            const std::string text = stopped.what();
            std::_Exit(text.starts_with("ended by signal 1 (SIGHUP) ") ? stopped.signal() : 2);
          }
        }) == SIGHUP);
}
