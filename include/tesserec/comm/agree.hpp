// SPDX-License-Identifier: Apache-2.0
/// An error on one rank becomes the same error on all, so that none waits for a rank that has given up.
#pragma once

#include <exception>
#include <string>

#include <tesserec/comm/communicator.hpp>
#include <tesserec/core/error.hpp>

namespace tesserec::comm {

/// Collective: throws Kind, an Error, with the text of the lowest rank that has one; "" is success.
template <class Kind = Error>
void agree_on(const Communicator& comm, const std::string& text) {
  const Index first = comm.min(text.empty() ? Index{comm.size()} : Index{comm.rank()});
  if (first < comm.size()) throw Kind(comm.broadcast(text, int(first)));
}

/// Collective: runs `body` on every rank, which works alone meanwhile (class Alone). What it throws on one rank is
/// thrown on all.
template <class Body>
void agree(const Communicator& comm, const Body& body) {
  std::string text;
  try {
    const Alone alone;
    body();
  } catch (const std::exception& error) {
    text = error.what();
    if (text.empty()) text = "unknown error";
  }
  agree_on(comm, text);
}

}  // namespace tesserec::comm
