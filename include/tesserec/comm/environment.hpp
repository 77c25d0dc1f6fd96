// SPDX-License-Identifier: Apache-2.0
/// The life of MPI in this process. A program makes one, first of all.
#pragma once

#include <functional>
#include <string>

#include <tesserec/comm/communicator.hpp>

namespace tesserec::comm {

/// This process is a rank that a launcher (mpirun, srun) started.
bool is_launched();

/// MPI, with MPI_THREAD_FUNNELED, as long as it lives. A process without a launcher needs no ssh and no daemon.
class Environment {
 public:
  /// Errors: MPI is up already, or cannot give MPI_THREAD_FUNNELED.
  Environment(int& argc, char**& argv);
  ~Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  MPI_Comm world() const { return MPI_COMM_WORLD; }

  /// "Open MPI v4.1.4" or the like.
  static std::string library();
};

/// Throws Error where a launcher (Slurm, mpirun) started several tasks, each of which MPI sees as a job of its own.
void require_launcher_agrees(const Communicator& world);

/// Sets what abort() calls with its message, on any thread: it leaves files as an exit must, and returns soon.
void set_last_words(std::function<void(const std::string&)> leave);

/// Says the message and ends all ranks at once. For a rank that cannot reach the others any more, or has none.
[[noreturn]] void abort(const Communicator& world, int code, const std::string& message);

}  // namespace tesserec::comm
