// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "command.hpp"

namespace tesserec::app {

const std::vector<Command>& commands() {
  static const std::vector<Command> table = {
      {"check", "validate a deck and show the model it describes", check, true, false, {}},
      {"describe",
       "print every key of a deck with type, default, range and unit",
       describe,
       false,
       false,
       {{"--markdown", "", "as docs/deck.md"}}},
  };
  return table;
}

void print(const comm::Communicator& comm, const std::string& text) {
  if (comm.rank() == 0) std::fwrite(text.data(), 1, text.size(), stdout);
}

void print(const comm::Communicator& comm, const Json& object) { print(comm, object.text() + "\n"); }

}  // namespace tesserec::app
