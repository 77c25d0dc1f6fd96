// SPDX-License-Identifier: Apache-2.0
// Portable kernels against SIMD kernels, bit by bit. tests/sharding/law_test.cpp compares both with the oracle.
#include <cstring>

#include "catch.hpp"
#include "left_out.hpp"
#include "rows_batch.hpp"

using namespace rows;

namespace {

bool same(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

optim::Settings settings(optim::Type type, optim::Decay decay = optim::Decay::l2, double limit = 0.0) {
  optim::Settings result;
  result.type = type;
  result.weight_decay = 0.02;
  result.decay = decay;
  result.ar_alpha = 0.1;
  result.max_gradient = limit;
  result.initial_accumulator = 0.125;
  return result;
}

/// Runs three steps with both kinds of kernels and compares sums, weights and states.
void compare(const std::vector<Table>& tables, Index samples, const Length& length, int lanes = 8) {
  Engine simd(tables, Kernels::simd), portable(tables, Kernels::portable);
  const std::vector<float> start = simd.numbers();
  for (Index step = 1; step <= 3; ++step) {
    const Batch batch(tables, samples, length, step);
    const BatchSplit split(Lanes(lanes), 1, samples);
    std::vector<double> rates;
    for (std::size_t t = 0; t < tables.size(); ++t) rates.push_back(0.05 / double(t + 1));
    REQUIRE(same(simd.lookup(batch, split, {0, lanes}), portable.lookup(batch, split, {0, lanes})));
    for (Engine* engine : {&simd, &portable}) engine->move(batch, split, rates, step);
    REQUIRE(same(simd.numbers(), portable.numbers()));
  }
  REQUIRE(!same(start, portable.numbers()));
}

}  // namespace

TEST_CASE("RowKernels: portable has the bits of simd for every optimizer and many dims") {
  Index turn = 0;
  for (const optim::TypeInfo& info : optim::types())
    for (const Index dim : {1, 3, 4, 16, 20, 100, 128, 260}) {
      if (left_out(turn++, 7)) continue;
      CAPTURE(info.name, dim);
      const optim::Decay decay = dim % 3 == 1 ? optim::Decay::l2 : optim::Decay::decoupled;
      const double limit = dim == 3 || dim == 16 ? 0.5 : 0.0;  // one that is not fused, one that is
      compare({{.dim = dim, .optimizer = settings(info.type, decay, limit), .weighted = dim > 16}}, 40, up_to(6));
    }
}

TEST_CASE("RowKernels: portable has the bits of simd for two batches in flight") {
  const std::vector<Table> tables = {{.optimizer = settings(optim::Type::rowwise_adagrad)},
                                     {.rows = 90, .dim = 12, .weighted = true}};
  const Batch first(tables, 70, up_to(5), 1), second(tables, 50, up_to(9), 2);
  const BatchSplit split_first(Lanes(8), 1, 70), split_second(Lanes(8), 1, 50);
  const std::vector<double> rates = {0.05, 0.1};
  std::vector<std::vector<float>> numbers;
  for (const Kernels kernels : {Kernels::simd, Kernels::portable}) {
    Engine engine(tables, kernels);
    engine.lookup(first, split_first, {0, 8});
    engine.lookup(second, split_second, {0, 8});
    engine.move(first, split_first, rates, 1);
    engine.move(second, split_second, rates, 2);
    numbers.push_back(engine.numbers());
  }
  REQUIRE(same(numbers[0], numbers[1]));
}

TEST_CASE("RowKernels: portable has the bits of simd for bags of any length and any row blocks") {
  const std::vector<Index> lengths = {0, 1, 2, 20, 300, 3000};
  const Length mixed = [&](Index s, const Random&) { return lengths[static_cast<std::size_t>(s) % lengths.size()]; };
  const Length short_ones = [&](Index s, const Random&) { return lengths[static_cast<std::size_t>(s) % 4]; };
  Index turn = 0;
  for (const Length& length : {mixed, short_ones})
    for (const Range blocks : {whole, Range{100, 777}, Range{0, 1}, Range{999, 1024}})
      for (const bool weighted : {false, true}) {
        if (left_out(turn++, 5)) continue;
        CAPTURE(blocks.begin, blocks.end, weighted);
        compare({{.rows = 30000, .dim = 12, .blocks = blocks, .weighted = weighted}}, 18, length);
      }
}

TEST_CASE("RowKernels: portable has the bits of simd for several tables and un-pooled features") {
  const optim::Settings adagrad = settings(optim::Type::rowwise_adagrad);
  optim::Settings other = adagrad;  // shares a launch with adagrad
  other.weight_decay = 0.3;
  Index turn = 0;
  for (const bool in_place : {false, true})
    for (const bool unpooled : {false, true})
      for (const Index features : {1, 2, 3})
        for (const Index limit : {9, 200}) {  // some bags are long enough to be sorted
          if (left_out(turn++, 11)) continue;
          CAPTURE(in_place, unpooled, features, limit);
          compare({{.rows = 7,
                    .dim = 16,
                    .optimizer = adagrad,
                    .unpooled = unpooled,
                    .in_place = in_place,
                    .features = features},
                   {.rows = 3001, .dim = 5, .optimizer = adagrad, .in_place = in_place, .features = features},
                   {.rows = 90000,
                    .dim = 16,
                    .optimizer = other,
                    .weighted = true,
                    .unpooled = unpooled,
                    .features = features},
                   {.rows = 400, .dim = 16, .optimizer = settings(optim::Type::adam), .in_place = in_place}},
                  61, up_to(limit));
        }
}

TEST_CASE("RowKernels: portable has the bits of simd for a hot row at any number of lanes") {
  Index turn = 0;
  for (const int lanes : {1, 2, 8, 64, 256})
    for (const Index dim : {16, 18}) {
      if (left_out(turn++, 5)) continue;
      compare({{.rows = 100, .dim = dim, .optimizer = settings(optim::Type::rowwise_adagrad), .weighted = true},
               {.rows = 3, .dim = dim, .optimizer = settings(optim::Type::rowwise_adagrad)}},
              700, up_to(12), lanes);
    }
}

TEST_CASE("RowKernels: portable has the bits of simd for rows beyond 2^31") {
  if (left_out(0, 9)) return;
  compare({{.rows = Index{5} << 30, .dim = 1, .blocks = {1021, 1022}, .optimizer = settings(optim::Type::adagrad)}}, 90,
          up_to(5));
}

TEST_CASE("RowKernels: portable has the bits of simd for the dense kernel that moves every row") {
  for (const optim::TypeInfo& info : optim::elementwise_types())
    compare({{.rows = 50, .dim = 6, .optimizer = settings(info.type), .kernel = ComputeKernel::dense},
             {.rows = 60, .dim = 6, .optimizer = settings(info.type), .kernel = ComputeKernel::dense}},
            20, up_to(2));
}
