// SPDX-License-Identifier: Apache-2.0
// Start and end of the program.
#include <algorithm>
#include <chrono>
#include <exception>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "help.hpp"
#include "run_record.hpp"
#include <tesserec/app/program.hpp>
#include <tesserec/comm/environment.hpp>
#include <tesserec/comm/run.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/gpu.hpp>
#include <tesserec/core/kokkos.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/process.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/store/disk.hpp>

namespace tesserec::app {
namespace {

/// Records the message in the folder of a run that has begun, and removes drafts. Called on any thread that ends the
/// process without unwinding. Waits at most 5 seconds, since a file system may not answer. Never throws.
void last_words(const std::string& message) {
  constexpr std::chrono::seconds longest{5};
  try {
    const auto done = std::make_shared<std::promise<void>>();
    const std::future<void> is_done = done->get_future();
    std::thread([done, message] {
      record_failure(message);
      store::remove_open_drafts();
      done->set_value();
    }).detach();
    is_done.wait_for(longest);
  } catch (const std::exception& error) {
    log_warning(
        concat(error.what(), "; half-written files of this command may remain, under names that end with .tmp"));
  }
}

std::vector<std::string> words_of(int argc, char** argv) { return {argv + std::min(argc, 1), argv + argc}; }

// Runs the command of the words, with Kokkos if it computes. Returns the exit code. `program`: its name. Collective.
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
  std::optional<Kokkos::ScopeGuard> kokkos;
  std::vector<char*> argv = {program};
  for (std::string& word : invocation.kokkos_words) argv.push_back(word.data());
  int count = argv.size();
  argv.push_back(nullptr);
  if (command.computes) {
    require_gpu();
    kokkos.emplace(count, argv.data());
  } else if (count > 1)
    fail("tesserec ", command.name, " does not compute, so it takes no ", argv[1], "; leave it out");
  return with_key_lines(invocation, [&] { return command.run(invocation, comm); });
}

// Returns the command of a command line. Returns null for help, --version, and an error, which all ranks find again.
const Command* command_of(Invocation& invocation, int argc, char** argv) {
  try {
    invocation = parse_command_line(words_of(argc, argv));
    return invocation.command.starts_with("--") ? nullptr : &command_named(invocation.command);
  } catch (const Error&) {
    return nullptr;
  }
}

// Runs a command that starts jobs of its own and returns its exit code. Returns nothing for other commands.
std::optional<int> before_mpi(const Command& command, const Invocation& invocation) {
  if (command.before_mpi == nullptr) return std::nullopt;
  bool is_job = false;
  const Outcome outcome = outcome_of([&] {
    return with_key_lines(invocation, [&] {
      const std::optional<int> code = command.before_mpi(invocation);
      is_job = !code;
      return code.value_or(0);
    });
  });
  if (is_job) return std::nullopt;
  if (!outcome.message.empty()) comm::say(outcome.message);
  return outcome.code;
}

}  // namespace

int run(int argc, char** argv) {
  try {
    prepare_process();
    Invocation invocation;
    const Command* command = command_of(invocation, argc, argv);
    if (command != nullptr)
      if (const std::optional<int> code = before_mpi(*command, invocation)) return *code;
    comm::set_abort_hook(last_words);
    const comm::RunOptions options{.mpi = comm::is_launched() || (command != nullptr && command->computes),
                                   .kokkos = false,  // dispatch() starts it
                                   .agrees_with_launcher = command != nullptr && command->parallel,
                                   .failed = [](const std::string& message) { record_failure(message); }};
    return comm::run(
        argc, argv, [&](const auto& comm) { return dispatch(argv[0], words_of(argc, argv), comm); }, options);
  } catch (const std::exception& error) {  // such as no /dev/null
    comm::say(error.what());
    return exit_code_error;
  }
}

}  // namespace tesserec::app
