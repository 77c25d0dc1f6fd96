// SPDX-License-Identifier: Apache-2.0
// cuBLASLt products against portable ones, on whole numbers, whose sums are exact in any order and precision. A build
// for CPUs uses host/stand_in.cpp as the library.
#include <cmath>
#include <vector>

#include "catch.hpp"
#include "device_copies.hpp"
#include "left_out.hpp"
#include <tesserec/core/random.hpp>
#include <tesserec/products/device_products.hpp>

using namespace tesserec;
using namespace tesserec::products;

namespace {

std::vector<float> whole(Index n, Index column) {
  const Random random(29, Purpose::test);
  std::vector<float> made;
  for (Index i = 0; i < n; ++i) made.push_back(std::nearbyint(2.0f * random.normal(i, column)));
  return made;
}
bool same(const std::vector<float>& a, const std::vector<float>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i] && !(std::isnan(a[i]) && std::isnan(b[i]))) return false;
  return true;
}

struct Sizes {
  Index rows, in, out;
};
const std::vector<Sizes> all_sizes = {{1, 1, 1},      {5, 33, 16},   {130, 15, 17}, {257, 16, 129},
                                      {128, 128, 64}, {131, 140, 1}, {300, 1, 150}, {64, 257, 12}};
constexpr Precision all_precisions[] = {Precision::fp32, Precision::tf32, Precision::bf16};

/// Columns before and after a row's own: none, or those of other matrices.
struct Place {
  Index before, after;
  Index stride(Index width) const { return before + width + after; }
};
constexpr Place places[] = {{0, 0}, {1, 2}, {4, 8}};

/// Calls both kinds of products and compares the results.
template <class Call>
void compare(Precision precision, const Call& call) {
  const std::vector<float> expected = call(*portable_products());
  CHECK(same(call(*cublaslt_products(precision)), expected));
}

}  // namespace

TEST_CASE("cublaslt_products: forward() is y = x w^T + b") {
  Index turn = 0;
  for (const Precision precision : all_precisions)
    for (const Sizes& s : all_sizes)
      for (const Place& at : places)
        for (const bool biased : {true, false})
          for (const bool relu : {true, false}) {
            if (left_out(turn++, 7)) continue;
            CAPTURE(name(precision), s.rows, s.in, s.out, at.before, biased, relu);
            std::vector<float> x = whole(s.rows * at.stride(s.in), 0);
            x[at.before] = std::nanf("");  // stays NaN after the activation
            const std::vector<float> w = whole(s.out * s.in, 2), b = whole(s.out, 4);
            compare(precision, [&](DeviceProducts& products) {
              std::vector<float> y(s.rows * at.stride(s.out), 7.0f);
              DeviceCopies there;
              products.forward(there.device, {s.rows,
                                              {there(x) + at.before, s.in, at.stride(s.in)},
                                              there(w),
                                              biased ? there(b) : nullptr,
                                              relu,
                                              {there(y) + at.before, s.out, at.stride(s.out)}});
              there.fetch();
              return y;
            });
          }
}

TEST_CASE("cublaslt_products: input_gradient() is dx = dy w and 0 where masked") {
  Index turn = 0;
  for (const Precision precision : all_precisions)
    for (const Sizes& s : all_sizes)
      for (const Place& at : places)
        for (const bool masked : {true, false}) {
          if (left_out(turn++, 7)) continue;
          CAPTURE(name(precision), s.rows, s.in, s.out, at.before, masked);
          const std::vector<float> dy = whole(s.rows * at.stride(s.out), 0), w = whole(s.out * s.in, 2);
          std::vector<float> mask = whole(s.rows * s.in, 4);
          mask.back() = std::nanf("");
          compare(precision, [&](DeviceProducts& products) {
            std::vector<float> dx(s.rows * at.stride(s.in), 7.0f);
            DeviceCopies there;
            Rows<const float> y;
            if (masked) y = {there(mask), s.in, s.in};
            products.input_gradient(there.device, {s.rows,
                                                   {there(dy) + at.before, s.out, at.stride(s.out)},
                                                   there(w),
                                                   y,
                                                   {there(dx) + at.before, s.in, at.stride(s.in)}});
            there.fetch();
            return dx;
          });
        }
}

TEST_CASE("cublaslt_products: a layer's products reuse rounded operands batch after batch") {
  constexpr Index in = 20, out = 12;
  for (const Precision precision : all_precisions)
    compare(precision, [&](DeviceProducts& products) {
      std::vector<float> all;
      DeviceProducts::Rounded rounded;
      for (const Index rows : {9, 30, 5}) {
        const std::vector<float> x = whole(rows * in, rows), w = whole(out * in, rows + 2),
                                 dy = whole(rows * out, rows + 4);
        const std::vector<Index> first{0, rows}, of_lane{0, 1};
        std::vector<float> y(rows * out), dw(out * in), db(out), dx(rows * in);
        DeviceCopies there;
        const Rows<const float> of_x{there(x), in, in}, of_dy{there(dy), out, out};
        const float* const of_w = there(w);
        products.forward(there.device, {rows, of_x, of_w, nullptr, false, {there(y), out, out}, &rounded});
        products.weight_gradient(
            there.device,
            {{1, 1, there(first), there(of_lane), first.data()}, of_dy, of_x, there(dw), there(db), 0, &rounded});
        products.input_gradient(there.device, {rows, of_dy, of_w, {}, {there(dx), in, in}, &rounded});
        there.fetch();
        for (const std::vector<float>* one : {&y, &dw, &db, &dx}) all.insert(all.end(), one->begin(), one->end());
      }
      return all;
    });
}

TEST_CASE("cublaslt_products: weight_gradient() has a gradient a lane for lanes of any sizes") {
  // Rows of each lane.
  const std::vector<std::vector<Index>> all_lanes = {{9}, {0}, {8, 8, 8, 8}, {8, 8, 0, 5, 5, 1}, {0, 7, 7, 0, 0}};
  Index turn = 0;
  for (const Precision precision : all_precisions)
    for (const Sizes& s : all_sizes)
      for (const Place& at : places)
        for (const std::vector<Index>& lanes : all_lanes) {
          if (left_out(turn++, 7)) continue;
          CAPTURE(name(precision), s.in, s.out, at.before, lanes);
          // Each lane has two pieces.
          std::vector<Index> first, of_lane, lane_rows{0};
          for (const Index rows : lanes) {
            of_lane.push_back(std::ssize(first));
            first.insert(first.end(), {lane_rows.back(), lane_rows.back() + rows / 3});
            lane_rows.push_back(lane_rows.back() + rows);
          }
          of_lane.push_back(std::ssize(first));
          first.push_back(lane_rows.back());
          const Index rows = lane_rows.back(), count = std::ssize(lanes), gap = 3, weights = s.out * s.in;
          const std::vector<float> dy = whole((rows + 1) * at.stride(s.out), 0),
                                   x = whole((rows + 1) * at.stride(s.in), 2);
          compare(precision, [&](DeviceProducts& products) {
            std::vector<float> gradient(count * (weights + s.out + gap), 7.0f);
            DeviceCopies there;
            float* const to = there(gradient);
            products.weight_gradient(there.device, {{2 * count, count, there(first), there(of_lane), lane_rows.data()},
                                                    {there(dy) + at.before, s.out, at.stride(s.out)},
                                                    {there(x) + at.before, s.in, at.stride(s.in)},
                                                    to,
                                                    to + weights,
                                                    weights + s.out + gap});
            there.fetch();
            return gradient;
          });
        }
}

TEST_CASE("cublaslt_products: writes nothing for a rank without rows") {
  const auto products = cublaslt_products(Precision::fp32);
  DeviceCopies there;
  const std::vector<float> one(4, 1.0f);
  std::vector<float> to(4, 7.0f);
  products->forward(there.device, {0, {there(one), 2, 2}, there(one), nullptr, true, {there(to), 2, 2}});
  products->input_gradient(there.device, {0, {there(one), 2, 2}, there(one), {}, {there(to), 2, 2}});
  there.fetch();
  CHECK(to == std::vector<float>(4, 7.0f));
}

TEST_CASE("cublaslt_products: bf16 rounds to nearest with ties to even except for one neuron") {
  // bf16 has 8 bits: 257 lies between 256 and 258, 259 between 258 and 260.
  const std::vector<float> x{257.0f, 259.0f, 256.5f, 257.5f, -259.0f}, even{256.0f, 260.0f, 256.0f, 258.0f, -260.0f};
  const auto products = cublaslt_products(Precision::bf16);
  for (const Index out : {1, 2}) {
    CAPTURE(out);
    const std::vector<float>& expected = out > 1 ? even : x;
    const std::vector<float> w{1.0f, 0.0f};
    std::vector<float> y(5 * out), dx(5), gradient(2);
    DeviceCopies there;
    products->forward(there.device, {5, {there(x), 1, 1}, there(w), nullptr, false, {there(y), out, out}});
    std::vector<float> dy(5 * out);
    for (Index r = 0; r < 5; ++r) dy[r * out] = x[r];
    products->input_gradient(there.device, {5, {there(dy), out, out}, there(w), {}, {there(dx), 1, 1}});
    const std::vector<Index> rows{0, 1}, of_lane{0, 1};
    products->weight_gradient(there.device, {{1, 1, there(rows), there(of_lane), rows.data()},
                                             {there(dy), out, out},
                                             {there(w), 1, 1},
                                             there(gradient),
                                             nullptr,
                                             2});
    there.fetch();
    for (Index r = 0; r < 5; ++r) {
      CHECK(y[r * out] == expected[r]);
      CHECK(dx[r] == expected[r]);
    }
    CHECK(gradient[0] == expected[0]);
  }
}
