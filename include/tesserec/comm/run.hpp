// SPDX-License-Identifier: Apache-2.0
/// Life of a program of several ranks, from main() to its exit code.
#pragma once

#include <functional>
#include <string>

#include <tesserec/comm/communicator.hpp>

namespace tesserec::comm {

/// Flushes stdout, then writes "tesserec: MESSAGE" to stderr.
void say(const std::string& message);

/// Options of run().
struct RunOptions {
  bool mpi = true;                   ///< start of MPI; false = this process alone, without MPI
  bool kokkos = true;                ///< start of Kokkos; false = the body starts it or needs none
  bool agrees_with_launcher = true;  ///< check by require_launcher_agrees()
  /// Callback with the message of a failure, on the rank that says the message, before it does. A rank that ends the
  /// others by MPI_Abort does not call it.
  std::function<void(const std::string&)> failed = [](const std::string&) {};
};

/// Runs a program: starts MPI and Kokkos, calls `body` with a communicator of all ranks and ends both. MPI and Kokkos
/// take their options out of argc and argv. Returns the exit code for main(), the same on every rank: the largest code
/// that a body returned, or, if one threw, the code of outcome_of() on the lowest such rank, which says its message.
///
/// A rank that throws while the others wait for it inside the body says its message after two seconds and ends all
/// ranks with MPI_Abort. A signal that the body does not look for (Signals::check, agree_on_signals) ends all ranks
/// after three seconds with 128 + N. A RankWatch names a rank that stops.
///
/// Every rank calls it once, from main()'s thread. No object that holds a communicator or memory of Kokkos may outlive
/// the body.
int run(int& argc, char**& argv, const std::function<int(const Communicator&)>& body, const RunOptions& options = {});

}  // namespace tesserec::comm
