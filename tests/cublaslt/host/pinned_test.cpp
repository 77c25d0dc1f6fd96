// SPDX-License-Identifier: Apache-2.0
// Calls of cuBLASLt: one algorithm a layer for any number of rows, and one call for adjacent lanes of one size.
#include "catch.hpp"
#include "device_copies.hpp"
#include "errors.hpp"
#include "stand_in.hpp"
#include <tesserec/products/device_products.hpp>

using namespace tesserec;
using namespace tesserec::products;
using stand_in::calls;

namespace {

constexpr Index in = 12, out = 8;

void forward(DeviceProducts& products, Index rows) {
  const std::vector<float> x(rows * in, 1.0f), w(in * out, 1.0f), b(out, 1.0f);
  std::vector<float> y(rows * out);
  DeviceCopies there;
  products.forward(there.device, {rows, {there(x), in, in}, there(w), there(b), false, {there(y), out, out}});
}
void input_gradient(DeviceProducts& products, Index rows) {
  const std::vector<float> dy(rows * out, 1.0f), w(in * out, 1.0f);
  std::vector<float> dx(rows * in);
  DeviceCopies there;
  products.input_gradient(there.device, {rows, {there(dy), out, out}, there(w), {}, {there(dx), in, in}});
}
void weight_gradient(DeviceProducts& products, const std::vector<Index>& lanes) {
  std::vector<Index> rows{0}, of_lane{0};
  for (const Index size : lanes) rows.push_back(rows.back() + size), of_lane.push_back(std::ssize(of_lane));
  const Index count = std::ssize(lanes);
  const std::vector<float> dy(rows.back() * out, 1.0f), x(rows.back() * in, 1.0f);
  std::vector<float> gradient(count * in * out);
  DeviceCopies there;
  products.weight_gradient(there.device, {{count, count, there(rows), there(of_lane), rows.data()},
                                          {there(dy), out, out},
                                          {there(x), in, in},
                                          there(gradient),
                                          nullptr,
                                          in * out});
}

void check_one_algorithm() {
  REQUIRE(!calls.empty());
  for (const stand_in::Call& call : calls) {
    CHECK(call.algorithm == calls.front().algorithm);
    CHECK(call.parts == 1);
  }
}

}  // namespace

TEST_CASE("cublaslt_products: chooses an algorithm once a layer and not for a rank's rows") {
  for (const Precision precision : {Precision::fp32, Precision::tf32, Precision::bf16}) {
    CAPTURE(name(precision));
    // Two ranks begin with different numbers of rows.
    for (const auto& [product, k] : {std::pair{&forward, in}, std::pair{&input_gradient, out}}) {
      calls.clear(), stand_in::choices = 0;
      for (const std::vector<Index>& batches : {std::vector<Index>{3, 300, 1, 300}, std::vector<Index>{300}}) {
        const auto products = cublaslt_products(precision);
        for (const Index rows : batches) product(*products, rows);
      }
      CHECK(calls.size() == 5);
      CHECK(stand_in::choices == 2);
      CHECK(calls[1].n == 300);
      CHECK(calls[0].k == k);
      check_one_algorithm();
    }
    calls.clear(), stand_in::choices = 0;
    for (const std::vector<Index>& lanes : {std::vector<Index>{7, 7, 7, 7}, std::vector<Index>{7, 7, 5}}) {
      const auto products = cublaslt_products(precision);
      weight_gradient(*products, lanes);
    }
    CHECK(stand_in::choices == 2);
    check_one_algorithm();
  }
}

TEST_CASE("cublaslt_products: adjacent lanes of one size are one call and empty lanes none") {
  const auto products = cublaslt_products(Precision::fp32);
  calls.clear();
  weight_gradient(*products, {4, 4, 4, 3, 0, 0, 3});
  REQUIRE(calls.size() == 3);
  const std::pair<Index, Index> expected[] = {{3, 4}, {1, 3}, {1, 3}};
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(calls[i].count == expected[i].first);
    CHECK(calls[i].k == expected[i].second);
    CHECK(calls[i].n == out);
    CHECK(calls[i].m == in);
  }
}

TEST_CASE("cublaslt_products: takes an algorithm for several products if those for one take no others") {
  const auto products = cublaslt_products(Precision::bf16);
  calls.clear(), stand_in::choices = 0;
  stand_in::one_product_alone = true;
  weight_gradient(*products, {4, 4, 3});
  stand_in::one_product_alone = false;
  CHECK(stand_in::choices == 2);
  REQUIRE(calls.size() == 2);
  CHECK(calls[0].count == 2);
  check_one_algorithm();
}

TEST_CASE("cublaslt_products: throws with call and product if cuBLASLt refuses") {
  const auto products = cublaslt_products(Precision::tf32);
  forward(*products, 20);
  stand_in::most_n = 30;
  CHECK(error_of([&] { forward(*products, 40); }) ==
        "cublasLtMatmulAlgoCheck of 8 x 12 by 12 x 40 in tf32, the first transposed: not supported");
  CHECK(!error_of([&] { forward(*products, 40); }).empty());
  CHECK(error_of([&] { forward(*products, 30); }).empty());
  stand_in::most_n = 0;
  CHECK(mentions(error_of([&] { input_gradient(*products, 20); }),
                 "cuBLASLt has no algorithm without a split depth of 12 x 8 by 8 x 4096 in tf32"));
  stand_in::most_n = 1ll << 40;
  stand_in::broken = true;
  CHECK(error_of([&] { forward(*cublaslt_products(Precision::fp32), 1); }) == "cublasLtCreate: refused");
  stand_in::broken = false;
}
