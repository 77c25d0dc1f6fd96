// SPDX-License-Identifier: Apache-2.0
/// What a command is. To add one: write NAME.cpp with `int NAME(const Invocation&, const
/// comm::Communicator&)`, declare it at the end of this file, and give it a row in commands.cpp.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <tesserec/comm/communicator.hpp>
#include <tesserec/core/json.hpp>
#include <tesserec/deck/deck.hpp>

namespace tesserec::app {

/// The command line, understood.
struct Invocation {
  std::string command;
  std::string deck;                            ///< path of the deck, or of what the command takes instead
  std::vector<std::string> overrides;          ///< --set, in order
  bool json = false;                           ///< --json
  std::map<std::string, std::string> options;  ///< the command's own: "--markdown" -> "" or its value

  bool has(const std::string& option) const { return options.count(option) != 0; }
  deck::Deck read_deck() const { return deck::read_deck(deck, overrides); }
  /// --tables describes all that is needed; bench without a deck measures the machine.
  bool deck_may_lack() const { return has("--tables") || command == "bench"; }
};

/// An option of one command.
struct Option {
  std::string name;   ///< "--scores"
  std::string value;  ///< what follows, "FILE"; empty = nothing
  std::string help;
};

struct Command {
  std::string name;
  std::string help;  ///< one line
  /// Called on every rank; returns the exit code or throws, on all ranks or on one.
  int (*run)(const Invocation&, const comm::Communicator&);
  std::string argument = "DECK";  ///< "PATH" of something else; "" = takes none
  bool parallel = true;           ///< works as a job of several ranks: a launcher that lost them is an error
  bool computes = true;           ///< on Kokkos, which is started for it
  std::vector<Option> options;
};

const std::vector<Command>& commands();

/// The number behind an option, at least 1; 0 without the option. Error: not a number.
int count_of(const Invocation& invocation, const std::string& option);

/// Writes to stdout on rank 0.
void print(const comm::Communicator& comm, const std::string& text);
/// The one JSON object of --json.
void print(const comm::Communicator& comm, const Json& object);

int preprocess(const Invocation& invocation, const comm::Communicator& comm);
int generate(const Invocation& invocation, const comm::Communicator& comm);
int train(const Invocation& invocation, const comm::Communicator& comm);
int evaluate(const Invocation& invocation, const comm::Communicator& comm);
int predict(const Invocation& invocation, const comm::Communicator& comm);
int plan(const Invocation& invocation, const comm::Communicator& comm);
int bench(const Invocation& invocation, const comm::Communicator& comm);
int check(const Invocation& invocation, const comm::Communicator& comm);
int describe(const Invocation& invocation, const comm::Communicator& comm);
int verify(const Invocation& invocation, const comm::Communicator& comm);

}  // namespace tesserec::app
