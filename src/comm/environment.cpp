// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <utility>
#include <vector>

#include <tesserec/comm/environment.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/slurm.hpp>

namespace tesserec::comm {
namespace {

// Scope of settings of Open MPI 4 for the start of MPI without a launcher: no daemon, which would need ssh and orted,
// and no session folder, which processes remove from each other (open-mpi/ompi#8510). Variables that are already
// set stay.
class WithoutLauncher {
 public:
  WithoutLauncher() {
    for (const auto& [name, value] : settings_)
      if (!is_launched() && std::getenv(name) == nullptr && ::setenv(name, value, 1) == 0) set_.push_back(name);
  }
  ~WithoutLauncher() {
    for (const char* name : set_) ::unsetenv(name);
  }
  WithoutLauncher(const WithoutLauncher&) = delete;
  WithoutLauncher& operator=(const WithoutLauncher&) = delete;

 private:
  static constexpr std::pair<const char*, const char*> settings_[] = {{"OMPI_MCA_ess_singleton_isolated", "1"},
                                                                      {"OMPI_MCA_orte_create_session_dirs", "0"}};
  std::vector<const char*> set_;
};

std::function<void(const std::string&)>& abort_hook() {
  static std::function<void(const std::string&)> hook;
  return hook;
}

}  // namespace

bool is_launched() {
  for (const char* rank : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"})
    if (std::getenv(rank) != nullptr) return true;
  return false;
}

Environment::Environment(int& argc, char**& argv) {
  int is_initialized = 0;
  check(MPI_Initialized(&is_initialized), "MPI_Initialized");
  if (is_initialized) fail("MPI is already initialized; construct one comm::Environment per process");
  const WithoutLauncher alone;
  int provided = MPI_THREAD_SINGLE;
  check(MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
  if (provided < MPI_THREAD_FUNNELED)
    fail("this MPI library does not provide MPI_THREAD_FUNNELED; use one built with thread support");
}

Environment::~Environment() {
  int is_finalized = 0;
  MPI_Finalized(&is_finalized);
  if (!is_finalized) MPI_Finalize();
}

std::string Environment::library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  check(MPI_Get_library_version(text, &length), "MPI_Get_library_version");
  const std::string version(text, length);
  return version.substr(0, version.find_first_of(",\n"));
}

void require_launcher_agrees(const Communicator& world) {
  if (world.size() > 1) return;
  // mpirun chose the number of ranks if its variable is set, also in a job of Slurm.
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"}) {
    const char* tasks = slurm_variable(name);
    if (tasks == nullptr) continue;
    if (std::atoi(tasks) <= 1) return;
    fail("the launcher started ", tasks, " tasks (", name,
         "), but MPI sees one rank, so each task would do all the work alone. Under Slurm, start the program with "
         "`srun --mpi=pmix` (`srun --mpi=list` lists the choices) or with the mpirun of the MPI that it was built "
         "with; for a single rank use `srun -n 1`");
  }
}

void set_abort_hook(std::function<void(const std::string&)> hook) { abort_hook() = std::move(hook); }

void abort(const Communicator& world, int code, const std::string& message) {
  log_error(message);
  if (abort_hook()) abort_hook()(message);
  if (world.size() == 1) std::_Exit(code);
  MPI_Abort(world.mpi(), code);
  std::abort();
}

}  // namespace tesserec::comm
