// SPDX-License-Identifier: Apache-2.0
// The life of the program.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "command_line.hpp"
#include "help.hpp"
#include "last_words.hpp"
#include "one_job.hpp"
#include "run_record.hpp"
#include "surroundings.hpp"
#include "versions.hpp"
#include <tesserec/app/program.hpp>
#include <tesserec/comm/environment.hpp>
#include <tesserec/comm/run.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/gpu.hpp>
#include <tesserec/core/kokkos.hpp>

namespace tesserec::app {
namespace {

std::vector<std::string> words_of(int argc, char** argv) { return {argv + std::min(argc, 1), argv + argc}; }

// `program`: its name.
int dispatch(char* program, const std::vector<std::string>& words, const comm::Communicator& comm) {
  Invocation invocation = agreed_invocation(comm, words);
  if (invocation.command == "--help") {
    print(comm, invocation.deck.empty() ? usage() : help_of(invocation.deck));
    return invocation.words.empty() ? comm::exit_code_error : 0;
  }
  if (invocation.command == "--version") {
    print(comm, versions() + "\n");
    return 0;
  }
  const Command& command = command_named(invocation.command);
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
  const comm::Outcome outcome = comm::outcome_of([&] {
    const std::optional<int> code = command.before_mpi(invocation);
    is_job = !code;
    return code.value_or(0);
  });
  if (is_job) return std::nullopt;
  if (!outcome.message.empty()) comm::say(outcome.message);
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
    comm::set_last_words(last_words);
    const comm::RunOptions options{.mpi = comm::is_launched() || (command != nullptr && command->computes),
                                   .kokkos = false,  // where the command computes
                                   .agrees_with_launcher = command != nullptr && command->parallel,
                                   .failed = [](const std::string& message) { record_failure(message); }};
    return comm::run(
        argc, argv, [&](const auto& comm) { return dispatch(argv[0], words_of(argc, argv), comm); }, options);
  } catch (const std::exception& error) {  // no /dev/null
    comm::say(error.what());
    return comm::exit_code_error;
  }
}

}  // namespace tesserec::app
