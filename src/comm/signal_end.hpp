// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <thread>

#include <tesserec/comm/communicator.hpp>

namespace tesserec::comm {

/// Ends all ranks some seconds after a signal that the work at hand neither looks for (Signals::check) nor finishes in
/// order (Signals::Orderly): the planner's search, a table that is filled, a file that does not come.
class SignalEnd {
 public:
  /// Needs an object of Signals that lives longer.
  explicit SignalEnd(const Communicator& last_word);
  ~SignalEnd();
  SignalEnd(const SignalEnd&) = delete;
  SignalEnd& operator=(const SignalEnd&) = delete;

 private:
  void watch();
  /// Whether the destructor was called, at once or within these milliseconds; -1 = a signal is waited for, too.
  bool is_over(int milliseconds) const;

  const Communicator& last_word_;
  int over_;  // readable when the destructor is called
  std::thread thread_;
};

}  // namespace tesserec::comm
