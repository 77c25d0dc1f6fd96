// SPDX-License-Identifier: Apache-2.0
// The same of gradients that are gathered first: of micro-batches, of all ranks, of rows whose columns others hold.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "catch.hpp"
#include "rows_batch.hpp"

using namespace rows;

namespace {

optim::Settings settings(optim::Type type) {
  optim::Settings result;
  result.type = type;
  result.weight_decay = 0.02;
  return result;
}

}  // namespace

TEST_CASE("portable kernels: rows that move after several micro-batches") {
  for (const ComputeKernel kernel : {ComputeKernel::fused, ComputeKernel::dense})
    for (const optim::TypeInfo& info : optim::elementwise_types()) {
      const std::vector<Table> tables = {{.rows = 300, .dim = 7, .optimizer = settings(info.type), .kernel = kernel},
                                         {.rows = 40, .dim = 7, .optimizer = settings(info.type), .kernel = kernel}};
      Engine simd(tables, Kernels::simd), portable(tables, Kernels::portable);
      for (Engine* engine : {&simd, &portable}) {
        for (int j = 0; j < 4; ++j) {
          const BatchSplit split(Lanes(16, 4), 1, 123, j);
          const Batch batch(tables, split.global_size(), up_to(4), j);
          engine->lookup(batch, split);
          (*engine)->order_ids(engine->exec, batch.asked, split, {4 * j, 4 * j + 4});
          (*engine)->gather(engine->exec, engine->gradients(batch), RowKernels::Which::all);
        }
        for (std::size_t t = 0; t < tables.size(); ++t) {
          engine->table(t).finish_gradients(engine->exec, 0.5f);
          (*engine)->move_gathered(engine->exec, t, 0.1, 1);
        }
      }
      REQUIRE(simd.numbers() == portable.numbers());
    }
}

TEST_CASE("portable kernels: copies of a table add the sums of all ranks") {
  for (const ComputeKernel kernel : {ComputeKernel::fused, ComputeKernel::dense}) {
    const optim::Settings adam = settings(optim::Type::adam);
    const std::vector<Table> tables = {{.rows = 300, .dim = 8, .optimizer = adam, .kernel = kernel, .replicated = true},
                                       {.rows = 30, .dim = 8, .optimizer = adam, .kernel = kernel, .replicated = true}};
    Engine simd(tables, Kernels::simd), portable(tables, Kernels::portable);
    const BatchSplit split(Lanes(8), 1, 96);
    const Range own{0, 5};  // no whole subtree
    const Batch batch(tables, split.lane(4).end, up_to(9), 1);
    for (Engine* engine : {&simd, &portable}) {
      engine->lookup(batch, split);
      (*engine)->order_ids(engine->exec, batch.asked, split, own);
    }
    for (std::size_t t = 0; t < tables.size(); ++t) {
      const RowSums a = simd->sum_gradients(simd.exec, t, simd.gradients(batch));
      const RowSums b = portable->sum_gradients(portable.exec, t, portable.gradients(batch));
      REQUIRE((a.rows == b.rows && a.leaves == b.leaves && a.sums == b.sums));
      std::vector<RowUse> uses;
      for (std::size_t i = 0; i < a.rows.size(); ++i)
        uses.push_back({a.rows[i], Index(i) * 8, std::int32_t(a.leaves[i]), 1.0f});
      for (Engine* engine : {&simd, &portable}) {
        (*engine)->update_sums(engine->exec, t, uses, a.sums.data(), 0.1, 1);
        (*engine)->gather_sums(engine->exec, t, uses, a.sums.data());
        (*engine)->move_gathered(engine->exec, t, 0.1, 2);
      }
    }
    REQUIRE(simd.numbers() == portable.numbers());
  }
}

TEST_CASE("portable kernels: a sum that underflows keeps its sign, in a hot row too") {
  const std::vector<Table> tables = {{.rows = 2, .dim = 64, .weighted = true, .replicated = true, .scale = 1e-30f}};
  Engine simd(tables, Kernels::simd), portable(tables, Kernels::portable);
  const BatchSplit split(Lanes(8), 1, 320);
  Batch batch(tables, split.lane(4).end, up_to(9), 1);
  for (float& gradient : batch.gradients) gradient *= 1e-30f;
  std::vector<float> sums;
  for (Engine* engine : {&simd, &portable}) {
    engine->lookup(batch, split);
    (*engine)->order_ids(engine->exec, batch.asked, split, {0, 5});
    const RowSums own = (*engine)->sum_gradients(engine->exec, 0, engine->gradients(batch));
    if (sums.empty()) sums = own.sums;
    REQUIRE((own.sums.size() == sums.size() && std::memcmp(own.sums.data(), sums.data(), sums.size() * 4) == 0));
  }
  for (const bool sign : {false, true})
    REQUIRE(std::any_of(sums.begin(), sums.end(), [&](float x) { return x == 0.0f && std::signbit(x) == sign; }));
}

TEST_CASE("portable kernels: rows whose other columns are elsewhere move in rounds") {
  for (const optim::TypeInfo& info : optim::types())
    for (const Range columns : {Range{0, 22}, Range{24, 46}}) {
      if (optim::row_rounds(info.type) == 0) continue;
      CAPTURE(info.name, columns.begin);
      const std::vector<Table> tables = {{.rows = 90, .dim = 52, .optimizer = settings(info.type), .columns = columns}};
      Engine simd(tables, Kernels::simd), portable(tables, Kernels::portable);
      const Batch batch(tables, 60, up_to(5), 1);
      const BatchSplit split(Lanes(8), 1, 60);
      for (Engine* engine : {&simd, &portable}) {
        engine->lookup(batch, split);
        (*engine)->order_ids(engine->exec, batch.asked, split, {0, 8});
        (*engine)->gather(engine->exec, engine->gradients(batch), RowKernels::Which::shared);
      }
      std::vector<float> totals;
      for (int round = 0; round < optim::row_rounds(info.type); ++round) {
        const auto a = simd->sum_columns(simd.exec, 0, round, totals, 0.1, 1);
        REQUIRE(a == portable->sum_columns(portable.exec, 0, round, totals, 0.1, 1));
        const Index subtrees = std::ssize(optim::column_subtrees(columns));
        REQUIRE(subtrees > 1);
        totals.clear();
        for (std::size_t i = 0; i < a.size(); i += static_cast<std::size_t>(subtrees))
          totals.push_back(a[i] + a[i + 1]);
      }
      for (Engine* engine : {&simd, &portable}) (*engine)->move_columns(engine->exec, 0, totals, 0.1, 1);
      REQUIRE(simd.numbers() == portable.numbers());
    }
}
