// SPDX-License-Identifier: Apache-2.0
// Products of bf16 numbers against the rule of src/products/bf16.hpp, bit by bit, so that all instruction sets agree.
// ctest runs this with each instruction set that the machine has.
#include <array>
#include <vector>

#include "bf16_oracle.hpp"
#include "catch.hpp"
#include "src/products/panels.hpp"
#include <tesserec/core/random.hpp>
#include <tesserec/products.hpp>

using namespace tesserec;
using namespace tesserec::products;
using namespace tesserec::test;

namespace {

/// A generator of numbers of every kind that a rounding could get wrong.
class Draw {
 public:
  enum Kind { ordinary, wide, any, tiny, special, kinds };
  explicit Draw(Kind kind) : kind_(kind), random_(7, Purpose::test, std::uint64_t(kind)) {}

  std::uint32_t half() {
    static constexpr std::uint32_t odd_ones[] = {0,      0x8000, 1,      0x8001, 0x7f,   0x80,   0x8080, 0x7f80,
                                                 0xff80, 0x7fc0, 0xffc1, 0x7f81, 0x3f80, 0xbf80, 0x7f7f, 0xff7f};
    const std::uint32_t r = next(), sign = r >> 31 << 15, mantissa = r & 0x7fu;
    if (kind_ == any) return r & 0xffffu;
    if (kind_ == special) return odd_ones[r % 16];
    const auto [first, count] = kind_ == ordinary ? std::pair{124u, 6u}
                                : kind_ == wide   ? std::pair{90u, 70u}
                                                  : std::pair{55u, 16u};
    return sign | (first + (r >> 8) % count) << 7 | mantissa;
  }
  /// Returns a sum that the first or the second product often cancels.
  float sum(std::uint32_t a, std::uint32_t b) {
    const std::uint32_t r = next();
    if (kind_ == tiny) return number(r >> 31 << 31 | (r >> 8) % 6 << 23 | (next() & 0x7fffffu));
    if (kind_ == special) return number(half() << 16 | (r & 1u) * 0xffffu);
    if (r % 4 == 0) return number(bits(-number(a << 16) * number(b << 16)) + (r >> 4) % 3 - 1);
    return number(half() << 16 | r >> 16);
  }

 private:
  std::uint32_t next() { return static_cast<std::uint32_t>(random_.bits(at_++, 0)); }
  Kind kind_;
  Random random_;
  Index at_ = 0;
};

}  // namespace

TEST_CASE("KernelSet: bf16.product makes two fma of a word with denormal numbers as zeros") {
  const KernelSet& k = kernels();
  const Index rows = 12, width = k.width;
  for (int kind = 0; kind < Draw::kinds; ++kind) {
    Draw draw{Draw::Kind(kind)};
    long wrong = 0;
    for (int call = 0; call < 3000; ++call) {
      std::vector<float> a(rows * width), b(width), start(width), c(rows * width);
      std::vector<std::array<std::uint32_t, 2>> ah(rows), bh(width);
      for (Index r = 0; r < rows; ++r) ah[r] = {draw.half(), draw.half()}, a[r * width] = word(ah[r][0], ah[r][1]);
      for (Index j = 0; j < width; ++j) {
        bh[j] = {draw.half(), draw.half()}, b[j] = word(bh[j][0], bh[j][1]);
        start[j] = draw.sum(ah[j % rows][j % 2], bh[j][j % 2]);
      }
      k.bf16.product({rows, 1, width, a.data(), rows, b.data(), start.data(), c.data()});
      for (Index r = 0; r < rows; ++r)
        for (Index j = 0; j < width; ++j) {
          const auto f = [](std::uint32_t half) { return number(half << 16); };
          const float expected = step(f(ah[r][0]), f(bh[j][0]), step(f(ah[r][1]), f(bh[j][1]), start[j]));
          wrong += !same(expected, c[r * width + j]);
        }
    }
    INFO(instruction_set() << ", kind " << kind);
    CHECK(wrong == 0);
  }
}

TEST_CASE("KernelSet: bf16.product flushes sums below 2^-126 unless 24 bits round them up") {
  const KernelSet& k = kernels();
  const Index width = k.width;
  const float least = 0x1p-126f;
  for (const int sign : {1, -1})
    for (const int e : {148, 149, 150, 151, 152, 160})
      for (const float m : {1.0f, 1.5f, 1.9921875f}) {
        const float a = -sign * m * 0x1p-75f, b = std::ldexp(1.0f, 75 - e);
        std::vector<float> pa(2 * width), pb(width, word(bits(b) >> 16, 0)), start(width, sign * least), c(2 * width);
        pa[0] = word(bits(a) >> 16, 0);
        k.bf16.product({2, 1, width, pa.data(), 2, pb.data(), start.data(), c.data()});
        const bool up = e > 151 || (e == 151 && m == 1.0f);  // at least 2^-126 - 2^-151
        INFO(instruction_set() << ", 2^-126 - " << m << " * 2^-" << e);
        CHECK(bits(c[0]) == bits(sign * (up ? least : 0.0f)));
      }
}

TEST_CASE("KernelSet: round() rounds to nearest with ties to even in both orders of words") {
  const KernelSet& k = kernels();
  const Index rows = 6, panels = 3, width = k.width, columns = panels * width;
  const Random random(8, Purpose::test);
  for (int call = 0; call < 300; ++call) {
    std::vector<float> m(rows * columns);
    for (Index i = 0; i < rows * columns; ++i) {
      const std::uint32_t r = random.bits(call * rows * columns + i, 0), tail = r % 5;
      m[i] = number(tail == 0   ? r
                    : tail == 1 ? (r & 0xffff0000u) | 0x8000u
                    : tail == 2 ? r & 0x80ffffffu
                    : tail == 3 ? (r & 0xffff0000u) | (0x7fffu + (r & 3u))
                                : r & 0xffff0000u);
    }
    std::vector<float> from(m.size()), across(2 * m.size()), down(m.size());
    to_panels(rows, rows, width, {m.data(), columns, columns}, from.data());
    k.round(rows, panels, from.data(), {across.data(), down.data()});
    const auto in_panels = [&](const std::vector<float>& words, Index height, Index r, Index c) {
      return bits(words[(c / width * height + r) * width + c % width]);
    };
    bool right = true;
    for (Index r = 0; r < rows; ++r)
      for (Index c = 0; c < columns; ++c) {
        const float expected = rounded_to_bf16(m[r * columns + c]);
        const std::uint32_t a = in_panels(across, rows, r, c / 2), d = in_panels(down, rows / 2, r / 2, c);
        right &= same(expected, number(c % 2 == 0 ? a << 16 : a & 0xffff0000u));
        right &= same(expected, number(r % 2 == 0 ? d << 16 : d & 0xffff0000u));
      }
    CHECK(right);
  }
}

TEST_CASE("KernelSet: bf16.pack_rows makes words of neighbors in depth and pads with zeros") {
  const KernelSet& k = kernels();
  const Index width = k.width;
  for (const Index out : {1, 5, 16, 33, 64})
    for (const Index in : {1, 13, 16, 17, 48, 70, 160}) {
      const Random random(9, Purpose::test);
      std::vector<float> w(out * in);
      for (Index i = 0; i < out * in; ++i) w[i] = random.normal(i, 0);
      const Index outs = panel_count(out, width) * width, ins = panel_count(in, width) * width;
      const Index in_words = (in + 1) / 2, out_words = (out + 1) / 2;
      std::vector<float> forward(outs * in_words, -1.0f), alone = forward, backward(ins * out_words, -1.0f);
      for (Index p = 0; p < outs / width; ++p) {
        k.bf16.pack_rows(out, in, p, w.data(), forward.data(), backward.data());
        k.bf16.pack_rows(out, in, p, w.data(), alone.data(), nullptr);
      }
      const auto at = [&](Index o, Index i) {
        return o < out && i < in ? bits(rounded_to_bf16(w[o * in + i])) >> 16 : 0u;
      };
      bool right = true;
      for (Index o = 0; o < outs; ++o)
        for (Index i = 0; i < in_words; ++i) {
          const Index place = (o / width * in_words + i) * width + o % width;
          const std::uint32_t expected = bits(word(at(o, 2 * i), at(o, 2 * i + 1)));
          right &= bits(forward[place]) == expected && bits(alone[place]) == expected;
        }
      for (Index o = 0; o < out_words; ++o)
        for (Index i = 0; i < ins; ++i)
          right &= bits(backward[(i / width * out_words + o) * width + i % width]) ==
                   bits(word(at(2 * o, i), at(2 * o + 1, i)));
      INFO(instruction_set() << ", " << out << " x " << in);
      CHECK(right);
    }
}
