// SPDX-License-Identifier: Apache-2.0
/// The life of a program of several ranks, from main() to its exit code.
#pragma once

#include <functional>
#include <string>

#include <tesserec/comm/communicator.hpp>

namespace tesserec::comm {

/// Exit code of a failure.
inline constexpr int exit_code_error = 2;

/// The end of one rank.
struct Outcome {
  int code = 0;         ///< exit code
  std::string message;  ///< not empty = it failed
};

/// Calls `body`; what it throws becomes a message and an exit code: 128 + N after signal N, else exit_code_error.
Outcome outcome_of(const std::function<int()>& body);

/// Says "tesserec: MESSAGE" on stderr, behind what stands on stdout.
void say(const std::string& message);

/// The parts of its life that a program changes.
struct RunOptions {
  bool mpi = true;                   ///< false: this process alone, without MPI
  bool kokkos = true;                ///< false: the body starts Kokkos itself, or needs none
  bool agrees_with_launcher = true;  ///< several tasks of a launcher of which MPI sees one are an error
  /// Called with the message of a failure by the rank that says it, before it does.
  std::function<void(const std::string&)> failed = [](const std::string&) {};
};

/// Runs a program: starts MPI and Kokkos, which take their options out of argc and argv, calls `body` with a
/// communicator of all ranks and ends both. Returns what main() must return, the same on every rank: the largest number
/// that a body returned, or exit_code_error after one message, that of the lowest rank whose body threw. A rank that
/// throws while the others wait for it inside the body says its message after two seconds and ends all ranks with
/// MPI_Abort. A signal that the body does not look for (Signals::check, agree_to_go_on) ends all ranks after three
/// seconds with 128 + N. A RankWatch names a rank that stops. Every rank calls it once, from main()'s thread. Nothing
/// that holds memory of Kokkos or a communicator may outlive the body.
int run(int& argc, char**& argv, const std::function<int(const Communicator&)>& body, const RunOptions& options = {});

}  // namespace tesserec::comm
