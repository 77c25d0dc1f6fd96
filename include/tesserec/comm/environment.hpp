// SPDX-License-Identifier: Apache-2.0
/// Start and end of MPI in this process. A program constructs one Environment before all else.
#pragma once

#include <functional>
#include <string>

#include <tesserec/comm/communicator.hpp>

namespace tesserec::comm {

/// Returns whether a launcher (mpirun, srun) started this process as a rank.
bool is_launched();

/// MPI with MPI_THREAD_FUNNELED, for as long as the object lives. A process without a launcher needs no ssh and no
/// daemon.
class Environment {
 public:
  /// Initializes MPI. Throws Error if MPI is initialized already or does not provide MPI_THREAD_FUNNELED.
  Environment(int& argc, char**& argv);
  ~Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  MPI_Comm world() const { return MPI_COMM_WORLD; }

  /// Returns the name and version of the MPI library, such as "Open MPI v4.1.4".
  static std::string library();
};

/// Throws Error if a launcher (Slurm, mpirun) started several tasks but `world` has one rank: MPI then sees each task
/// as a job of its own.
void require_launcher_agrees(const Communicator& world);

/// Sets the function that abort() calls with its message, on any thread. The function brings files into the state that
/// an exit must leave, and returns soon.
void set_abort_hook(std::function<void(const std::string&)> hook);

/// Logs the message, calls the function of set_abort_hook() and ends all ranks at once with `code`. Serves a rank that
/// is alone or cannot reach the others any more.
[[noreturn]] void abort(const Communicator& world, int code, const std::string& message);

}  // namespace tesserec::comm
