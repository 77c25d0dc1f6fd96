// SPDX-License-Identifier: Apache-2.0
/// Commands, and the words that name them. To add one: write NAME.cpp with `int NAME(const Invocation&, const
/// comm::Communicator&)`, declare it at the end of this file, and give it a row in commands.cpp.
#pragma once

#include <functional>
#include <map>
#include <optional>
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
  std::optional<std::string> deck_text;        ///< what the deck's file held at the start; without it, it is read
  std::vector<std::string> paths;              ///< of a command that takes several: all of them
  std::vector<std::string> words;              ///< as they were given, but those for Kokkos
  std::vector<std::string> kokkos_words;       ///< those for Kokkos
  std::string index;                           ///< of a sweep's point; empty: all of them
  std::vector<std::string> overrides;          ///< --set, in order
  std::map<std::size_t, std::string> origins;  ///< where those come from that were not typed, "sweep.toml:12"
  bool json = false;                           ///< --json
  std::map<std::string, std::string> options;  ///< the command's own: "--markdown" -> "" or its value

  bool has(const std::string& option) const { return options.count(option) != 0; }
  /// Reads the deck with its overrides; keys without a value get defaults. Sets how long ranks wait for a stopped one.
  deck::Deck read_deck() const;
  /// --tables describes all that is needed; bench without a deck measures the machine.
  bool deck_may_lack() const { return has("--tables") || command == "bench"; }
};

/// An option of one command.
struct Option {
  std::string name;   ///< "--scores"
  std::string value;  ///< what follows, "FILE"; empty = nothing
  std::string help;
  std::vector<std::string> choices = {};  ///< all that may follow; empty = anything
  bool reads = false;                     ///< what follows is a file to read
  std::vector<std::string> words = {};    ///< some of these may follow, with commas between
};

struct Command {
  std::string name;
  std::string help;  ///< one line
  /// Called on every rank; returns the exit code or throws, on all ranks or on one.
  int (*run)(const Invocation&, const comm::Communicator&);
  std::string argument = "DECK";  ///< "PATH" of something else, "RUN..." of several; "" = takes none
  bool parallel = true;           ///< works as a job of several ranks: a launcher that lost them is an error
  bool computes = true;           ///< on Kokkos, which is started for it, as MPI is without a launcher, too
  std::vector<Option> options;
  bool takes_several() const { return argument.ends_with("..."); }
  bool indexed = false;  ///< may have an INDEX behind its argument
  /// Called before MPI starts, for a process that starts MPI jobs: its children must not take it for one of theirs.
  /// Nothing: this command line is a job itself, for run().
  std::optional<int> (*before_mpi)(const Invocation&) = nullptr;
};

const std::vector<Command>& commands();
/// Returns the command of commands() with this name. Error, which names those that there are: it is none.
const Command& command_named(const std::string& name);

/// Parses the command line behind the program's name. Words that begin with --kokkos- are for Kokkos. Errors: a word
/// that is neither a name nor a deck's path, an unknown command or option, a missing deck, ... help, --help, --version
/// and an empty line set `command` to "--help" or "--version", and `deck` to the command that help is asked about.
Invocation parse_command_line(const std::vector<std::string>& words);

/// Parses the command line, reads the deck's text once, and compares what the ranks were started for: program, working
/// folder, command with options and the files they name, and every key. Error on all ranks where they differ or where
/// one is wrong. Collective, and the first collective call of a job.
Invocation agreed_invocation(const comm::Communicator& comm, const std::vector<std::string>& words);

/// Runs the body of a command and adds the deck's line to Errors that begin with a key and lack it.
int with_key_lines(const Invocation& invocation, const std::function<int()>& body);

/// The number behind an option, at least 1; 0 without the option. Error: not a number.
int count_of(const Invocation& invocation, const std::string& option);
/// The numbers behind an option, "8,16,32": each at least 1, none twice; none without the option.
std::vector<int> counts_of(const Invocation& invocation, const std::string& option);

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
int report(const Invocation& invocation, const comm::Communicator& comm);
int sweep_list(const Invocation& invocation, const comm::Communicator& comm);
int sweep_point(const Invocation& invocation, const comm::Communicator& comm);
int sweep_collect(const Invocation& invocation, const comm::Communicator& comm);
std::optional<int> sweep_run(const Invocation& invocation);
int verify(const Invocation& invocation, const comm::Communicator& comm);

}  // namespace tesserec::app
