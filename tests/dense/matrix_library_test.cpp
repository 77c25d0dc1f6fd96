// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstring>
#include <vector>

#include "catch.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/random.hpp>
#include <tesserec/dense/matrix_library.hpp>
#include <tesserec/dense/weight_gradient.hpp>

using namespace tesserec;
using namespace tesserec::dense;

namespace {

Vector<float> numbers(Index stream, Index n) {
  const Random random(5, Purpose::test, static_cast<std::uint64_t>(stream));
  Vector<float> values = make_vector<float>(Exec(), "tesserec::test::numbers", n);
  for (Index i = 0; i < n; ++i) values(i) = random.normal(i, 0);
  return values;
}

bool same_bits(const Vector<float>& a, const Vector<float>& b) {
  return std::memcmp(a.data(), b.data(), a.extent(0) * sizeof(float)) == 0;
}

}  // namespace

TEST_CASE("the products are those of the definition") {
  MatrixProducts products;
  for (const LayerShape s :
       {LayerShape{128, 13, 512}, {128, 367, 64}, {16, 5, 3}, {48, 256, 1}, {16, 1, 1}}) {
    const Vector<float> x = numbers(1, s.rows * s.in), w = numbers(2, s.out * s.in), bias = numbers(3, s.out),
                        dy = numbers(4, s.rows * s.out);
    const Vector<float> y = numbers(0, s.rows * s.out), dx = numbers(0, s.rows * s.in),
                        dw = numbers(0, s.out * s.in);
    const auto tolerance = [](Index terms) { return 1e-6 * std::sqrt(static_cast<double>(terms)) * 4; };
    for (const bool relu : {false, true}) {
      products.forward(s, relu, x.data(), w.data(), bias.data(), y.data());
      for (Index r = 0; r < s.rows; ++r)
        for (Index o = 0; o < s.out; ++o) {
          double sum = bias(o);
          for (Index i = 0; i < s.in; ++i) sum += static_cast<double>(x(r * s.in + i)) * w(o * s.in + i);
          if (relu) sum = std::max(sum, 0.0);
          REQUIRE(std::abs(y(r * s.out + o) - sum) < tolerance(s.in));
        }
    }
    products.input_gradient(s, dy.data(), w.data(), dx.data());
    for (Index r = 0; r < s.rows; ++r)
      for (Index i = 0; i < s.in; ++i) {
        double sum = 0.0;
        for (Index o = 0; o < s.out; ++o) sum += static_cast<double>(dy(r * s.out + o)) * w(o * s.in + i);
        REQUIRE(std::abs(dx(r * s.in + i) - sum) < tolerance(s.out));
      }
    std::vector<float> scratch(weight_gradient_scratch(s));
    weight_gradient(s, false, dy.data(), x.data(), dw.data(), scratch.data());
    for (Index o = 0; o < s.out; ++o)
      for (Index i = 0; i < s.in; ++i) {
        double sum = 0.0;
        for (Index r = 0; r < s.rows; ++r) sum += static_cast<double>(dy(r * s.out + o)) * x(r * s.in + i);
        REQUIRE(std::abs(dw(o * s.in + i) - sum) < tolerance(s.rows));
      }
  }
}

TEST_CASE("a chunk's weight gradient is one chain of fma over its rows, finished, then added") {
  for (const LayerShape s :
       {LayerShape{128, 367, 512}, {128, 13, 512}, {128, 256, 1}, {32, 64, 16}, {16, 1, 7}}) {
    const Vector<float> x = numbers(1, s.rows * s.in), dy = numbers(2, s.rows * s.out);
    const Vector<float> first = numbers(3, s.out * s.in), total = numbers(3, s.out * s.in),
                        product = numbers(0, s.out * s.in);
    std::vector<float> scratch(weight_gradient_scratch(s), NAN);
    weight_gradient(s, false, dy.data(), x.data(), product.data(), scratch.data());
    weight_gradient(s, true, dy.data(), x.data(), total.data(), scratch.data());
    for (Index o = 0; o < s.out; ++o)
      for (Index i = 0; i < s.in; ++i) {
        float sum = 0.0f;
        for (Index r = 0; r < s.rows; ++r) sum = std::fma(dy(r * s.out + o), x(r * s.in + i), sum);
        REQUIRE(product(o * s.in + i) == sum);
        REQUIRE(total(o * s.in + i) == first(o * s.in + i) + sum);
      }
  }
}

TEST_CASE("two workers give the same bits") {
  MatrixProducts one, other;
  for (const LayerShape s : {LayerShape{128, 367, 512}, {128, 13, 512}, {128, 256, 1}, {32, 64, 16}}) {
    const Vector<float> x = numbers(1, s.rows * s.in), w = numbers(2, s.in * s.out), bias = numbers(3, s.out);
    const Vector<float> y = numbers(0, s.rows * s.out), again = numbers(4, s.rows * s.out),
                        dx = numbers(0, s.rows * s.in), dx_again = numbers(4, s.rows * s.in);
    one.forward(s, true, x.data(), w.data(), bias.data(), y.data());
    other.forward(s, true, x.data(), w.data(), bias.data(), again.data());
    REQUIRE(same_bits(y, again));
    one.input_gradient(s, y.data(), w.data(), dx.data());
    other.input_gradient(s, y.data(), w.data(), dx_again.data());
    REQUIRE(same_bits(dx, dx_again));
  }
}

TEST_CASE("instruction sets: the common one, unknown names, and too late") {
  REQUIRE(common_instruction_set({"avx512_core", "avx2", "avx512_core_vnni"}) == "avx2");
  REQUIRE(common_instruction_set({"avx512_core_bf16", "avx512_core_vnni"}) == "avx512_core_vnni");
  REQUIRE(common_instruction_set({"avx512_core", "none"}) == "none");
  REQUIRE_THROWS_AS(common_instruction_set({"avx2", "avx9"}), Error);
  const std::string used = instruction_set();
  REQUIRE_FALSE(used.empty());
  REQUIRE(common_instruction_set({used, supported_instruction_set()}) == supported_instruction_set());
  if (used != "none") REQUIRE_THROWS_AS(limit_instruction_set("sse41"), Error);
  REQUIRE(matrix_library_version().find('.') != std::string::npos);
}
