// SPDX-License-Identifier: Apache-2.0
// Whether a programmer's mistake ends in an assert; of use where NDEBUG is not set.
#pragma once

#include <csignal>
#include <cstdio>

#include <sys/wait.h>
#include <unistd.h>

/// Makes the call in a child process; whether that ended by SIGABRT.
template <class Call>
bool aborts(const Call& call) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGABRT, SIG_DFL);  // Catch has a handler
    std::fclose(stderr);
    call();
    _exit(0);
  }
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}
