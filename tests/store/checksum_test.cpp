// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "catch.hpp"
#include <tesserec/core/random.hpp>
#include <tesserec/store/checksum.hpp>

using namespace tesserec;
using store::table_checksum;

namespace {

std::vector<float> numbers(Index size) {
  const Random random(3, Purpose::test);
  std::vector<float> values(static_cast<std::size_t>(size));
  for (Index i = 0; i < size; ++i) values[i] = random.normal(i, 0);
  return values;
}

}  // namespace

TEST_CASE("table_checksum: returns the checksum that docs/formats.md defines") {
  // Table of 3 x 6 with values 0, 1, 2, ...; computed with Python's xxhash by the text of docs/formats.md.
  std::vector<float> values(18);
  for (int i = 0; i < 18; ++i) values[i] = static_cast<float>(i);
  const Exec exec;
  REQUIRE(table_checksum(exec, "tables/t0/weight", {values.data(), 0, 3, 0, 6, 6}) == 0x52318186333c1628ull);
  const std::vector<unsigned char> bytes(100000, 7);
  REQUIRE(store::bytes_checksum("deck", bytes.data(), 100000) == 0xdc64393aaaca0041ull);
  REQUIRE(store::combined_digest({{"a", 1}, {"b", 0xfedcba9876543210ull}}) == "dff63d05640b3b91");
}

TEST_CASE("table_checksum: any partition of a table's blocks sums to the same checksum") {
  const Exec exec;
  constexpr Index rows = 5000;
  for (const Index columns : {1, 3, 4, 17, 64}) {
    const std::vector<float> values = numbers(rows * columns);
    const std::uint64_t whole = table_checksum(exec, "t", {values.data(), 0, rows, 0, columns, columns});
    std::uint64_t parts = 0;
    for (Index row = 0; row < rows;) {
      const Index count = std::min<Index>(1 + row / 2, rows - row);
      for (Index column = 0; column < columns; column += 8)
        parts += table_checksum(exec, "t",
                                {values.data() + row * columns + column, row, count, column,
                                 std::min<Index>(8, columns - column), columns});
      row += count;
    }
    REQUIRE(parts == whole);
  }
}

TEST_CASE("table_checksum: depends on each bit and the order of rows and columns and the name") {
  const Exec exec;
  constexpr Index rows = 64, columns = 8;
  std::vector<float> values = numbers(rows * columns);
  const auto sum = [&](const char* name) {
    return table_checksum(exec, name, {values.data(), 0, rows, 0, columns, columns});
  };
  const std::uint64_t whole = sum("t");
  REQUIRE(sum("u") != whole);
  values[77] = -values[77];
  REQUIRE(sum("t") != whole);
  values[77] = -values[77];
  REQUIRE(sum("t") == whole);
  std::swap_ranges(values.begin(), values.begin() + columns, values.begin() + 5 * columns);
  REQUIRE(sum("t") != whole);
  std::swap_ranges(values.begin(), values.begin() + columns, values.begin() + 5 * columns);
  std::swap_ranges(values.begin(), values.begin() + 4, values.begin() + 4);
  REQUIRE(sum("t") != whole);
}

TEST_CASE("bytes_checksum: runs of whole blocks sum to the same checksum") {
  const std::vector<float> values = numbers(100000);
  const char* bytes = reinterpret_cast<const char*>(values.data());
  constexpr Index first = 3 * 65536;
  REQUIRE(store::bytes_checksum("x", bytes, 400000) ==
          store::bytes_checksum("x", bytes, first) + store::bytes_checksum("x", bytes + first, 400000 - first, first));
}
