// SPDX-License-Identifier: Apache-2.0
// Portable kernels on gathered gradients: those of micro-batches, of all ranks, and of rows whose other columns lie
// elsewhere.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "catch.hpp"
#include "rows_batch.hpp"

using namespace rows;

namespace {

const std::vector<std::size_t> shard_pair{0, 1}, first{0};  // shards

optim::Settings settings(optim::Type type) {
  optim::Settings result;
  result.type = type;
  result.weight_decay = 0.02;
  return result;
}

}  // namespace

TEST_CASE("RowKernels: portable has the bits of simd for rows that several micro-batches touch") {
  for (const ComputeKernel kernel : {ComputeKernel::fused, ComputeKernel::dense})
    for (const optim::TypeInfo& info : optim::elementwise_types()) {
      const std::vector<Table> tables = {{.rows = 300, .dim = 7, .optimizer = settings(info.type), .kernel = kernel},
                                         {.rows = 40, .dim = 7, .optimizer = settings(info.type), .kernel = kernel}};
      Engine simd(tables, Kernels::simd), portable(tables, Kernels::portable);
      for (Engine* engine : {&simd, &portable}) {
        std::vector<GatheredRows> gathered(tables.size(), GatheredRows(7));
        for (int j = 0; j < 4; ++j) {
          const BatchSplit split(Lanes(16, 4), 1, 123, j);
          const Batch batch(tables, split.global_size(), up_to(4), j);
          const Range own{4 * j, 4 * j + 4};
          engine->lookup(batch, split, own);
          auto sums =
              (*engine)->sum(engine->exec, engine->rows(batch, split, own), engine->gradients(batch), shard_pair);
          for (std::size_t t = 0; t < tables.size(); ++t) gathered[t].add(std::move(sums[t]));
        }
        for (std::size_t t = 0; t < tables.size(); ++t) {
          limit(engine->exec, gathered[t].finish(), 0.5f, 0.0f);
          engine->move(t, gathered[t].finish(), 1);
        }
      }
      REQUIRE(simd.numbers() == portable.numbers());
    }
}

TEST_CASE("RowKernels: portable has the bits of simd for copies that add the sums of all ranks") {
  for (const ComputeKernel kernel : {ComputeKernel::fused, ComputeKernel::dense}) {
    const optim::Settings adam = settings(optim::Type::adam);
    const std::vector<Table> tables = {{.rows = 300, .dim = 8, .optimizer = adam, .kernel = kernel, .replicated = true},
                                       {.rows = 30, .dim = 8, .optimizer = adam, .kernel = kernel, .replicated = true}};
    Engine simd(tables, Kernels::simd), portable(tables, Kernels::portable);
    const BatchSplit split(Lanes(8), 1, 96);
    const Range own{0, 5};  // no whole subtree
    const Batch batch(tables, split.lane(4).end, up_to(9), 1);
    std::vector<RowSums> of_engine[2];
    for (Engine* engine : {&simd, &portable}) {
      engine->lookup(batch, split, own);
      of_engine[engine == &portable] =
          (*engine)->sum(engine->exec, engine->rows(batch, split, own), engine->gradients(batch), shard_pair);
    }
    for (std::size_t t = 0; t < tables.size(); ++t) {
      const RowSums &a = of_engine[0][t], &b = of_engine[1][t];
      REQUIRE((a.rows == b.rows && a.leaves == b.leaves && a.sums == b.sums));
      std::vector<RowUse> uses;
      for (std::size_t i = 0; i < a.rows.size(); ++i)
        uses.push_back({a.rows[i], Index(i) * 8, std::int32_t(a.leaves[i]), 1.0f});
      const RowSums all = add_sums(simd.exec, uses, tables[t].rows, a.sums.data(), 8);
      REQUIRE(all.rows.size() < a.rows.size());
      for (Engine* engine : {&simd, &portable})
        for (const Index step : {1, 2}) engine->move(t, all, step);
    }
    REQUIRE(simd.numbers() == portable.numbers());
  }
}

TEST_CASE("RowKernels: portable keeps the sign of a sum that underflows and of a hot row's") {
  const std::vector<Table> tables = {{.rows = 2, .dim = 64, .weighted = true, .replicated = true, .scale = 1e-30f}};
  Engine simd(tables, Kernels::simd), portable(tables, Kernels::portable);
  const BatchSplit split(Lanes(8), 1, 320);
  Batch batch(tables, split.lane(4).end, up_to(9), 1);
  for (float& gradient : batch.gradients) gradient *= 1e-30f;
  std::vector<float> sums;
  for (Engine* engine : {&simd, &portable}) {
    engine->lookup(batch, split, {0, 5});
    const RowSums own =
        (*engine)->sum(engine->exec, engine->rows(batch, split, {0, 5}), engine->gradients(batch), first)[0];
    if (sums.empty()) sums = own.sums;
    REQUIRE((own.sums.size() == sums.size() && std::memcmp(own.sums.data(), sums.data(), sums.size() * 4) == 0));
  }
  for (const bool sign : {false, true})
    REQUIRE(std::any_of(sums.begin(), sums.end(), [&](float x) { return x == 0.0f && std::signbit(x) == sign; }));
}

TEST_CASE("RowKernels: portable has the bits of simd for rows whose other columns lie elsewhere") {
  for (const optim::TypeInfo& info : optim::types())
    for (const Range columns : {Range{0, 22}, Range{24, 46}}) {
      if (optim::row_rounds(info.type) == 0) continue;
      CAPTURE(info.name, columns.begin);
      const std::vector<Table> tables = {{.rows = 90, .dim = 52, .optimizer = settings(info.type), .columns = columns}};
      Engine simd(tables, Kernels::simd), portable(tables, Kernels::portable);
      const Batch batch(tables, 60, up_to(5), 1);
      const BatchSplit split(Lanes(8), 1, 60);
      RowSums sums;
      for (Engine* engine : {&simd, &portable}) {
        engine->lookup(batch, split, {0, 8});
        sums = (*engine)->sum(engine->exec, engine->rows(batch, split, {0, 8}), engine->gradients(batch), first)[0];
      }
      std::vector<float> totals;
      for (int round = 0; round < optim::row_rounds(info.type); ++round) {
        const auto a = simd.move(0, sums, 1, round, totals);
        REQUIRE(a == portable.move(0, sums, 1, round, totals));
        const Index subtrees = std::ssize(optim::column_subtrees(columns));
        REQUIRE(subtrees > 1);
        totals.clear();
        for (std::size_t i = 0; i < a.size(); i += static_cast<std::size_t>(subtrees))
          totals.push_back(a[i] + a[i + 1]);
      }
      for (Engine* engine : {&simd, &portable})
        REQUIRE(engine->move(0, sums, 1, optim::row_rounds(info.type), totals).empty());
      REQUIRE(simd.numbers() == portable.numbers());
    }
}
