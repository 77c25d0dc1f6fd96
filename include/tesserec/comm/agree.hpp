// SPDX-License-Identifier: Apache-2.0
/// Agreement on errors: an error on one rank becomes the same error on all. No rank then waits for one that has given
/// up.
#pragma once

#include <exception>
#include <string>

#include <tesserec/comm/communicator.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/memory.hpp>
#include <tesserec/core/signals.hpp>

namespace tesserec::comm {

/// Throws on all ranks the error of the lowest rank whose `text` is not empty: Stopped if that rank has a `signal`,
/// else Kind (an Error) with its text. Returns if every text is empty. Collective.
template <class Kind = Error>
void agree_on(const Communicator& comm, const std::string& text, int signal = 0) {
  constexpr Index signals = 128;  // more than a system has, so that one number says rank and signal
  const Index first = comm.min((text.empty() ? Index{comm.size()} : Index{comm.rank()}) * signals + signal);
  if (first >= comm.size() * signals) return;
  if (first % signals != 0) throw Stopped(int(first % signals));
  throw Kind(comm.broadcast(text, int(first / signals)));
}

/// Throws Stopped on all ranks if one rank has received a signal. Collective.
inline void agree_on_signals(const Communicator& comm) {
  if (const Index signal = comm.max(Signals::received()); signal != 0) throw Stopped(int(signal));
}

/// Runs `body` on every rank. A collective call inside `body` throws (class Alone). An exception of one rank is thrown
/// on all ranks: Stopped as such, any other as an Error with its message. Collective.
template <class Body>
void agree(const Communicator& comm, const Body& body) {
  std::string text;
  int signal = 0;
  try {
    const Alone alone;
    body();
  } catch (const Stopped& stopped) {
    text = stopped.what();
    signal = stopped.signal();
  } catch (const std::exception& error) {
    text = message_of(error);
    if (text.empty()) text = "unknown error";
  }
  agree_on(comm, text, signal);
}

}  // namespace tesserec::comm
