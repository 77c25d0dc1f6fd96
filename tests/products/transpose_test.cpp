// SPDX-License-Identifier: Apache-2.0
// transpose() in a file of its own, which nvcc cannot parse.
#include "src/products/transpose.hpp"

#include "catch.hpp"

using namespace tesserec;
using namespace tesserec::products;

TEST_CASE("transpose: transposes registers of 8 and of 16 numbers") {
  const auto turned = [](auto zero, auto size) {
    constexpr int n = size;
    decltype(zero) square[n];
    for (int r = 0; r < n; ++r)
      for (int c = 0; c < n; ++c) square[r][c] = static_cast<float>(100 * r + c);
    transpose<n>(square);
    for (int r = 0; r < n; ++r)
      for (int c = 0; c < n; ++c) REQUIRE(square[r][c] == static_cast<float>(100 * c + r));
  };
  using Eight [[gnu::vector_size(32)]] = float;
  using Sixteen [[gnu::vector_size(64)]] = float;
  turned(Eight{}, std::integral_constant<int, 8>());
  turned(Sixteen{}, std::integral_constant<int, 16>());
}
