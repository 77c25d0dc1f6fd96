// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "catch.hpp"
#include "philox_lanes.hpp"
#include <tesserec/core/random.hpp>

using namespace tesserec;

TEST_CASE("philox4x32: gives the published known answers") {
  // Source of the answers: kat_vectors of Random123 (Salmon et al., 2011).
  using Four = std::array<std::uint32_t, 4>;
  REQUIRE(philox4x32({0, 0, 0, 0}, {0, 0}) == Four{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  REQUIRE(philox4x32({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}) == Four{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  REQUIRE(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
          Four{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("Random: uniform and normal numbers have the moments of their distributions") {
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

TEST_CASE("box_muller: pairs follow the formula and are those that Random::normal draws one by one") {
  const Random random(13, Purpose::test, 4);
  const auto q = random.quad(21, 0), r = random.quad(21, 1);
  const std::vector<std::uint32_t> bits = {q[0], q[1], q[2], q[3], r[0], r[1], ~0u, 5, 0, ~0u};
  std::vector<float> normal(bits.size());
  box_muller(bits.data(), std::ssize(bits) / 2, normal.data());
  for (std::size_t i = 0; i < bits.size(); i += 2) {
    const double radius = std::sqrt(-2 * std::log((bits[i] + 1.0) * 0x1p-32));
    const double angle = 2 * std::acos(-1.0) * bits[i + 1] * 0x1p-32;
    REQUIRE(normal[i] == Approx(radius * std::cos(angle)).epsilon(1e-6));
    REQUIRE(normal[i + 1] == Approx(radius * std::sin(angle)).epsilon(1e-6));
  }
  for (Index pair = 0; pair < 3; ++pair) REQUIRE(random.normal(21, pair) == normal[2 * pair]);
}

TEST_CASE("Random: streams of other seeds or purposes or tables differ") {
  const Random a(1, Purpose::test, 0);
  REQUIRE(a.bits(0, 0) != Random(2, Purpose::test, 0).bits(0, 0));
  REQUIRE(a.bits(0, 0) != Random(1, Purpose::table_weights, 0).bits(0, 0));
  REQUIRE(a.bits(0, 0) != Random(1, Purpose::test, 1).bits(0, 0));
}

TEST_CASE("Random: quads draws the same numbers as quad") {
  const Random random(11, Purpose::test, 3);
  for (Index n = 0; n < 20; ++n) {
    std::vector<Index> rows, quads;
    for (Index i = 0; i < n; ++i) rows.push_back(i << (i % 3 * 20)), quads.push_back(i * i * 100'000'000 % (1 << 30));
    std::vector<std::uint32_t> words(4 * n);
    random.quads(rows, quads, words.data());
    for (Index i = 0; i < n; ++i)
      for (int w = 0; w < 4; ++w) REQUIRE(words[4 * i + w] == random.quad(rows[i], quads[i])[w]);
  }
}

TEST_CASE("Random: fill_rows draws the same numbers as uniform") {
  const Random random(11, Purpose::test, 3);
  for (const Index first : {Index{0}, Index{5}, (Index{1} << 32) - 3})
    for (const Index rows : {1, 8, 21, 70})
      for (const Range columns : {Range{0, 1}, Range{0, 16}, Range{8, 15}, Range{4, 203}}) {
        std::vector<float> out(static_cast<std::size_t>(rows * columns.size()), -1.0f);
        random.fill_rows({first, first + rows}, columns, 0.3f, out.data());
        for (Index r = 0; r < rows; ++r)
          for (Index c = 0; c < columns.size(); ++c)
            REQUIRE(out[static_cast<std::size_t>(r * columns.size() + c)] ==
                    std::fma(0.6f, random.uniform(first + r, columns.begin + c), -0.3f));
      }
}

namespace {

/// Code for one instruction set.
struct PhiloxSet {
  std::string name;
  void (*fill)(const philox::Draw&);
  void (*quads)(const philox::Counters&, std::uint32_t*);
};

template <int lanes>
PhiloxSet lanes_alone() {
  using Set = PhiloxLanes<std::make_integer_sequence<std::uint64_t, lanes>>;
  return {std::to_string(lanes) + " lanes", philox::fill<Set>, philox::quads<Set>};
}

/// Returns the instruction sets that this processor has, and all numbers of lanes.
std::vector<PhiloxSet> philox_sets() {
  std::vector<PhiloxSet> sets{{"plain", philox::fill_plain, philox::quads_plain}, lanes_alone<4>(), lanes_alone<8>()};
#if defined(__x86_64__) && defined(__GNUC__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    sets.push_back({"AVX2", philox::fill_avx2, philox::quads_avx2});
  else
    WARN("not tested, because this processor lacks it: AVX2");
  if (__builtin_cpu_supports("avx512f"))
    sets.push_back({"AVX-512", philox::fill_avx512, philox::quads_avx512});
  else
    WARN("not tested, because this processor lacks it: AVX-512");
#endif
  return sets;
}

/// Returns a row of 64 bits.
Index some_row(Index i) { return Index(std::uint64_t(i + 1) * 0x9E3779B97F4A7C15u); }

}  // namespace

TEST_CASE("philox: each instruction set draws the rows of philox4x32, of any shape, and writes nothing else") {
  const Random random(11, Purpose::test, 3);
  const std::uint32_t key0 = random.key()[0], key1 = random.key()[1];
  constexpr Index first_quad = 3, gap = 3;
  for (const PhiloxSet& set : philox_sets())
    for (Index count = 0; count < 35; ++count)
      for (const Index columns : {1, 2, 3, 4, 6, 8, 13, 16, 20, 31, 32, 33, 64, 67, 130}) {
        INFO(set.name << ", " << count << " rows of " << columns << " columns");
        const Index stride = columns + gap;
        std::vector<float> out(std::size_t(count * stride), -9.0f), expected(out);
        std::vector<DrawnRow> rows;
        for (Index i = 0; i < count; ++i) {
          const Index at = (count - 1 - i) * stride;
          rows.push_back({some_row(i), out.data() + at});
          for (Index c = 0; c < columns; ++c)
            expected[at + c] = philox::uniform(random.bits(some_row(i), 4 * first_quad + c), 0.3f);
        }
        set.fill({.key0 = key0,
                  .key1 = key1,
                  .rows = rows.data(),
                  .count = count,
                  .quad = first_quad,
                  .columns = columns,
                  .bound = 0.3f});
        REQUIRE(out == expected);
      }
}

TEST_CASE("philox: each instruction set draws the quads of philox4x32, of any number of counters") {
  const Random random(11, Purpose::test, 3);
  for (const PhiloxSet& set : philox_sets())
    for (Index count = 0; count < 70; ++count) {
      INFO(set.name << ", " << count << " counters");
      std::vector<Index> rows, quads;
      std::vector<std::uint32_t> words(std::size_t(4 * count + 4), 9), expected(words);
      for (Index i = 0; i < count; ++i) {
        rows.push_back(some_row(i));
        quads.push_back(i * i * 100'000'000 % (1 << 30));
        std::ranges::copy(random.quad(rows[i], quads[i]), expected.begin() + 4 * i);
      }
      set.quads({.key0 = random.key()[0],
                 .key1 = random.key()[1],
                 .rows = rows.data(),
                 .quads = quads.data(),
                 .count = count},
                words.data());
      REQUIRE(words == expected);
    }
}
