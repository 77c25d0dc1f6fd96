// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <limits>
#include <optional>
#include <thread>

#include <poll.h>
#include <unistd.h>

#include "event_file.hpp"
#include <tesserec/comm/environment.hpp>
#include <tesserec/comm/rank_watch.hpp>
#include <tesserec/comm/run.hpp>
#include <tesserec/core/gpu.hpp>
#include <tesserec/core/kokkos.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/process.hpp>
#include <tesserec/core/signals.hpp>

namespace tesserec::comm {
namespace {

// Milliseconds. `grace_ms` exceeds `patience_ms`, that of the verdict. Ranks end one after another, so that one rank
// reports and the first rank can write its last files.
constexpr int patience_ms = 2000, grace_ms = 3000, first_rank = 500, next_rank = 20, poll_ms = 50;

/// While it lives, SIGTERM ends the process at once. Launchers send it to the other ranks when one aborts, which
/// otherwise take it for their first wish to end and write the same message.
class EndsAtSigterm {
 public:
  EndsAtSigterm() {
    struct sigaction standard {};
    standard.sa_handler = SIG_DFL;
    ::sigaction(SIGTERM, &standard, &before_);
  }
  ~EndsAtSigterm() { ::sigaction(SIGTERM, &before_, nullptr); }
  EndsAtSigterm(const EndsAtSigterm&) = delete;
  EndsAtSigterm& operator=(const EndsAtSigterm&) = delete;

 private:
  struct sigaction before_ {};
};

/// Thread that ends all ranks some seconds after a signal, unless the current work checks for signals (Signals::check)
/// or is finished in order (Signals::Orderly). Work without checks: the planner's search, filling a table, a slow file.
class SignalWatchdog {
 public:
  /// Starts the thread. An object of Signals must outlive this one.
  explicit SignalWatchdog(const Communicator& verdict_comm)
      : comm_(verdict_comm), over_(open_eventfd()), thread_([this] { watch(); }) {}
  ~SignalWatchdog() {
    ::eventfd_write(over_, 1);
    thread_.join();
    ::close(over_);
  }
  SignalWatchdog(const SignalWatchdog&) = delete;
  SignalWatchdog& operator=(const SignalWatchdog&) = delete;

 private:
  /// Waits at most `milliseconds`; returns whether the destructor was called. -1 waits until then or until a signal.
  bool is_over(int milliseconds) const {
    pollfd files[] = {{over_, POLLIN, 0}, {Signals::event(), POLLIN, 0}};
    while (::poll(files, milliseconds < 0 ? 2 : 1, milliseconds) < 0) continue;
    return files[0].revents != 0;
  }

  void watch() {
    if (is_over(-1)) return;
    const int rank = comm_.rank();
    std::optional<EndsAtSigterm> ends;  // once another rank may have aborted
    for (int waited = 0; waited < grace_ms + (rank > 0 ? first_rank + rank * next_rank : 0); waited += poll_ms) {
      if (is_over(poll_ms)) return;
      if (Signals::Orderly::now()) waited = 0;
      if (waited < patience_ms - 2 * poll_ms)
        ends.reset();
      else if (comm_.size() > 1 && !ends)
        ends.emplace();
    }
    const int signal = Signals::received();
    abort(comm_, exit_code_stopped(signal), Stopped(signal).what());
  }

  const Communicator& comm_;
  int over_;  // eventfd, readable once the destructor is called
  std::thread thread_;
};

constexpr double verdict_patience = patience_ms / 1000.0;  // seconds

/// Returns the job's exit code: that of the lowest failing rank, or, if none failed, the largest code (85 after a
/// signal). The lowest failing rank passes its message to `note` and writes it. Other ranks may wait inside the
/// body and not arrive within verdict_patience. A failing rank then writes its message, calls the function of
/// set_abort_hook() and ends all ranks with its code. The body must not use `verdict_comm`. Collective.
int verdict(const Communicator& verdict_comm, const Outcome& own, const std::function<void(const std::string&)>& note) {
  const bool failed = !own.message.empty();
  // Ranks that fail alike end one after the other, so that one reports.
  const double delay = 0.1 * std::min(verdict_comm.rank(), 20);
  if (!verdict_comm.barrier_within(failed ? verdict_patience + delay : std::numeric_limits<double>::infinity())) {
    std::fflush(stdout);
    abort(verdict_comm, own.code, own.message);
  }
  const std::vector<int> failures = verdict_comm.all_gather(failed ? 1 : 0);
  const std::vector<int> codes = verdict_comm.all_gather(own.code);
  const auto lowest = std::find(failures.begin(), failures.end(), 1);
  if (lowest == failures.end()) return *std::max_element(codes.begin(), codes.end());
  if (lowest - failures.begin() == verdict_comm.rank()) {
    note(own.message);
    say(own.message);
  }
  verdict_comm.barrier();  // The message is written before a launcher ends the other ranks.
  return codes[lowest - failures.begin()];
}

int life(int& argc, char**& argv, const std::function<int(const Communicator&)>& body, const RunOptions& options) {
  // 1. MPI starts, if it is needed. Signals are caught from here until MPI has ended.
  std::optional<Signals> signals;
  std::optional<Environment> mpi;
  if (options.mpi) mpi.emplace(argc, argv);
  signals.emplace();
  const auto ranks = [&] { return mpi ? Communicator(mpi->world()) : Communicator::self(); };
  const Communicator verdict_comm = ranks();
  set_log_rank(verdict_comm.rank());
  std::optional<SignalWatchdog> signal_end;
  std::optional<RankWatch> rank_watch;
  try {
    signal_end.emplace(verdict_comm);
    rank_watch.emplace(verdict_comm);
  } catch (const std::exception& error) {  // The other ranks would wait for this one.
    abort(verdict_comm, exit_code_error, error.what());
  }

  const Outcome outcome = outcome_of([&] {
    // 2. The body runs on a communicator of its own.
    const Communicator comm = ranks();
    if (options.agrees_with_launcher) require_launcher_agrees(comm);
    std::optional<Kokkos::ScopeGuard> kokkos;
    if (options.kokkos) {
      require_gpu();
      kokkos.emplace(argc, argv);
    }
    return body(comm);
  });

  // 3. The ranks agree on one verdict, then MPI ends.
  return verdict(verdict_comm, outcome, options.failed);
}

}  // namespace

void say(const std::string& message) {
  std::fflush(stdout);
  log_error(message);
}

int run(int& argc, char**& argv, const std::function<int(const Communicator&)>& body, const RunOptions& options) {
  try {
    return life(argc, argv, body, options);
  } catch (const std::exception& error) {  // MPI itself has failed.
    log_error(error.what());
    return exit_code_error;
  }
}

}  // namespace tesserec::comm
