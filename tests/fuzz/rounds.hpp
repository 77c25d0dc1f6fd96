// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdlib>
#include <random>

namespace tesserec::test {

inline double fuzz_seconds() {
  const char* const text = std::getenv("TESSEREC_FUZZ_SECONDS");
  return text == nullptr ? 0 : std::atof(text);
}

/// Returns the fixed seed of an ordinary test, or a random one if TESSEREC_FUZZ_SECONDS is set.
inline unsigned fuzz_seed(unsigned fixed) { return fuzz_seconds() > 0 ? std::random_device()() : fixed; }

/// A loop of a fixed number of rounds, or of as many as fit in TESSEREC_FUZZ_SECONDS.
class Rounds {
 public:
  explicit Rounds(int most) : left_(most) {}
  bool next() {
    if (fuzz_seconds() == 0) return left_-- > 0;
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count() < fuzz_seconds();
  }

 private:
  int left_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace tesserec::test
