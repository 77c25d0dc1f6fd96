// SPDX-License-Identifier: Apache-2.0
// Functions that all planted faults share.
#pragma once

#include <vector>

#include <tesserec/emulated.hpp>

namespace planted {

using namespace tesserec::emulated;

inline constexpr int n = 64;
using Numbers = Array<int, Kind::device>;
using Pinned = Array<int, Kind::pinned>;

inline bool right = false;  ///< runs without the fault

/// Kernels are named structs, so that reports show their names.
struct Fill {
  int* to;
  int value;
  void operator()(std::int64_t i) const { to[i] = value; }
};
struct Add {
  const int* from;
  int* to;
  void operator()(std::int64_t i) const { to[i] = from[i] + 1; }
};

inline std::vector<int> fetched(const Device& device, const int* from) {
  std::vector<int> numbers(n);
  copy(device, from, numbers.data(), n * sizeof(int));
  device.fence();
  return numbers;
}
inline Numbers filled(const Device& device, int value) {
  Numbers made("planted::numbers", n);
  launch_numbers(device, "planted::fill", n, Fill{made.data(), value});
  return made;
}

/// A fault, the build of the library that reports it, and the text of the report.
struct Fault {
  const char *name, *build, *report;
  void (*run)();
};
std::vector<Fault> of_memory();
std::vector<Fault> of_order();
std::vector<Fault> of_threads();

}  // namespace planted
