// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include <tesserec/core/index.hpp>

namespace tesserec::bench {

/// Seconds of each kernel that Kokkos launches while one of these lives; each is waited for, so that none hides behind
/// another. One at a time.
class KernelTimes {
 public:
  KernelTimes();
  ~KernelTimes();
  KernelTimes(const KernelTimes&) = delete;

  struct Time {
    double seconds = 0;
    Index launches = 0;
  };
  /// By label, without "tesserec::" and " [device]".
  const std::map<std::string, Time>& times() const { return times_; }

 private:
  struct Callbacks;
  std::map<std::string, Time> times_;
};

}  // namespace tesserec::bench
