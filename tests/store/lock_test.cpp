// SPDX-License-Identifier: Apache-2.0
#include <csignal>

#include <fcntl.h>
#include <sys/wait.h>

#include "catch.hpp"
#include "scratch.hpp"
#include <tesserec/store/lock.hpp>

using namespace tesserec;
using store::FileLock;

TEST_CASE("FileLock: has one owner that others name and ends with its owner") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Scratch scratch(world);
  const std::string path = scratch / ("lock" + std::to_string(world.rank()));
  const std::string me = "is in use by process " + std::to_string(getpid()) + " on ";
  std::optional<FileLock> lock(std::in_place, path, 0);
  const std::string error = error_of([&] { FileLock(path, 0.2); });
  CHECK(mentions(error, path + " " + me));
  CHECK(mentions(error, "after 0.2 s of waiting (run.lock_wait)"));
  FileLock moved = std::move(*lock);
  lock.reset();
  CHECK(!error_of([&] { FileLock(path, 0); }).empty());
  moved = FileLock();
  CHECK(error_of([&] { FileLock(path, 0); }).empty());

  // The owner may rename the file, as it does with a finished draft. The next waiting process then takes a new lock.
  lock.emplace(path, 0);
  std::filesystem::rename(path, path + ".done");
  CHECK(error_of([&] { FileLock(path, 0); }).empty());
}

TEST_CASE("FileLock: ends with a process that is killed") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Scratch scratch(world);
  const std::string path = scratch / ("lock" + std::to_string(world.rank()));
  int ready[2];
  REQUIRE(pipe(ready) == 0);
  const pid_t child = fork();
  if (child == 0) {  // another process, which uses the form of the lock without this library
    const int file = open(path.c_str(), O_RDWR | O_CREAT, 0666);
    struct flock range {};
    range.l_type = F_WRLCK;
    if (write(file, "a job\n", 6) == 6 && fcntl(file, F_OFD_SETLK, &range) == 0 && write(ready[1], "x", 1) == 1)
      pause();
    _exit(1);
  }
  char byte = 0;
  CHECK(read(ready[0], &byte, 1) == 1);
  CHECK(mentions(error_of([&] { FileLock(path, 0); }), path + " is in use by a job"));
  kill(child, SIGKILL);
  CHECK(waitpid(child, nullptr, 0) == child);
  CHECK(error_of([&] { FileLock(path, 0); }).empty());
}
