// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "catch.hpp"
#include "store/scratch.hpp"
#include <tesserec/parallel_io/folder_lock.hpp>

using namespace tesserec;
using parallel_io::FolderLock;

TEST_CASE("FolderLock: is held as long as one rank of the job lives") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Scratch scratch(world);
  const std::string folder = scratch / "new/run";
  std::optional<FolderLock> lock(std::in_place, world, folder, 0);
  const auto second_job = [&] {  // a job of the same ranks
    return error_of([&] { FolderLock(world, folder, 0); });
  };
  CHECK(mentions(second_job(), folder + "/lock is in use by process "));
  world.barrier();
  if (world.rank() != world.size() - 1) lock.reset();
  world.barrier();
  CHECK(mentions(second_job(), folder + "/lock is in use by process "));
  world.barrier();
  lock.reset();
  world.barrier();
  CHECK(second_job().empty());
  world.barrier();
}
