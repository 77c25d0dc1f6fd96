// SPDX-License-Identifier: Apache-2.0
// write_verified(), also where a file system reads only through the page cache, or refuses the reads past it.
#include <cerrno>
#include <cstdarg>

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "catch.hpp"
#include "errors.hpp"
#include "scratch.hpp"
#include <tesserec/store/disk.hpp>

namespace {

enum class Direct { allowed, unknown, refused };
Direct direct = Direct::allowed;
bool flips = false;
int flag_changes = 0;

}  // namespace

/// Stands for the function of the C library in this program.
extern "C" int fcntl(int file, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  const long value = va_arg(arguments, long);
  va_end(arguments);
  if (command == F_SETFL) {
    ++flag_changes;
    if (direct == Direct::unknown && (value & O_DIRECT) != 0) {
      errno = EINVAL;
      return -1;
    }
  }
  return int(::syscall(SYS_fcntl, file, command, value));
}

/// Does so, too. Refuses reads past the page cache from positions behind the first, and flips a bit of what it reads.
extern "C" ssize_t pread(int file, void* to, size_t size, off_t at) {
  const long flags = ::syscall(SYS_fcntl, file, F_GETFL);
  if (direct == Direct::refused && at > 0 && (flags & O_DIRECT) != 0) {
    errno = EINVAL;
    return -1;
  }
  const auto got = ssize_t(::syscall(SYS_pread64, file, to, size, at));
  if (flips && got > 0) static_cast<char*>(to)[got - 1] ^= 1;
  return got;
}

using namespace tesserec;

TEST_CASE("write_verified: proves files of any size, past the page cache or through it") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Scratch scratch(world);
  const std::string path = scratch / "file";
  for (const Direct how : {Direct::allowed, Direct::unknown, Direct::refused})
    for (const std::size_t size : {0, 1, 4095, 4096, 5000, 1 << 20, (1 << 20) + 4096, (3 << 20) + 7}) {
      if (world.rank() != 0) continue;
      INFO(int(how) << ", " << size);
      direct = how;
      flag_changes = 0;
      std::string text(size, 'a');
      for (std::size_t i = 0; i < size; ++i) text[i] = char('a' + i % 26);
      REQUIRE_NOTHROW(store::write_verified(path, text));
      CHECK(bytes_of(path) == text);
      CHECK(flag_changes > 0);
      flips = size > 0;
      if (flips) CHECK(mentions(error_of([&] { store::write_verified(path, text); }), "the disk is failing"));
      flips = false;
    }
  direct = Direct::allowed;
}
