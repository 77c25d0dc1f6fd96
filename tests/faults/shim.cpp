// SPDX-License-Identifier: Apache-2.0
// A library to preload. It makes the n-th call that concerns files below one folder fail, in one rank or in all.
//   FAULT_PREFIX=FOLDER  calls on paths below it count, and on descriptors of files opened there; without it none.
//   FAULT_CALL=N         the N-th of these calls, from 1; 0: none.
//   FAULT_KIND=ENOSPC    that call fails so, once.
//              EIO
//              FULL      from that call on all that take space fail with ENOSPC.
//              SHORT     that write stores half and returns so, the next one to the file fails with ENOSPC.
//              HALF      that write stores half and returns so, all others succeed: a correct program notices nothing.
//              LIE       the N-th call of write() stores half and returns the full size, as a failing disk does.
//              KILL      the process ends by SIGKILL before that call.
//              SLOW      all reads of files without a name take 2 ms longer; FAULT_CALL must not be 0.
//              HIDDEN    no call counts: everything below the folder is invisible (ENOENT).
//   FAULT_RANK=R         in this rank only (OMPI_COMM_WORLD_RANK, PMIX_RANK); -1 or nothing: in any.
//   FAULT_COUNT=FILE     each counted call adds a line "RANK N CALL PATH", at once: _exit and signals lose none.
// Writes of C stdio pass from glibc to the kernel without a symbol that a library could replace. Its opens, flushes and
// closes have one and count instead.
#include "shim.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace faults {
namespace {

enum class Kind { none, error, full, half, lie, kill, slow, hidden };

constexpr int descriptors = 4096;

struct Settings {
  char prefix[path_size] = "";
  std::size_t prefix_size = 0;
  long call = 0, rank = 0;
  Kind kind = Kind::none;
  int error = EIO;
  bool then_full = false;  // after a half write, the next write to the same file fails
  int log = -1;
};

std::atomic<long> calls{0};
std::atomic<long> plain_writes{0};
std::atomic<int> starved{-1};             // descriptor whose next write fails
std::atomic<bool> followed[descriptors];  // opened below the folder
std::atomic<bool> writable[descriptors];  // and opened for writing

const char* variable(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? "" : text;
}

Settings read_settings() {
  Settings s;
  std::snprintf(s.prefix, sizeof s.prefix, "%s", variable("FAULT_PREFIX"));
  s.prefix_size = std::strlen(s.prefix);
  const char* rank = variable("OMPI_COMM_WORLD_RANK");
  if (*rank == 0) rank = variable("PMIX_RANK");
  s.rank = std::atol(rank);
  const char* wanted = variable("FAULT_RANK");
  const bool here = *wanted == 0 || std::atol(wanted) < 0 || std::atol(wanted) == s.rank;
  s.call = here ? std::atol(variable("FAULT_CALL")) : 0;
  const char* kind = variable("FAULT_KIND");
  const auto is = [&](const char* name) { return std::strcmp(kind, name) == 0; };
  if (is("ENOSPC") || is("EIO") || is("FULL")) {
    s.kind = is("FULL") ? Kind::full : Kind::error;
    s.error = is("EIO") ? EIO : ENOSPC;
  } else if (is("SHORT") || is("HALF")) {
    s.kind = Kind::half;
    s.then_full = is("SHORT");
  } else if (is("LIE")) {
    s.kind = Kind::lie;
  } else if (is("KILL")) {
    s.kind = Kind::kill;
  } else if (is("SLOW")) {
    s.kind = Kind::slow;
  } else if (is("HIDDEN")) {
    s.kind = here ? Kind::hidden : Kind::none;
  }
  if (const char* file = variable("FAULT_COUNT"); *file != 0)
    s.log = static_cast<int>(syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  return s;
}

const Settings& settings() {
  static const Settings s = read_settings();
  return s;
}

}  // namespace

void absolute(int folder, const char* path, char* out) {
  if (path[0] == '/') {
    std::snprintf(out, path_size, "%s", path);
    return;
  }
  char base[path_size] = "";
  char link[64];
  if (folder == AT_FDCWD)
    std::snprintf(link, sizeof link, "/proc/self/cwd");
  else
    std::snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
  const ssize_t size = readlink(link, base, sizeof base - 1);
  base[size > 0 ? size : 0] = 0;
  const std::size_t used = std::min(std::strlen(base), path_size - 1);
  std::memcpy(out, base, used);
  std::snprintf(out + used, path_size - used, "/%s", path);
}

bool below(int folder, const char* path) {
  const Settings& s = settings();
  if (s.prefix_size == 0 || path == nullptr) return false;
  char whole[path_size];
  absolute(folder, path, whole);
  return std::strncmp(whole, s.prefix, s.prefix_size) == 0 &&
         (whole[s.prefix_size] == 0 || whole[s.prefix_size] == '/');
}

bool hidden(int folder, const char* path) {
  if (settings().kind != Kind::hidden || !below(folder, path)) return false;
  errno = ENOENT;
  return true;
}

bool is_followed(int file) { return file >= 0 && file < descriptors && followed[file]; }

bool is_writable(int file) { return is_followed(file) && writable[file]; }

void follow(int file, bool for_writing) {
  if (file < 0 || file >= descriptors) return;
  followed[file] = true;
  writable[file] = for_writing;
}

void forget(int file) {
  if (file < 0 || file >= descriptors) return;
  followed[file] = writable[file] = false;
  int same = file;
  starved.compare_exchange_strong(same, -1);
}

Fate count(const char* name, int use, int file, const char* path) {
  const Settings& s = settings();
  const long n = ++calls;
  if (s.log >= 0) {
    char where[path_size] = "", line[path_size + 100];
    if (path != nullptr) {
      std::snprintf(where, sizeof where, "%s", path);
    } else {
      char link[64];
      std::snprintf(link, sizeof link, "/proc/self/fd/%d", file);
      const ssize_t size = readlink(link, where, sizeof where - 1);
      where[size > 0 ? size : 0] = 0;
    }
    const int size = std::snprintf(line, sizeof line, "%ld %ld %s %s\n", s.rank, n, name, where);
    if (syscall(SYS_write, s.log, line, std::min<std::size_t>(static_cast<std::size_t>(size), sizeof line - 1)) < 0)
      std::abort();  // a count with gaps is worse than none
  }
  if ((use & writes) != 0 && file >= 0) {
    int same = file;
    if (starved.compare_exchange_strong(same, -1)) {
      errno = ENOSPC;
      return Fate::fails;
    }
  }
  if (s.kind == Kind::lie)
    return std::strcmp(name, "write") == 0 && ++plain_writes == s.call ? Fate::lies : Fate::passes;
  if (s.kind == Kind::slow && std::strncmp(name, "pread", 5) == 0) usleep(2000);
  if (s.call == 0 || n < s.call || (n > s.call && s.kind != Kind::full)) return Fate::passes;
  switch (s.kind) {
    case Kind::error:
      errno = s.error;
      return Fate::fails;
    case Kind::full:
      if ((use & takes_space) == 0) return Fate::passes;
      errno = ENOSPC;
      return Fate::fails;
    case Kind::half:
      if ((use & writes) == 0) return Fate::passes;
      if (s.then_full) starved = file;
      return Fate::halves;
    case Kind::kill:
      raise(SIGKILL);
      return Fate::fails;
    default:
      return Fate::passes;
  }
}

}  // namespace faults
