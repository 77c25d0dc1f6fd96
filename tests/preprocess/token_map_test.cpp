// SPDX-License-Identifier: Apache-2.0
#include "src/preprocess/token_map.hpp"

#include <map>

#include "catch.hpp"
#include "src/preprocess/token_batch.hpp"
#include <tesserec/core/random.hpp>

using namespace tesserec;
using namespace tesserec::preprocess;

TEST_CASE("TokenMap: holds many tokens") {
  const Random random(5, Purpose::test);
  TokenMap map;
  std::map<std::string, Index> expected;
  for (Index i = 0; i < 20000; ++i) {
    const std::string token = std::to_string(random.below(7000, i, 0));
    const Index number = map.insert(token);
    REQUIRE(number == expected.emplace(token, static_cast<Index>(expected.size())).first->second);
  }
  REQUIRE(map.size() == static_cast<Index>(expected.size()));
  for (const auto& [token, number] : expected) {
    REQUIRE(map.find(token) == number);
    REQUIRE(map.token(number) == token);
  }
  REQUIRE(map.find("x") == -1);
}

TEST_CASE("TokenMap: tells tokens apart that differ late or by zeros at the end") {
  TokenMap map;
  std::vector<std::string> tokens;
  for (int i = 0; i < 300; ++i) {
    tokens.emplace_back("a common beginning ") += std::to_string(100 + i);
    tokens.push_back(std::to_string(i));
    for (int zeros = 0; zeros < 3; ++zeros) tokens.push_back(tokens.back() + '\0');
  }
  for (std::size_t i = 0; i < tokens.size(); ++i) REQUIRE(map.insert(tokens[i]) == static_cast<Index>(i));
  for (std::size_t i = 0; i < tokens.size(); ++i) REQUIRE(map.find(tokens[i]) == static_cast<Index>(i));
}

TEST_CASE("TokenMap: counts the most memory that a token takes besides its text") {
  TokenMap map;
  Index bytes = 0;
  for (Index i = 0; i < 5000; ++i) {
    const std::string token = std::to_string(i);
    map.insert(token);
    bytes += std::ssize(token);
    if (i < 100) continue;
    TokenMap exact;  // without the memory that vectors have to spare
    exact.reserve(map.size(), bytes);
    REQUIRE(exact.memory() <= map.size() * TokenMap::token_memory + bytes + 64);
  }
}

TEST_CASE("TokenCounts: count past what a bucket holds, and while the table grows") {
  const Random random(6, Purpose::test);
  constexpr Index most = (Index{1} << 28) - 1;  // that a bucket holds
  TokenCounts counts;
  std::map<std::string, Index> expected;
  const auto add = [&](const std::string& token, Index count) {
    counts.add(token, count);
    expected[token] += count;
  };
  add("once", 1);
  add("just", most);
  for (int i = 0; i < 3; ++i) add("far beyond", most - 1);
  for (Index i = 0; i < 20000; ++i) add(std::to_string(random.below(7000, i, 0)), 1 + i % 3);
  TokenBatch batch;
  for (const char* const token : {"just", "new in the batch", "just"}) batch.add(std::string_view(token));
  batch.add(std::nullopt);
  batch.fetch(counts.tokens);
  std::vector<std::uint32_t> numbers = {7};
  counts.add(batch, numbers);
  expected["just"] += 2;
  ++expected["new in the batch"];

  const std::vector<Index> found = counts.counts();
  REQUIRE(found.size() == expected.size());
  for (const auto& [token, count] : expected) CHECK(found[std::size_t(counts.tokens.find(token))] == count);
  CHECK(numbers == std::vector<std::uint32_t>{7, 2, std::uint32_t(expected.size()), 2, 0});
  counts.clear();
  counts.add("far beyond");
  CHECK(counts.counts() == std::vector<Index>{1});
}

TEST_CASE("TokenCounts: texts that differ in length alone are counted apart") {
  for (int i = 0; i < 64; ++i) {  // some of the pairs stand in one cache line
    const std::string text = std::to_string(i), longer = text + '\0';
    TokenBatch batch;
    for (const std::string& token : {text, longer, text}) batch.add(token);
    TokenCounts counts;
    std::vector<std::uint32_t> numbers;
    counts.add(batch, numbers);
    CHECK(numbers == std::vector<std::uint32_t>{1, 2, 1});
  }
}

TEST_CASE("WaitingRows: are full of rows, of long texts, and of long bags") {
  WaitingRows rows(2);
  const auto rows_until_full = [&](std::size_t values, const std::string& text) {
    for (rows.clear(); !rows.full(); ++rows.rows)
      for (std::size_t v = 0; v < values; ++v) rows.add(v % 2, text);
    return rows.rows;
  };
  CHECK(rows_until_full(26, "0123abcd") == WaitingRows::most_rows);
  CHECK(rows_until_full(2, std::string(1 << 16, 'x')) == 8);
  CHECK(rows_until_full(1 << 13, "0") < 6);
  CHECK(rows_until_full(0, "") == WaitingRows::most_rows);  // cleared

  const std::string text(1 << 16, 'x');
  for (rows.clear(); !rows.full(); ++rows.rows)
    rows.add(std::vector<std::optional<std::string_view>>{text, std::nullopt});
  CHECK(rows.rows == 16);
}
