// SPDX-License-Identifier: Apache-2.0
/// Commands and their command line. A new command needs a file NAME.cpp with `int NAME(const Invocation&, const
/// comm::Communicator&)`, a declaration at the end of this file, and a row in commands.cpp.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <tesserec/comm/communicator.hpp>
#include <tesserec/core/json.hpp>
#include <tesserec/core/options.hpp>
#include <tesserec/deck/deck.hpp>

namespace tesserec::app {

/// Parsed command line.
struct Invocation {
  std::string command;
  std::string deck;                            ///< path of the deck, or the command's other argument
  std::optional<std::string> deck_text;        ///< text of the deck at the start; if unset, read_deck() reads the file
  std::vector<std::string> paths;              ///< all paths of a command that takes several
  std::vector<std::string> words;              ///< words as given, without those for Kokkos
  std::vector<std::string> kokkos_words;       ///< words for Kokkos
  std::string index;                           ///< index of a sweep's point; empty = all points
  std::vector<std::string> overrides;          ///< values of --set, in order
  std::map<std::size_t, std::string> origins;  ///< origins of overrides that were not typed, by index, "sweep.toml:12"
  bool json = false;                           ///< true if --json is given
  std::map<std::string, std::string> options;  ///< the command's own options and their values, or ""

  /// Returns whether the option is given.
  bool has(const std::string& option) const { return options.count(option) != 0; }
  /// Reads the deck with its overrides; keys without a value get defaults. Sets the patience of ranks to run.patience.
  deck::Deck read_deck() const;
  /// Returns whether the command works without a deck: with --tables, --propose or --profile, and bench, which then
  /// measures only the machine.
  bool deck_is_optional() const {
    return has("--tables") || has("--propose") || has("--profile") || command == "bench";
  }
};

/// Command of the program.
struct Command {
  std::string name;
  std::string help;  ///< description, one line
  /// Runs the command on every rank and returns the exit code. May throw on all ranks or on one.
  int (*run)(const Invocation&, const comm::Communicator&);
  std::string argument = "DECK";  ///< "DECK", "PATH" of something else, or "RUN..." of several; "" = none
  bool parallel = true;           ///< true if it works on several ranks; ranks lost by the launcher are then an error
  bool computes = true;           ///< true if it uses Kokkos, which is then started, and MPI even without a launcher
  std::vector<Option> options;
  /// Returns whether the command takes several arguments.
  bool takes_several() const { return argument.ends_with("..."); }
  bool indexed = false;  ///< true if an INDEX may follow the argument
  /// Runs before MPI starts, for a process that starts MPI jobs, so that no MPI process starts them. Returns the exit
  /// code, or nothing if this command line is itself a job for run().
  std::optional<int> (*before_mpi)(const Invocation&) = nullptr;
};

/// Returns all commands, in the order of the usage.
const std::vector<Command>& commands();
/// Returns the command with this name. Throws Error, listing the commands, if there is none.
const Command& command_named(const std::string& name);

/// Parses the words after the program's name. Words that begin with --kokkos- are for Kokkos. For help, --help, -h,
/// --version or no words, sets `command` to "--help" or "--version", and `deck` to the command that the help describes.
/// Throws Error for an unknown command or option, a word that cannot be used, or a missing deck.
Invocation parse_command_line(const std::vector<std::string>& words);

/// Parses the command line, reads the deck's text once, and compares the ranks' starts: program, working folder,
/// command, options with the files they name, and every key. Throws the same Error on all ranks if starts differ or one
/// is wrong. Collective, and the first collective call of a job.
Invocation agreed_invocation(const comm::Communicator& comm, const std::vector<std::string>& words);

/// Runs the body of a command. Adds the deck's line to Errors that begin with a key and have no line.
int with_key_lines(const Invocation& invocation, const std::function<int()>& body);

/// Returns the value of an option, at least 1, or 0 without the option. Throws Error if it is not such an integer.
int count_of(const Invocation& invocation, const std::string& option);
/// Returns the values of an option "8,16,32", or none without the option. Throws Error unless they are distinct
/// integers of at least 1.
std::vector<int> counts_of(const Invocation& invocation, const std::string& option);

/// Throws Error on all ranks if there are several, for a command that is one process.
void require_one_rank(const Invocation& invocation, const comm::Communicator& comm);

/// Writes the text to stdout on rank 0.
void print(const comm::Communicator& comm, const std::string& text);
/// Writes the JSON object of --json to stdout on rank 0.
void print(const comm::Communicator& comm, const Json& object);

int preprocess(const Invocation& invocation, const comm::Communicator& comm);
int inspect(const Invocation& invocation, const comm::Communicator& comm);
int generate(const Invocation& invocation, const comm::Communicator& comm);
int train(const Invocation& invocation, const comm::Communicator& comm);
int evaluate(const Invocation& invocation, const comm::Communicator& comm);
int predict(const Invocation& invocation, const comm::Communicator& comm);
int export_model(const Invocation& invocation, const comm::Communicator& comm);
int import_model(const Invocation& invocation, const comm::Communicator& comm);
int plan(const Invocation& invocation, const comm::Communicator& comm);
int bench(const Invocation& invocation, const comm::Communicator& comm);
int check(const Invocation& invocation, const comm::Communicator& comm);
int describe(const Invocation& invocation, const comm::Communicator& comm);
int replay(const Invocation& invocation, const comm::Communicator& comm);
int report(const Invocation& invocation, const comm::Communicator& comm);
int serve_model(const Invocation& invocation, const comm::Communicator& comm);
int sweep_list(const Invocation& invocation, const comm::Communicator& comm);
int sweep_point(const Invocation& invocation, const comm::Communicator& comm);
int sweep_collect(const Invocation& invocation, const comm::Communicator& comm);
std::optional<int> sweep_run(const Invocation& invocation);
int verify(const Invocation& invocation, const comm::Communicator& comm);
int diff(const Invocation& invocation, const comm::Communicator& comm);

}  // namespace tesserec::app
