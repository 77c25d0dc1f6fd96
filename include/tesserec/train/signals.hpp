// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tesserec::train {

/// Catches SIGTERM, SIGINT and SIGUSR1 while it lives: a signal only raises a flag, the run ends at the next
/// step. A second SIGINT or SIGTERM ends the program at once. Of several that live at once the first one
/// counts.
class Signals {
 public:
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  /// The signal that this process got, or 0.
  static int received();
};

/// Exit code of a run that a signal ended with a checkpoint.
inline constexpr int exit_code_signal = 85;

}  // namespace tesserec::train
