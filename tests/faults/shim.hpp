// SPDX-License-Identifier: Apache-2.0
/// What the calls of the preloaded library share (shim.cpp says what it does).
#pragma once

#include <cstddef>

#include <dlfcn.h>

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace faults {

/// The function that would be called without this library.
template <class F>
F* real(const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}
#define REAL(name) static auto* const next = faults::real<decltype(name)>(#name)

enum Use { takes_space = 1, writes = 2 };
enum class Fate { passes, fails, halves, lies };

/// Counts a call and says what becomes of it; errno is set where it fails. `path` or `file` is what it is about.
Fate count(const char* name, int use, int file, const char* path);

constexpr std::size_t path_size = 4096;
/// The path as text from the root, into path_size bytes. Links are not followed.
void absolute(int folder, const char* path, char* out);
/// Whether a path, relative to `folder`, lies below the folder that counts.
bool below(int folder, const char* path);
/// Whether it cannot be seen; errno says so.
bool hidden(int folder, const char* path);

/// Descriptors of files opened below the folder.
void follow(int file, bool for_writing);
void forget(int file);
bool is_followed(int file);
bool is_writable(int file);

}  // namespace faults
