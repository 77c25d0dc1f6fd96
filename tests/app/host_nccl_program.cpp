// SPDX-License-Identifier: Apache-2.0
// The program, with NCCL's calls over the host's memory. On the rank NCCL_TEST_RANK, or on all, goes wrong what NCCL_TEST_FAILS,
// NCCL_TEST_DIES (which group of messages) or NCCL_TEST_VERSION says.
#include <csignal>
#include <cstdlib>
#include <string>

#include "host_nccl.hpp"
#include <tesserec/app/program.hpp>

namespace {

const char* planted(const char* name) { return std::getenv((std::string("NCCL_TEST_") + name).c_str()); }

std::unique_ptr<tesserec::comm::Nccl> make() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (planted("RANK") != nullptr && std::atoi(planted("RANK")) != rank) return HostNccl::make();
  if (planted("VERSION") != nullptr) HostNccl::planted.version = planted("VERSION");
  if (planted("FAILS") != nullptr) HostNccl::planted.fails_at = std::atoi(planted("FAILS"));
  if (planted("DIES") != nullptr) HostNccl::planted.dies_at = std::atoi(planted("DIES"));
  return HostNccl::make();
}

}  // namespace

int main(int argc, char** argv) {
  tesserec::comm::provide_nccl(make);
  return tesserec::app::run(argc, argv);
}
