// SPDX-License-Identifier: Apache-2.0
// Replacements of calls that open, write and close files.
#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "shim.hpp"

using namespace faults;

namespace {

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

/// Returns the result of a write that `next(size)` does for the first `size` bytes.
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

/// A vector of buffers limited to its first `size` bytes.
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

/// Makes a call on a descriptor that returns 0 on success.
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

/// Returns whether a file has lost its name or never had one, as files of rows on a disk.
bool is_scratch(int file) {
  struct stat of {};
  return is_followed(file) && fstat(file, &of) == 0 && of.st_nlink == 0;
}

#define PREAD(name, offset)                                                                                \
  EXPORT ssize_t name(int file, void* bytes, size_t size, offset at) {                                     \
    REAL(name);                                                                                            \
    return is_scratch(file)                                                                                \
               ? written(#name, file, size, [&](std::size_t part) { return next(file, bytes, part, at); }) \
               : next(file, bytes, size, at);                                                              \
  }
PREAD(pread, off_t)
PREAD(pread64, off64_t)

// Transfers of an io_uring pass the library by, so the program has none.
EXPORT int io_uring_queue_init(unsigned, void*, unsigned) { return -ENOSYS; }

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

#define LINUX_FALLOCATE(name, offset)                                                  \
  EXPORT int name(int file, int mode, offset at, offset size) {                        \
    REAL(name);                                                                        \
    return done(#name, takes_space, file, [&] { return next(file, mode, at, size); }); \
  }
LINUX_FALLOCATE(fallocate, off_t)
LINUX_FALLOCATE(fallocate64, off64_t)

// posix_fallocate returns its error and leaves errno alone.
#define FALLOCATE(name, offset)                                                                     \
  EXPORT int name(int file, offset at, offset size) {                                               \
    REAL(name);                                                                                     \
    if (is_followed(file) && count(#name, takes_space, file, nullptr) == Fate::fails) return errno; \
    return next(file, at, size);                                                                    \
  }
FALLOCATE(posix_fallocate, off_t)
FALLOCATE(posix_fallocate64, off64_t)

// Linux frees the descriptor even if close fails. Only files that were open for writing can lose data.
EXPORT int close(int file) {
  REAL(close);
  if (!is_followed(file)) return next(file);
  const bool fails = is_writable(file) && count("close", 0, file, nullptr) == Fate::fails;
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
  const bool fails = is_writable(file) && count("fclose", takes_space, file, nullptr) == Fate::fails;
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
  if (is_writable(file) && count("fflush", takes_space, file, nullptr) == Fate::fails) return EOF;
  return next(stream);
}
