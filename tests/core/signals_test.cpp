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

/// Returns the exit code of a child process that runs `body`, or 1000 + N if signal N ended the process.
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

TEST_CASE("Signals: every signal that would end a process sets a flag however often it is raised") {
  for (const int signal : {SIGTERM, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGHUP, SIGXCPU, SIGALRM, SIGVTALRM, SIGPROF,
                           SIGIO, SIGPWR, SIGSTKFLT, SIGRTMIN + 3, SIGRTMAX}) {
    INFO(signal_text(signal));
    CHECK(end_of([&] {
            const Signals signals;
            for (int i = 0; i < 3; ++i) std::raise(signal);
            std::raise(SIGUSR1);
            std::_Exit(Signals::received());  // the first signal
          }) == signal);
  }
}

TEST_CASE("Signals: a second SIGTERM or SIGINT or SIGQUIT ends the process unless right after the first") {
  const auto end_after = [](int first, int second) {
    return end_of([&] {
      const Signals signals;
      std::raise(first);
      usleep(400'000);
      std::raise(second);
    });
  };
  CHECK(end_after(SIGINT, SIGINT) == 1000 + SIGINT);
  CHECK(end_after(SIGINT, SIGTERM) == 1000 + SIGTERM);
  CHECK(end_after(SIGTERM, SIGUSR1) == 0);
  CHECK(end_after(SIGTERM, SIGHUP) == 0);
  CHECK(end_after(SIGUSR1, SIGTERM) == 0);  // the job's time limit, while a checkpoint is written
}

TEST_CASE("Signals: keeps ignored signals ignored except SIGINT and its like and restores all") {
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

TEST_CASE("Signals: check throws Stopped after a signal except inside Orderly") {
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
