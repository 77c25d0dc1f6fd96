// SPDX-License-Identifier: Apache-2.0
// Portable products against the chains of fma that define them.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "catch.hpp"
#include "device_copies.hpp"
#include "src/products/product_bodies.hpp"
#include <tesserec/core/random.hpp>
#include <tesserec/products/device_products.hpp>

using namespace tesserec;
using namespace tesserec::products;

namespace {

std::vector<float> numbers(Index n, Index column) {
  const Random random(23, Purpose::test);
  std::vector<float> made;
  for (Index i = 0; i < n; ++i) made.push_back(random.normal(i, column));
  return made;
}
bool same(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

struct Sizes {
  Index rows, in, out;
};
/// Sizes that fill no tile evenly, whole tiles, thin ones, and several tiles in each dimension.
const std::vector<Sizes> all_sizes = {{1, 1, 1},      {5, 33, 16},   {130, 15, 17}, {257, 16, 129},
                                      {128, 128, 64}, {131, 140, 1}, {300, 1, 150}, {64, 257, 12}};

}  // namespace

TEST_CASE("DeviceProducts: forward() is a chain of fma from the bias over the inputs in order") {
  for (const Sizes& s : all_sizes)
    for (const bool biased : {true, false})
      for (const bool relu : {true, false}) {
        CAPTURE(s.rows, s.in, s.out, biased, relu);
        const std::vector<float> x = numbers(s.rows * s.in, 0), w = numbers(s.out * s.in, 2), b = numbers(s.out, 4);
        std::vector<float> y(s.rows * s.out, 7.0f), expected;
        DeviceCopies copies;
        portable_products()->forward(copies.device, {s.rows,
                                                     {copies(x), s.in, s.in},
                                                     copies(w),
                                                     biased ? copies(b) : nullptr,
                                                     relu,
                                                     {copies(y), s.out, s.out}});
        copies.fetch();
        for (Index r = 0; r < s.rows; ++r)
          for (Index o = 0; o < s.out; ++o) {
            float sum = biased ? b[o] : 0.0f;
            for (Index i = 0; i < s.in; ++i) sum = std::fma(x[r * s.in + i], w[o * s.in + i], sum);
            expected.push_back(relu && sum < 0.0f ? 0.0f : sum);
          }
        CHECK(same(y, expected));
      }
}

TEST_CASE("DeviceProducts: input_gradient() is a chain of fma over the outputs and 0 where masked") {
  for (const Sizes& s : all_sizes)
    for (const bool masked : {true, false}) {
      CAPTURE(s.rows, s.in, s.out, masked);
      const std::vector<float> dy = numbers(s.rows * s.out, 0), w = numbers(s.out * s.in, 2);
      std::vector<float> mask = numbers(s.rows * s.in, 4), dx(s.rows * s.in, 7.0f), expected;
      mask[0] = std::nanf("");
      if (mask.size() > 2) mask[1] = 0.0f, mask[2] = -0.0f;
      DeviceCopies copies;
      Rows<const float> y;
      if (masked) y = {copies(mask), s.in, s.in};
      portable_products()->input_gradient(copies.device,
                                          {s.rows, {copies(dy), s.out, s.out}, copies(w), y, {copies(dx), s.in, s.in}});
      copies.fetch();
      for (Index r = 0; r < s.rows; ++r)
        for (Index i = 0; i < s.in; ++i) {
          float sum = 0.0f;
          for (Index o = 0; o < s.out; ++o) sum = std::fma(dy[r * s.out + o], w[o * s.in + i], sum);
          expected.push_back(!masked || mask[r * s.in + i] > 0.0f ? sum : 0.0f);
        }
      CHECK(same(dx, expected));
    }
}

TEST_CASE("DeviceProducts: weight_gradient() adds the finished sums of a lane's pieces in order") {
  for (const Sizes& s : all_sizes) {
    CAPTURE(s.rows, s.in, s.out);
    const std::vector<float> dy = numbers(s.rows * s.out, 0), x = numbers(s.rows * s.in, 2);
    // The first lane has three pieces, the second none, the third an empty piece and another one.
    const std::vector<Index> rows{0,     s.rows / 4, s.rows / 4 + s.rows / 3, s.rows - s.rows / 5, s.rows - s.rows / 5,
                                  s.rows};
    const std::vector<Index> of_lane{0, 3, 3, 5};
    const Index lanes = 3, size = s.out * s.in + s.out;
    std::vector<float> gradient(lanes * size, 7.0f), expected(lanes * size, 0.0f);
    DeviceCopies copies;
    float* const to = copies(gradient);
    const auto products = portable_products();
    products->weight_gradient(copies.device, {{5, lanes, copies(rows), copies(of_lane)},
                                              {copies(dy), s.out, s.out},
                                              {copies(x), s.in, s.in},
                                              to,
                                              to + s.out * s.in,
                                              size});
    copies.fetch();
    for (Index lane = 0; lane < lanes; ++lane)
      for (Index o = 0; o < s.out; ++o)
        for (Index i = 0; i <= s.in; ++i) {  // the last one: the bias's
          float& sum = expected[lane * size + (i < s.in ? o * s.in + i : s.out * s.in + o)];
          for (Index piece = of_lane[lane]; piece < of_lane[lane + 1]; ++piece) {
            float of_piece = 0.0f;
            for (Index r = rows[piece]; r < rows[piece + 1]; ++r)
              of_piece =
                  i < s.in ? std::fma(dy[r * s.out + o], x[r * s.in + i], of_piece) : of_piece + dy[r * s.out + o];
            sum = piece == of_lane[lane] ? of_piece : sum + of_piece;
          }
        }
    CHECK(same(gradient, expected));
  }
}

namespace {

/// Returns a product and a weight gradient that teams of `members` threads compute.
template <int members>
std::vector<float> by_teams() {
  using Shape = TileShape<4, 4, 4, 4, members>;
  const Index rows = 37, in = 45, out = 21, lanes = 2;
  const std::vector<float> x = numbers(rows * in, 0), w = numbers(out * in, 2), b = numbers(out, 4),
                           dy = numbers(rows * out, 6);
  const std::vector<Index> first{0, 11, 30, 37}, of_lane{0, 2, 3};
  std::vector<float> result(rows * out + lanes * out * in, 7.0f);
  DeviceCopies copies;
  float* const to = copies(result);
  const auto tiles = [](Index n) { return (n + Shape::rows - 1) / Shape::rows; };
  const TiledProduct<Depth::along> product{rows,      out,  in, {copies(x), in, in}, {copies(w), in, in},
                                           copies(b), true, {}, {to, out, out}};
  over_teams<members, 1>(copies.device, "tesserec::test::product", tiles(rows) * tiles(out),
                         Shape::floats * sizeof(float), ProductBody<Shape, Depth::along>{product, tiles(out)});
  const DeviceProducts::WeightGradient gradient{{3, lanes, copies(first), copies(of_lane)},
                                                {copies(dy), out, out},
                                                {copies(x), in, in},
                                                to + rows * out,
                                                nullptr,
                                                out * in};
  over_teams<members, 1>(copies.device, "tesserec::test::weight_gradient", lanes * tiles(out) * tiles(in),
                         Shape::floats * sizeof(float), WeightGradientBody<Shape>{gradient, tiles(out), tiles(in)});
  copies.fetch();
  return result;
}

}  // namespace

TEST_CASE("ProductBody and WeightGradientBody: teams of several threads have the bits of one thread") {
  const std::vector<float> single = by_teams<1>();
  CHECK(std::count(single.begin(), single.end(), 7.0f) == 0);
  const int threads = device_is_host ? concurrency(Exec()) : 32;
  if (threads >= 2) CHECK(same(single, by_teams<2>()));
  if (threads >= 4) CHECK(same(single, by_teams<4>()));
}
