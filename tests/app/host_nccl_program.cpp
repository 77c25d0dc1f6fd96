// SPDX-License-Identifier: Apache-2.0
// The program tesserec with NCCL's calls over the host's memory. NCCL_TEST_FAILS and NCCL_TEST_DIES plant a failure or
// a death at a group of messages, NCCL_TEST_VERSION another version. They apply to the rank NCCL_TEST_RANK, or to all
// ranks.
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
