// SPDX-License-Identifier: Apache-2.0
// write_verified(), also where a file system has only the page cache, or refuses direct I/O behind the first pieces.
#include <cerrno>
#include <cstdarg>

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "catch.hpp"
#include "errors.hpp"
#include "scratch.hpp"
#include "src/store/page_buffer.hpp"
#include <tesserec/store/disk.hpp>

namespace {

enum class Direct { allowed, unknown, refused };
Direct direct = Direct::allowed;
bool flips = false;
int flag_changes = 0;
ssize_t direct_bytes = 0;           // written by direct I/O
const void* direct_from = nullptr;  // where the last of them stood

bool is_direct(int file) { return (::syscall(SYS_fcntl, file, F_GETFL) & O_DIRECT) != 0; }

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
  if (direct == Direct::refused && at > 0 && is_direct(file)) {
    errno = EINVAL;
    return -1;
  }
  const auto got = ssize_t(::syscall(SYS_pread64, file, to, size, at));
  if (flips && got > 0) static_cast<char*>(to)[got - 1] ^= 1;
  return got;
}

/// Does so, too. Refuses direct writes behind the first one, of which it writes a page.
extern "C" ssize_t write(int file, const void* from, size_t size) {
  if (!is_direct(file)) return ssize_t(::syscall(SYS_write, file, from, size));
  if (direct == Direct::refused && direct_bytes > 0) {
    errno = EINVAL;
    return -1;
  }
  const auto written = ssize_t(::syscall(SYS_write, file, from, direct == Direct::refused ? 4096 : size));
  if (written > 0) direct_bytes += written;
  direct_from = from;
  return written;
}

using namespace tesserec;

TEST_CASE("write_verified: proves files of any size, past the page cache or through it") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Scratch scratch(world);
  const std::string path = scratch / "file";
  const auto prove = [&](Direct how, std::size_t size, std::size_t behind_page) {
    INFO(int(how) << ", " << size << " bytes, " << behind_page << " behind a page");
    direct = how;
    flag_changes = 0;
    direct_bytes = 0;
    const store::PageBuffer memory = store::page_buffer(size + behind_page);
    char* const data = static_cast<char*>(memory.get()) + behind_page;
    for (std::size_t i = 0; i < size; ++i) data[i] = char('a' + i % 26);
    const auto bytes = std::as_bytes(std::span<const char>(data, size));
    REQUIRE_NOTHROW(store::write_verified(path, bytes));
    CHECK(bytes_of(path) == std::string(data, size));
    CHECK(flag_changes > 0);
    const bool tried = size >= (4 << 20) && how != Direct::unknown;
    if (!tried) CHECK(direct_bytes == 0);
    // A file system without direct I/O, as older tmpfs, writes all bytes through the page cache.
    if (tried && direct_bytes > 0) {
      CHECK(direct_bytes == (how == Direct::refused ? 4096 : ssize_t(size) / 4096 * 4096));
      const bool copied = direct_from < data || direct_from >= data + size;
      CHECK(copied == (behind_page > 0));
    }
    flips = size > 0;
    if (flips) CHECK(mentions(error_of([&] { store::write_verified(path, bytes); }), "the disk is failing"));
    flips = false;
  };
  for (const Direct how : {Direct::allowed, Direct::unknown, Direct::refused})
    for (const std::size_t size : {0, 1, 4095, 5000, 1 << 20, (3 << 20) + 7, 4 << 20, (9 << 20) + 4096 + 5})
      for (const std::size_t behind_page : {0, 16})
        if (world.rank() == 0) prove(how, size, behind_page);
  direct = Direct::allowed;
}
