// SPDX-License-Identifier: Apache-2.0
// A check that a programmer's mistake ends in an assert; only for builds without NDEBUG.
#pragma once

#include <csignal>
#include <cstdio>

#include <sys/wait.h>
#include <unistd.h>

/// Returns whether the call, made in a child process, ends by SIGABRT.
template <class Call>
bool aborts(const Call& call) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGABRT, SIG_DFL);  // replaces Catch's handler
    std::fclose(stderr);
    call();
    _exit(0);
  }
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}
