// SPDX-License-Identifier: Apache-2.0
// The life of the program.
#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "command_line.hpp"
#include "help.hpp"
#include "last_words.hpp"
#include "one_job.hpp"
#include "run_record.hpp"
#include "signal_end.hpp"
#include "surroundings.hpp"
#include "verdict.hpp"
#include "versions.hpp"
#include <tesserec/app/program.hpp>
#include <tesserec/comm/environment.hpp>
#include <tesserec/comm/rank_watch.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/gpu.hpp>
#include <tesserec/core/kokkos.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/memory.hpp>
#include <tesserec/core/signals.hpp>

namespace tesserec::app {
namespace {

std::vector<std::string> words_of(int argc, char** argv) { return {argv + std::min(argc, 1), argv + argc}; }

// `program`: its name.
int dispatch(char* program, const std::vector<std::string>& words, const comm::Communicator& comm) {
  Invocation invocation = agreed_invocation(comm, words);
  if (invocation.command == "--help") {
    print(comm, invocation.deck.empty() ? usage() : help_of(invocation.deck));
    return invocation.words.empty() ? exit_code_error : 0;
  }
  if (invocation.command == "--version") {
    print(comm, versions() + "\n");
    return 0;
  }
  const Command& command = command_named(invocation.command);
  if (command.parallel) comm::require_launcher_agrees(comm);
  std::optional<Kokkos::ScopeGuard> kokkos;
  std::vector<char*> argv = {program};
  for (std::string& word : invocation.kokkos_words) argv.push_back(word.data());
  int count = argv.size();
  argv.push_back(nullptr);
  if (command.computes) {
    require_gpu();
    kokkos.emplace(count, argv.data());
  } else if (count > 1)
    fail("tesserec ", command.name, " does not compute: it has no ", argv[1]);
  return with_key_lines(invocation, [&] { return command.run(invocation, comm); });
}

// Turns whatever is thrown into a message.
template <class Body>
Outcome outcome_of(const Body& body) {
  try {
    const int code = body();
    if (std::fflush(stdout) != 0 || std::ferror(stdout)) return {exit_code_error, "cannot write to standard output"};
    return {code, ""};
  } catch (const Stopped& stopped) {
    return {exit_code_stopped(stopped.signal()), stopped.what()};
  } catch (const std::exception& error) {
    return {exit_code_error, message_of(error)};
  } catch (...) {
    return {exit_code_error, "internal error of an unknown kind"};
  }
}

int life(int argc, char** argv, bool with_mpi) {
  // 1. MPI, if need be: the ranks know each other. Signals are caught from here until MPI has ended.
  std::optional<Signals> signals;
  std::optional<comm::Environment> mpi;
  if (with_mpi) mpi.emplace(argc, argv);
  signals.emplace();
  const auto ranks = [&] { return mpi ? comm::Communicator(mpi->world()) : comm::Communicator::self(); };
  const comm::Communicator last_word = ranks();
  set_log_rank(last_word.rank());
  comm::set_last_words(last_words);
  std::optional<SignalEnd> signal_end;
  std::optional<comm::RankWatch> rank_watch;
  try {
    signal_end.emplace(last_word);
    rank_watch.emplace(last_word);
  } catch (const std::exception& error) {  // no thread, no file: the others would wait for this rank
    comm::abort(last_word, exit_code_error, error.what());
  }

  const Outcome outcome = outcome_of([&] {
    // 2. The command, on a communicator of its own, with Kokkos if it computes.
    const comm::Communicator comm = ranks();
    return dispatch(argv[0], words_of(argc, argv), comm);
  });

  // 3. One verdict for all ranks, which a training's folder keeps, then MPI ends.
  return verdict(last_word, outcome, [](const std::string& message) { record_failure(message); });
}

// Returns the command that a command line asks for; null where it has an error, which all ranks find again.
const Command* command_of(Invocation& invocation, int argc, char** argv) {
  try {
    invocation = parse_command_line(words_of(argc, argv));
    return invocation.command.starts_with("--") ? nullptr : &command_named(invocation.command);
  } catch (const Error&) {
    return nullptr;
  }
}

// The exit code of a command that starts jobs of its own; nothing for all others.
std::optional<int> before_mpi(const Command& command, const Invocation& invocation) {
  if (command.before_mpi == nullptr) return std::nullopt;
  bool is_job = false;
  const Outcome outcome = outcome_of([&] {
    const std::optional<int> code = command.before_mpi(invocation);
    is_job = !code;
    return code.value_or(0);
  });
  if (is_job) return std::nullopt;
  if (!outcome.message.empty()) say(outcome.message);
  return outcome.code;
}

}  // namespace

int run(int argc, char** argv) {
  try {
    settle_in();
    Invocation invocation;
    const Command* command = command_of(invocation, argc, argv);
    if (command != nullptr)
      if (const std::optional<int> code = before_mpi(*command, invocation)) return *code;
    return life(argc, argv, comm::is_launched() || (command != nullptr && command->computes));
  } catch (const std::exception& error) {  // MPI itself failed
    log_error(error.what());
    return exit_code_error;
  }
}

}  // namespace tesserec::app
