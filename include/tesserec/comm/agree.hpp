// SPDX-License-Identifier: Apache-2.0
/// An error on one rank becomes the same error on all, so that none waits for a rank that has given up.
#pragma once

#include <exception>
#include <string>

#include <tesserec/comm/communicator.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/memory.hpp>
#include <tesserec/core/signals.hpp>

namespace tesserec::comm {

/// Throws Kind, an Error, with the text of the lowest rank that has one, or Stopped for its `signal`. Collective.
template <class Kind = Error>
void agree_on(const Communicator& comm, const std::string& text, int signal = 0) {
  constexpr Index signals = 128;  // more than a system has, so that one number says rank and signal
  const Index first = comm.min((text.empty() ? Index{comm.size()} : Index{comm.rank()}) * signals + signal);
  if (first >= comm.size() * signals) return;
  if (first % signals != 0) throw Stopped(int(first % signals));
  throw Kind(comm.broadcast(text, int(first / signals)));
}

/// Collective: throws Stopped on all ranks if one got a signal.
inline void agree_to_go_on(const Communicator& comm) {
  if (const Index signal = comm.max(Signals::received()); signal != 0) throw Stopped(int(signal));
}

/// Runs `body` on every rank, alone (class Alone). Throws on all ranks what it throws on one. Collective.
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
