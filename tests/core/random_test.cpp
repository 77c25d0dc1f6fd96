// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "catch.hpp"
#include <tesserec/core/random.hpp>

using namespace tesserec;

TEST_CASE("philox4x32-10 gives the published known answers") {
  // Random123's kat_vectors (Salmon et al., 2011).
  using Four = std::array<std::uint32_t, 4>;
  REQUIRE(philox4x32({0, 0, 0, 0}, {0, 0}) == Four{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  REQUIRE(philox4x32({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}) == Four{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  REQUIRE(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
          Four{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("uniform and normal numbers have the moments of their distributions") {
  const Random random(7, Purpose::test, 2);
  double sum = 0, squares = 0, normal = 0, normal_squares = 0;
  constexpr Index n = 200000;
  for (Index i = 0; i < n; ++i) {
    const double u = random.uniform(i, 3);
    const double z = random.normal(i, 5);
    REQUIRE((u >= 0 && u < 1));
    REQUIRE(random.below(10, i, 0) < 10);
    sum += u, squares += u * u, normal += z, normal_squares += z * z;
  }
  REQUIRE(sum / n == Approx(0.5).margin(0.003));
  REQUIRE(squares / n == Approx(1.0 / 3).margin(0.003));
  REQUIRE(normal / n == Approx(0).margin(0.01));
  REQUIRE(normal_squares / n == Approx(1).margin(0.02));
}

TEST_CASE("streams of other seeds, purposes and tables differ") {
  const Random a(1, Purpose::test, 0);
  REQUIRE(a.bits(0, 0) != Random(2, Purpose::test, 0).bits(0, 0));
  REQUIRE(a.bits(0, 0) != Random(1, Purpose::table_weights, 0).bits(0, 0));
  REQUIRE(a.bits(0, 0) != Random(1, Purpose::test, 1).bits(0, 0));
}
