// SPDX-License-Identifier: Apache-2.0
// Replacements of calls that rename, remove, make and look up files.
#include <cerrno>
#include <cstdio>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shim.hpp"

using namespace faults;

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

// Lookups never count, but they do not see a hidden folder.
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
