// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <vector>

#include "catch.hpp"
#include <tesserec/core/not_finite.hpp>
#include <tesserec/core/placed.hpp>

using namespace tesserec;

TEST_CASE("NotFinite: finds the first number that is not finite on the host and on a device") {
  const Exec exec;
  NotFinite search;
  constexpr float inf = std::numeric_limits<float>::infinity(), largest = std::numeric_limits<float>::max();
  for (const Place place : {Place::host, Place::device}) {
    const auto first = [&](const std::vector<float>& numbers) {
      const PlacedVector<float> placed(exec, place, "tesserec::test::numbers", std::ssize(numbers));
      placed.from_host(exec, numbers);
      const PlacedVector<float> fine(exec, place, "tesserec::test::numbers", 3);
      fine.from_host(exec, {0.0f, 1.0f, 2.0f});
      search.add(place, fine.data(), 3);
      search.add(place, placed.data(), std::ssize(numbers));
      const std::vector<Index> found = search.found(exec);
      CHECK((found.size() == 2 && found[0] == -1));
      return found[1];
    };
    for (const Index n : {1, 7, 10000}) {
      std::vector<float> numbers(n, largest);
      numbers[n / 2] = -largest;
      CHECK(first(numbers) == -1);
      for (const float bad : {inf, -inf, std::numeric_limits<float>::quiet_NaN()})
        for (const Index at : {Index{0}, n / 2, n - 1}) {
          std::vector<float> spoilt = numbers;
          spoilt[at] = spoilt[n - 1] = bad;
          CHECK(first(spoilt) == at);
        }
    }
    CHECK(first({}) == -1);
  }
}
