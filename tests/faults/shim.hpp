// SPDX-License-Identifier: Apache-2.0
/// Declarations that the files of the preloaded library share (shim.cpp describes it).
#pragma once

#include <cstddef>

#include <dlfcn.h>

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace faults {

/// Returns the function that would be called without this library.
template <class F>
F* real(const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}
#define REAL(name) static auto* const next = faults::real<decltype(name)>(#name)

enum Use { takes_space = 1, writes = 2 };
enum class Fate { passes, fails, halves, lies };

/// Counts a call and returns its fate; sets errno if the call fails. `path` or `file` is its argument.
Fate count(const char* name, int use, int file, const char* path);

constexpr std::size_t path_size = 4096;
/// Writes the absolute path as text into path_size bytes. Does not follow links.
void absolute(int folder, const char* path, char* out);
/// Returns whether a path, relative to `folder`, lies below the folder that counts.
bool below(int folder, const char* path);
/// Returns whether the path is hidden, and sets errno if it is.
bool hidden(int folder, const char* path);

/// Track descriptors of files opened below the folder.
void follow(int file, bool for_writing);
void forget(int file);
bool is_followed(int file);
bool is_writable(int file);

}  // namespace faults
