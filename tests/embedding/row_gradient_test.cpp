// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "catch.hpp"
#include <tesserec/core/random.hpp>
#include <tesserec/embedding/row_blocks.hpp>
#include <tesserec/embedding/row_gradient.hpp>

using namespace tesserec;
using embedding::RowBlocks;
using embedding::RowUse;

TEST_CASE("sort_by_row: sorts uses by row and keeps their order within a row for tables of any size") {
  const Random random(1, Purpose::test);
  for (const Index rows : {Index{1}, Index{7}, Index{2048}, Index{2049}, Index{40000000}, Index{1} << 40}) {
    std::vector<RowUse> uses(5000);
    for (Index i = 0; i < 5000; ++i) {
      const double u = random.uniform53(i, rows % 97);
      uses[i] = {static_cast<Index>(u * u * static_cast<double>(rows)), i, 0, 1.0f};
    }
    std::vector<RowUse> expected = uses;
    std::stable_sort(expected.begin(), expected.end(), [](const RowUse& a, const RowUse& b) { return a.row < b.row; });
    embedding::sort_by_row(uses, rows);
    const auto same = [](const RowUse& a, const RowUse& b) { return a.row == b.row && a.gradient == b.gradient; };
    REQUIRE(std::equal(uses.begin(), uses.end(), expected.begin(), expected.end(), same));
  }
}

TEST_CASE("RowBlocks: covers every table and owners cut it at block borders") {
  for (const Index rows : {Index{1}, Index{1000}, Index{1024}, Index{1025}, Index{3000}, Index{1} << 33, Index{1} << 36,
                           (Index{1} << 50) + 1}) {
    const RowBlocks blocks(rows);
    const embedding::BlockOf block_of = embedding::BlockOf::by_rows(rows);
    REQUIRE((blocks.block(0) == 0 && block_of(0) == 0 && block_of(rows - 1) == blocks.block(rows - 1)));
    REQUIRE(blocks.block(rows - 1) < embedding::block_count);
    for (Index b = 0; b < embedding::block_count; ++b) {
      const Range range = blocks.rows({b, b + 1});
      if (range.size() > 0) REQUIRE((block_of(range.begin) == b && block_of(range.end - 1) == b));
    }
    for (const Index owners : {1, 2, 3, 7, 8}) {
      Index at = 0;
      for (Index i = 0; i < owners; ++i) {
        const Range owned = blocks.of_owner(i, owners);
        const Range range = blocks.rows(owned);
        REQUIRE(range.begin == at);
        if (range.size() > 0)
          REQUIRE((owned.contains(blocks.block(range.begin)) && owned.contains(blocks.block(range.end - 1))));
        at = range.end;
      }
      REQUIRE(at == rows);
      if (owners > 1 && rows >= 2 * owners) REQUIRE(blocks.rows(blocks.of_owner(0, owners)).size() < rows);
    }
  }
}

TEST_CASE("RowBlocks: blocks of a growing table have even shares of its rows") {
  for (const Index rows : {Index{1024}, Index{1025}, Index{5000}, (Index{1} << 40) + 1}) {
    const RowBlocks blocks(rows, true);
    Index at = 0;
    for (Index b = 0; b < embedding::block_count; ++b) {
      const Range range = blocks.rows({b, b + 1});
      REQUIRE(range.begin == at);
      REQUIRE((range.size() == rows / 1024 || range.size() == rows / 1024 + 1));
      REQUIRE((blocks.block(range.begin) == b && blocks.block(range.end - 1) == b));
      at = range.end;
    }
    REQUIRE(at == rows);
    REQUIRE((blocks.of_owner(0, 3) == Range{0, 341} && blocks.of_owner(2, 3) == Range{682, 1024}));
  }
}

TEST_CASE("sort_by_row: any 64-bit numbers meet their equals in order") {
  std::vector<RowUse> uses;
  constexpr Index sign = std::numeric_limits<Index>::min();
  for (Index i = 0; i < 40; ++i) {
    const Index rows[] = {7, 7 + sign, -1, i};
    uses.push_back({rows[i % 4], i, 0, 1});
  }
  embedding::sort_by_row(uses, 0);
  for (std::size_t i = 1; i < uses.size(); ++i) {
    if (uses[i].row == uses[i - 1].row) {
      REQUIRE(uses[i].gradient > uses[i - 1].gradient);
    } else {
      for (std::size_t k = i; k < uses.size(); ++k) REQUIRE(uses[k].row != uses[i - 1].row);
    }
  }
}
