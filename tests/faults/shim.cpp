// SPDX-License-Identifier: Apache-2.0
// A library to preload: it lets the n-th call that concerns files below one folder fail, in one rank or in all.
//   FAULT_PREFIX=FOLDER  calls on paths below it count, and on descriptors of files opened there; without it none
//   FAULT_CALL=N         the N-th of these calls, from 1; 0: none
//   FAULT_KIND=ENOSPC    that call fails so, once
//              EIO
//              FULL      from that call on all that take space fail with ENOSPC
//              SHORT     that write does half and says so, the next one to the file fails with ENOSPC
//              HALF      that write does half and says so, all others succeed: nobody may mind
//              LIE       the N-th call of write() does half and says that it did all, as a failing disk
//              KILL      SIGKILL instead of that call
//              HIDDEN    no call counts: whatever lies below the folder cannot be seen (ENOENT)
//   FAULT_RANK=R         in this rank only (OMPI_COMM_WORLD_RANK, PMIX_RANK); -1 or nothing: in any
//   FAULT_COUNT=FILE     each counted call adds a line "RANK N CALL PATH", at once, so that _exit and signals lose none
// Writes of C stdio go from glibc to the kernel without a symbol in between and cannot be caught; its opens, flushes
// and closes can, and stand for them.
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

enum class Kind { none, error, full, half, lie, kill, hidden };
enum Use { takes_space = 1, writes = 2 };

constexpr int descriptors = 4096;
constexpr std::size_t path_size = 4096;

struct Settings {
  char prefix[path_size] = "";
  std::size_t prefix_size = 0;
  long call = 0, rank = 0;
  Kind kind = Kind::none;
  int error = EIO;
  bool then_full = false;  // after a half write the next one to the same file fails
  int log = -1;
};

std::atomic<long> calls{0};
std::atomic<long> plain_writes{0};
std::atomic<int> starved{-1};             // the descriptor whose next write fails
std::atomic<bool> followed[descriptors];  // opened below the folder
std::atomic<bool> writable[descriptors];  // and for writing

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

template <class F>
F* real(const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}
#define REAL(name) static auto* const next = real<decltype(name)>(#name)

/// The path as text from the root. Links are not followed.
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

enum class Fate { passes, fails, halves, lies };

/// Counts a call and says what becomes of it; errno is set where it fails.
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

template <class Open>
int opened(const char* name, int folder, const char* path, int flags, const Open& next) {
  if (!below(folder, path)) return next();
  if (hidden(folder, path)) return -1;
  const bool for_writing = (flags & O_ACCMODE) != O_RDONLY || (flags & O_CREAT) != 0;
  if (for_writing && count(name, (flags & O_CREAT) != 0 ? takes_space : 0, -1, path) == Fate::fails) return -1;
  const int file = next();
  follow(file, for_writing);
  return file;
}

std::FILE* opened_stream(const char* name, const char* path, const char* mode,
                         std::FILE* (*next)(const char*, const char*)) {
  if (!below(AT_FDCWD, path)) return next(path, mode);
  if (hidden(AT_FDCWD, path)) return nullptr;
  const bool for_writing = std::strpbrk(mode, "wa+") != nullptr;
  if (for_writing && count(name, takes_space, -1, path) == Fate::fails) return nullptr;
  std::FILE* stream = next(path, mode);
  if (stream != nullptr) follow(fileno(stream), for_writing);
  return stream;
}

/// `next(size)` writes the first `size` bytes.
template <class Write>
ssize_t written(const char* name, int file, std::size_t size, const Write& next) {
  if (!is_followed(file)) return next(size);
  switch (count(name, takes_space | writes, file, nullptr)) {
    case Fate::fails:
      return -1;
    case Fate::halves:
      return next(size / 2);
    case Fate::lies:
      return next(size / 2) < 0 ? -1 : static_cast<ssize_t>(size);
    default:
      return next(size);
  }
}

/// A vector of buffers is cut to its first `size` bytes.
constexpr int most_parts = 64;
struct Parts {
  iovec part[most_parts];
  int count = 0;
  Parts(const iovec* from, int parts, std::size_t size) {
    for (int i = 0; i < std::min(parts, most_parts) && size > 0; ++i) {
      part[count] = from[i];
      part[count].iov_len = std::min(part[count].iov_len, size);
      size -= part[count++].iov_len;
    }
  }
};
std::size_t size_of(const iovec* from, int parts) {
  std::size_t size = 0;
  for (int i = 0; i < parts; ++i) size += from[i].iov_len;
  return size;
}

/// A call on a descriptor that succeeds with 0.
template <class Call>
int done(const char* name, int use, int file, const Call& next) {
  if (is_followed(file) && count(name, use, file, nullptr) == Fate::fails) return -1;
  return next();
}

mode_t mode_of(int flags, va_list list) {
  return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(list, mode_t) : 0;
}

}  // namespace

#define OPEN(name)                                                                        \
  EXPORT int name(const char* path, int flags, ...) {                                     \
    va_list list;                                                                         \
    va_start(list, flags);                                                                \
    const mode_t mode = mode_of(flags, list);                                             \
    va_end(list);                                                                         \
    REAL(name);                                                                           \
    return opened(#name, AT_FDCWD, path, flags, [&] { return next(path, flags, mode); }); \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                                            \
  EXPORT int name(int folder, const char* path, int flags, ...) {                               \
    va_list list;                                                                               \
    va_start(list, flags);                                                                      \
    const mode_t mode = mode_of(flags, list);                                                   \
    va_end(list);                                                                               \
    REAL(name);                                                                                 \
    return opened(#name, folder, path, flags, [&] { return next(folder, path, flags, mode); }); \
  }
OPENAT(openat)
OPENAT(openat64)

#define CREAT(name)                                                                                       \
  EXPORT int name(const char* path, mode_t mode) {                                                        \
    REAL(name);                                                                                           \
    return opened(#name, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, [&] { return next(path, mode); }); \
  }
CREAT(creat)
CREAT(creat64)

#define FOPEN(name)                                            \
  EXPORT std::FILE* name(const char* path, const char* mode) { \
    REAL(name);                                                \
    return opened_stream(#name, path, mode, next);             \
  }
FOPEN(fopen)
FOPEN(fopen64)

EXPORT ssize_t write(int file, const void* bytes, size_t size) {
  REAL(write);
  return written("write", file, size, [&](std::size_t part) { return next(file, bytes, part); });
}

#define PWRITE(name, offset)                                                                          \
  EXPORT ssize_t name(int file, const void* bytes, size_t size, offset at) {                          \
    REAL(name);                                                                                       \
    return written(#name, file, size, [&](std::size_t part) { return next(file, bytes, part, at); }); \
  }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

EXPORT ssize_t writev(int file, const iovec* parts, int count) {
  REAL(writev);
  const std::size_t all = size_of(parts, count);
  return written("writev", file, all, [&](std::size_t size) {
    if (size == all) return next(file, parts, count);
    const Parts half(parts, count, size);
    return next(file, half.part, half.count);
  });
}

#define PWRITEV(name, offset)                                               \
  EXPORT ssize_t name(int file, const iovec* parts, int count, offset at) { \
    REAL(name);                                                             \
    const std::size_t all = size_of(parts, count);                          \
    return written(#name, file, all, [&](std::size_t size) {                \
      if (size == all) return next(file, parts, count, at);                 \
      const Parts half(parts, count, size);                                 \
      return next(file, half.part, half.count, at);                         \
    });                                                                     \
  }
PWRITEV(pwritev, off_t)
PWRITEV(pwritev64, off64_t)

EXPORT int fsync(int file) {
  REAL(fsync);
  return done("fsync", 0, file, [&] { return next(file); });
}

EXPORT int fdatasync(int file) {
  REAL(fdatasync);
  return done("fdatasync", 0, file, [&] { return next(file); });
}

#define FTRUNCATE(name, offset)                                    \
  EXPORT int name(int file, offset size) noexcept {                \
    REAL(name);                                                    \
    return done(#name, 0, file, [&] { return next(file, size); }); \
  }
FTRUNCATE(ftruncate, off_t)
FTRUNCATE(ftruncate64, off64_t)

// This one returns its error and leaves errno alone.
#define FALLOCATE(name, offset)                                                                     \
  EXPORT int name(int file, offset at, offset size) {                                               \
    REAL(name);                                                                                     \
    if (is_followed(file) && count(#name, takes_space, file, nullptr) == Fate::fails) return errno; \
    return next(file, at, size);                                                                    \
  }
FALLOCATE(posix_fallocate, off_t)
FALLOCATE(posix_fallocate64, off64_t)

// The descriptor is gone whatever close says, as on Linux. Only files that were open for writing can lose something.
EXPORT int close(int file) {
  REAL(close);
  if (!is_followed(file)) return next(file);
  const bool fails = writable[file] && count("close", 0, file, nullptr) == Fate::fails;
  const int why = errno;
  forget(file);
  const int code = next(file);
  if (!fails) return code;
  errno = why;
  return -1;
}

EXPORT int fclose(std::FILE* stream) {
  REAL(fclose);
  const int file = stream == nullptr ? -1 : fileno(stream);
  if (!is_followed(file)) return next(stream);
  const bool fails = writable[file] && count("fclose", takes_space, file, nullptr) == Fate::fails;
  const int why = errno;
  forget(file);
  const int code = next(stream);
  if (!fails) return code;
  errno = why;
  return EOF;
}

EXPORT int fflush(std::FILE* stream) {
  REAL(fflush);
  const int file = stream == nullptr ? -1 : fileno(stream);
  if (is_followed(file) && writable[file] && count("fflush", takes_space, file, nullptr) == Fate::fails) return EOF;
  return next(stream);
}

EXPORT int rename(const char* from, const char* to) noexcept {
  REAL(rename);
  if (hidden(AT_FDCWD, from) || hidden(AT_FDCWD, to)) return -1;
  if ((below(AT_FDCWD, from) || below(AT_FDCWD, to)) && count("rename", 0, -1, to) == Fate::fails) return -1;
  return next(from, to);
}

EXPORT int renameat(int from_folder, const char* from, int to_folder, const char* to) noexcept {
  REAL(renameat);
  if ((below(from_folder, from) || below(to_folder, to)) && count("renameat", 0, -1, to) == Fate::fails) return -1;
  return next(from_folder, from, to_folder, to);
}

EXPORT int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) noexcept {
  REAL(renameat2);
  if ((below(from_folder, from) || below(to_folder, to)) && count("renameat2", 0, -1, to) == Fate::fails) return -1;
  return next(from_folder, from, to_folder, to, flags);
}

#define REMOVE(name)                                                                  \
  EXPORT int name(const char* path) noexcept {                                        \
    REAL(name);                                                                       \
    if (below(AT_FDCWD, path) && count(#name, 0, -1, path) == Fate::fails) return -1; \
    return next(path);                                                                \
  }
REMOVE(unlink)
REMOVE(rmdir)
REMOVE(remove)

EXPORT int unlinkat(int folder, const char* path, int flags) noexcept {
  REAL(unlinkat);
  char whole[path_size];
  absolute(folder, path, whole);
  if (below(AT_FDCWD, whole) && count("unlinkat", 0, -1, whole) == Fate::fails) return -1;
  return next(folder, path, flags);
}

EXPORT int link(const char* from, const char* to) noexcept {
  REAL(link);
  if (below(AT_FDCWD, to) && count("link", takes_space, -1, to) == Fate::fails) return -1;
  return next(from, to);
}

EXPORT int mkdir(const char* path, mode_t mode) noexcept {
  REAL(mkdir);
  if (hidden(AT_FDCWD, path)) return -1;
  if (below(AT_FDCWD, path) && count("mkdir", takes_space, -1, path) == Fate::fails) return -1;
  return next(path, mode);
}

EXPORT int mkdirat(int folder, const char* path, mode_t mode) noexcept {
  REAL(mkdirat);
  if (hidden(folder, path)) return -1;
  if (below(folder, path) && count("mkdirat", takes_space, -1, path) == Fate::fails) return -1;
  return next(folder, path, mode);
}

// What only looks never counts, but a hidden folder is hidden from it.
#define LOOK(name, type)                                   \
  EXPORT int name(const char* path, type* into) noexcept { \
    REAL(name);                                            \
    return hidden(AT_FDCWD, path) ? -1 : next(path, into); \
  }
using Stat = struct stat;
using Stat64 = struct stat64;
LOOK(stat, Stat)
LOOK(stat64, Stat64)
LOOK(lstat, Stat)
LOOK(lstat64, Stat64)

EXPORT int access(const char* path, int wanted) noexcept {
  REAL(access);
  return hidden(AT_FDCWD, path) ? -1 : next(path, wanted);
}

EXPORT DIR* opendir(const char* path) {
  REAL(opendir);
  return hidden(AT_FDCWD, path) ? nullptr : next(path);
}
