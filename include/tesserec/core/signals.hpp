// SPDX-License-Identifier: Apache-2.0
/// Signals that ask the process to end. The table of all signals is in docs/training.md.
#pragma once

#include <string>

#include <tesserec/core/error.hpp>

namespace tesserec {

/// Returns the name of a signal: "signal 15 (SIGTERM)".
std::string signal_text(int signal);

/// Error of work that a signal ended before it was done. Files that existed are unchanged.
class Stopped : public Error {
 public:
  explicit Stopped(int signal);
  int signal() const { return signal_; }

 private:
  int signal_;
};

/// Handler of the signals that ask a process to end, active while it lives: a signal only raises a flag. SIGTERM,
/// SIGINT, SIGQUIT and SIGUSR1 are always caught. Others are caught only if their default action would end the process,
/// so that nohup and a profiler keep theirs. A second SIGTERM, SIGINT or SIGQUIT, over 0.3 s after the first, ends the
/// process at once. Further objects share the first one's state.
class Signals {
 public:
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  /// Returns the first signal since the oldest living object was made, or 0.
  static int received();
  /// Throws Stopped after a signal, except while an Orderly lives. Called in loops that may take long.
  static void check();
  /// Returns a file descriptor that becomes readable with the first signal, for poll().
  static int event();

  /// Scope of work that checks for signals itself or must be finished. Signals::check() does not throw in it.
  class Orderly {
   public:
    Orderly();
    ~Orderly();
    Orderly(const Orderly&) = delete;
    Orderly& operator=(const Orderly&) = delete;

    /// Returns whether an Orderly lives.
    static bool now();
  };
};

/// Exit code of a run that a signal ended with a checkpoint.
inline constexpr int exit_code_signal = 85;
/// Returns the exit code of work that a signal ended before it was done: 128 + signal, as shells do.
inline constexpr int exit_code_stopped(int signal) { return 128 + signal; }

}  // namespace tesserec
