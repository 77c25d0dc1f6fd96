// SPDX-License-Identifier: Apache-2.0
// What eight threads of a device do with a row, one after the other on the host.
#include "src/dense/row_threads.hpp"

#include <cmath>
#include <cstring>
#include <vector>

#include "catch.hpp"
#include <tesserec/core/random.hpp>

using namespace tesserec;
using namespace tesserec::dense;

TEST_CASE("each of eight threads has its numbers of a row and one of the eight chains") {
  const Random random(25, Purpose::test);
  for (Index n = 0; n <= 40; ++n) {
    std::vector<float> x, seen(n, 0.0f);
    for (Index i = 0; i < n; ++i) x.push_back(random.normal(i, 0));
    const auto step = [&](Index i, float sum) { return std::fma(x[i], x[i], sum); };
    EightChains<float> one;
    OneThread().walk(n, one, step);
    float sums[EightThreads::count];
    for (int thread = 0; thread < EightThreads::count; ++thread) {
      const EightThreads threads(thread);
      CHECK(threads.first() == (thread == 0));
      threads.each(n, [&](Index i) { seen[i] += 1.0f; });
      EightChains<float> own;
      threads.walk(n, own, step);
      CHECK(own.of[0] == one.of[thread]);
      sums[thread] = own.of[0];
    }
    CHECK(seen == std::vector<float>(n, 1.0f));
    // Each adds its neighbour's sum, then that of the pair beside it, then that of the other four: EightThreads::total.
    for (int other = 1; other < EightThreads::count; other *= 2) {
      float next[EightThreads::count];
      for (int thread = 0; thread < EightThreads::count; ++thread) next[thread] = sums[thread] + sums[thread ^ other];
      std::memcpy(sums, next, sizeof sums);
    }
    for (const float sum : sums) CHECK(sum == OneThread().total(one));
  }
}
