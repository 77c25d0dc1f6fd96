// SPDX-License-Identifier: Apache-2.0
/// Signals that ask the process to end. runs/README.md has the table of all signals.
#pragma once

#include <string>

#include <tesserec/core/error.hpp>

namespace tesserec {

/// "signal 15 (SIGTERM)".
std::string signal_text(int signal);

/// A signal ended the work before it was done; nothing was replaced by half of something.
class Stopped : public Error {
 public:
  explicit Stopped(int signal);
  int signal() const { return signal_; }

 private:
  int signal_;
};

/// Catches the signals that ask a process to end while it lives: a signal only raises a flag. SIGTERM, SIGINT, SIGQUIT
/// and SIGUSR1 are always caught, others only if their default action would end the process, so that nohup and a
/// profiler keep theirs. A second SIGTERM, SIGINT or SIGQUIT ends the program at once. The first object counts.
class Signals {
 public:
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  /// Returns the first signal that this process got since the oldest living object was made, or 0.
  static int received();
  /// Throws Stopped after a signal, except while an Orderly lives. For loops that may last.
  static void check();
  /// A file that becomes readable with the first signal, for poll().
  static int event();

  /// Marks work that looks for signals itself or must be finished: meanwhile nothing else ends the process for one.
  class Orderly {
   public:
    Orderly();
    ~Orderly();
    Orderly(const Orderly&) = delete;
    Orderly& operator=(const Orderly&) = delete;

    static bool now();
  };
};

/// Exit code of a run that a signal ended with a checkpoint.
inline constexpr int exit_code_signal = 85;
/// Exit code of work that a signal ended before it was done, as shells have it.
inline constexpr int exit_code_stopped(int signal) { return 128 + signal; }

}  // namespace tesserec
