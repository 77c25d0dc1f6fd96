// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <exception>
#include <optional>

#include "signal_end.hpp"
#include "verdict.hpp"
#include <tesserec/comm/environment.hpp>
#include <tesserec/comm/rank_watch.hpp>
#include <tesserec/comm/run.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/gpu.hpp>
#include <tesserec/core/kokkos.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/memory.hpp>
#include <tesserec/core/signals.hpp>

namespace tesserec::comm {
namespace {

int life(int& argc, char**& argv, const std::function<int(const Communicator&)>& body, const RunOptions& options) {
  // 1. MPI, if need be: the ranks know each other. Signals are caught from here until MPI has ended.
  std::optional<Signals> signals;
  std::optional<Environment> mpi;
  if (options.mpi) mpi.emplace(argc, argv);
  signals.emplace();
  const auto ranks = [&] { return mpi ? Communicator(mpi->world()) : Communicator::self(); };
  const Communicator last_word = ranks();
  set_log_rank(last_word.rank());
  std::optional<SignalEnd> signal_end;
  std::optional<RankWatch> rank_watch;
  try {
    signal_end.emplace(last_word);
    rank_watch.emplace(last_word);
  } catch (const std::exception& error) {  // no thread, no file: the others would wait for this rank
    abort(last_word, exit_code_error, error.what());
  }

  const Outcome outcome = outcome_of([&] {
    // 2. The body, on a communicator of its own.
    const Communicator comm = ranks();
    if (options.agrees_with_launcher) require_launcher_agrees(comm);
    std::optional<Kokkos::ScopeGuard> kokkos;
    if (options.kokkos) {
      require_gpu();
      kokkos.emplace(argc, argv);
    }
    return body(comm);
  });

  // 3. One verdict for all ranks, then MPI ends.
  return verdict(last_word, outcome, options.failed);
}

}  // namespace

Outcome outcome_of(const std::function<int()>& body) {
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

void say(const std::string& message) {
  std::fflush(stdout);
  log_error(message);
}

int run(int& argc, char**& argv, const std::function<int(const Communicator&)>& body, const RunOptions& options) {
  try {
    return life(argc, argv, body, options);
  } catch (const std::exception& error) {  // MPI itself failed
    log_error(error.what());
    return exit_code_error;
  }
}

}  // namespace tesserec::comm
