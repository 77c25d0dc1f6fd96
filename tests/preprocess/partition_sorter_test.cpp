// SPDX-License-Identifier: Apache-2.0
#include "src/preprocess/partition_sorter.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "catch.hpp"
#include <tesserec/core/random.hpp>

using namespace tesserec;
using namespace tesserec::preprocess;

TEST_CASE("sorted: orders tokens by count, then by bytes, however many there are") {
  const Random random(3, Purpose::test);
  // Tokens that differ early, late, behind their first 8 bytes, and by zeros at the end.
  const std::vector<std::string> beginnings = {"", "ab", "0000beef", "a long common beginning "};
  for (const Index size : {0, 1, 2, 100, 5000}) {
    TokenList list;
    std::vector<std::pair<Index, std::string>> expected;
    for (Index i = 0; i < size; ++i) {
      std::string token = beginnings[std::size_t(random.below(4, i, 0))] + std::to_string(i);
      token.append(std::size_t(random.below(3, i, 1)), '\0');
      if (random.below(4, i, 2) == 0) token += char(128 + random.below(128, i, 3));
      const Index count = random.below(3, i, 4) == 0 ? 250 + random.below(1000, i, 5) : 1 + random.below(3, i, 6);
      list.add(token, count);
      expected.emplace_back(-count, token);
    }
    std::sort(expected.begin(), expected.end());
    const std::vector<TokenRank> order = sorted(list);
    REQUIRE(order.size() == expected.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      REQUIRE(order[i].count() == -expected[i].first);
      REQUIRE(order[i].token() == expected[i].second);
    }
  }
}
