// SPDX-License-Identifier: Apache-2.0
#include <tesserec/jagged/keyed_jagged_tensor.hpp>

#include "catch.hpp"

using namespace tesserec;

TEST_CASE("a keyed jagged tensor finds the bag of a key and a sample") {
  // Two keys, three samples: [101, 202] [] [303] and [404] [505] [606].
  jagged::KeyedJaggedTensor kjt;
  kjt.keys = {"product", "user"};
  kjt.stride = 3;
  kjt.values = make_vector<Index>(Exec(), "tesserec::test::values", 6);
  kjt.offsets = make_vector<Index>(Exec(), "tesserec::test::offsets", 7);
  const Index values[] = {101, 202, 303, 404, 505, 606}, offsets[] = {0, 2, 2, 3, 4, 5, 6};
  std::copy(values, values + 6, kjt.values.data());
  std::copy(offsets, offsets + 7, kjt.offsets.data());
  REQUIRE(kjt.features() == 2);
  REQUIRE(kjt.total() == 6);
  REQUIRE_FALSE(kjt.weighted());
  REQUIRE(kjt.length(0, 0) == 2);
  REQUIRE(kjt.length(0, 1) == 0);
  REQUIRE(kjt.values(kjt.begin(0, 2)) == 303);
  REQUIRE(kjt.values(kjt.begin(1, 1)) == 505);
  REQUIRE(jagged::KeyedJaggedTensor{}.total() == 0);
}
