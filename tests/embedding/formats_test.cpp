// SPDX-License-Identifier: Apache-2.0
// Weights of 16 bits: lookups, stochastic updates and start values beside fp32, portable kernels beside SIMD kernels.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "catch.hpp"
#include "errors.hpp"
#include "left_out.hpp"
#include "rows_batch.hpp"
#include <tesserec/core/short_floats.hpp>

using namespace rows;

namespace {

constexpr NumberType short_formats[] = {NumberType::fp16, NumberType::bf16};

bool same(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

optim::Settings settings(optim::Type type) {
  optim::Settings result;
  result.type = type;
  result.weight_decay = 0.02;
  result.ar_alpha = 0.1;
  result.initial_accumulator = 0.125;
  return result;
}

std::vector<float> weights_of(const Exec& exec, const EmbeddingTable& table) {
  std::vector<float> weights(std::size_t(table.rows().size() * table.dim()));
  table.store().read(exec, 0, table.rows(), weights.data());
  return weights;
}

/// Runs three steps with both kinds of kernels and compares sums, weights and states.
void compare(const std::vector<Table>& tables, Index samples, const Length& length, int lanes = 8) {
  Engine simd(tables, Kernels::simd), portable(tables, Kernels::portable);
  REQUIRE(same(simd.numbers(), portable.numbers()));
  const std::vector<float> start = simd.numbers();
  for (Index step = 1; step <= 3; ++step) {
    const Batch batch(tables, samples, length, step);
    const BatchSplit split(Lanes(lanes), 1, samples);
    const std::vector<double> rates(tables.size(), 0.05);
    REQUIRE(same(simd.lookup(batch, split, {0, lanes}), portable.lookup(batch, split, {0, lanes})));
    for (Engine* engine : {&simd, &portable}) engine->move(batch, split, rates, step);
    REQUIRE(same(simd.numbers(), portable.numbers()));
  }
  REQUIRE(!same(start, portable.numbers()));
}

/// Returns the 16 random bits of a weight, as EmbeddingTable::rounding specifies them.
std::uint32_t random_of(const EmbeddingTable& table, Index step, Index row, Index column) {
  const std::uint32_t word = table.rounding(step).quad(row, column / 8)[std::size_t(column % 8 / 2)];
  return column % 2 == 0 ? word & 0xffff : word >> 16;
}

float rounded(NumberType format, float v, std::uint32_t random) {
  return format == NumberType::bf16 ? from_bf16(to_bf16_by(v, random)) : from_fp16(to_fp16_by(v, random));
}

}  // namespace

TEST_CASE("Formats: portable kernels have the bits of simd for every optimizer and many dims") {
  Index turn = 0;
  for (const optim::TypeInfo& info : optim::types())
    for (const NumberType format : short_formats)
      for (const Index dim : {1, 3, 4, 16, 20, 128, 260}) {
        if (left_out(turn++, 5)) continue;
        CAPTURE(info.name, name(format), dim);
        compare({{.dim = dim, .optimizer = settings(info.type), .weighted = dim > 16, .format = format}}, 40, up_to(6));
      }
}

TEST_CASE("Formats: portable kernels have the bits of simd for tables of several formats") {
  const optim::Settings adagrad = settings(optim::Type::rowwise_adagrad);
  for (const bool unpooled : {false, true})
    for (const Index limit : {9, 200})
      compare({{.rows = 700, .optimizer = adagrad, .unpooled = unpooled, .format = NumberType::bf16},
               {.rows = 3001, .blocks = {100, 777}, .optimizer = adagrad, .weighted = true, .format = NumberType::fp16},
               {.rows = 900, .optimizer = adagrad, .unpooled = unpooled},
               {.rows = 5000,
                .dim = 32,
                .optimizer = settings(optim::Type::adam),
                .columns = {12, 24},
                .format = NumberType::bf16}},
              61, up_to(limit));
}

TEST_CASE("Formats: a lookup adds the widened rows as fp32") {
  const std::vector<Index> lengths = {0, 1, 2, 20, 63, 64, 300};
  const Length length = [&](Index s, const Random&) { return lengths[std::size_t(s) % lengths.size()]; };
  for (const NumberType format : short_formats)
    for (const bool weighted : {false, true})
      for (const bool unpooled : {false, true})
        for (const Index dim : {5, 16, 40}) {
          if (weighted && unpooled) continue;
          std::vector<Table> tables = {
              {.rows = 4000, .dim = dim, .weighted = weighted, .unpooled = unpooled, .format = format}};
          Engine narrow(tables, Kernels::simd);
          tables[0].format = NumberType::fp32;
          Engine wide(tables, Kernels::simd);
          const std::vector<float> weights = weights_of(wide.exec, narrow.table(0));
          wide.table(0).store().write(wide.exec, 0, {0, 4000}, weights.data());
          const Batch batch(tables, 21, length, 1);
          const BatchSplit split(Lanes(4), 1, 21);
          REQUIRE(same(narrow.lookup(batch, split, {0, 4}), wide.lookup(batch, split, {0, 4})));
        }
}

TEST_CASE("Formats: an update is that of fp32, rounded by (seed, step, table, row, column)") {
  for (const NumberType format : short_formats)
    for (const Range columns : {Range{0, 24}, Range{4, 16}})
      for (const optim::Type type : {optim::Type::sgd, optim::Type::adam, optim::Type::rowwise_adagrad}) {
        if (type == optim::Type::rowwise_adagrad && columns.size() < 24) continue;  // it needs whole rows
        std::vector<Table> tables = {{.rows = 200,
                                      .dim = 24,
                                      .blocks = {100, 200},
                                      .optimizer = settings(type),
                                      .columns = columns,
                                      .format = format}};
        Engine narrow(tables, Kernels::simd);
        tables[0].format = NumberType::fp32;
        Engine wide(tables, Kernels::simd);
        const EmbeddingTable& table = narrow.table(0);
        const std::vector<float> before = weights_of(wide.exec, table);
        wide.table(0).store().write(wide.exec, 0, table.rows(), before.data());
        const Batch batch(tables, 30, up_to(2), 1);
        const BatchSplit split(Lanes(4), 1, 30);
        const std::vector<double> rates = {0.05};
        narrow.move(batch, split, rates, 7);
        wide.move(batch, split, rates, 7);
        const std::vector<float> exact = weights_of(wide.exec, wide.table(0)), after = weights_of(wide.exec, table);
        Index moved = 0;
        for (Index row = table.rows().begin; row < table.rows().end; ++row)
          for (Index c = columns.begin; c < columns.end; ++c) {
            const std::size_t at = std::size_t((row - table.rows().begin) * columns.size() + c - columns.begin);
            REQUIRE(after[at] == rounded(format, exact[at], random_of(table, 7, row, c)));
            moved += after[at] != before[at];
          }
        REQUIRE(moved > 100);
      }
}

TEST_CASE("Formats: the mean of a million stochastic updates is that of fp32") {
  // Each update moves a weight from 1 by a share p of the distance d to the next number. The result is 1 + d with
  // probability p, else 1. The mean of n = 10^6 results, in units of d, has the standard deviation sqrt(p (1 - p) / n),
  // at most 0.0005. Five of them are exceeded once in 1.7 million seeds. Rounding to nearest gives 0 or 1.
  constexpr Index row_count = 12500, dim = 8, steps = 10;
  for (const NumberType format : short_formats)
    for (const double p : {0.125, 0.3, 0.5}) {
      const double distance = format == NumberType::bf16 ? 0x1p-7 : 0x1p-10;
      Engine engine({{.rows = row_count, .dim = dim, .optimizer = {}, .format = format}}, Kernels::simd);
      const std::vector<float> ones(row_count * dim, 1.0f);
      RowSums sums;
      for (Index row = 0; row < row_count; ++row) sums.rows.push_back(row);
      const float rate = 0.1f;
      sums.sums.assign(row_count * dim, float(-p * distance / double(rate)));
      double mean = 0;
      for (Index step = 1; step <= steps; ++step) {
        engine.table(0).store().write(engine.exec, 0, {0, row_count}, ones.data());
        engine.move(0, sums, step);
        for (const float w : weights_of(engine.exec, engine.table(0))) mean += (double(w) - 1) / distance;
      }
      mean /= double(row_count * dim * steps);
      CAPTURE(name(format), p, mean);
      CHECK(std::abs(mean - p) < 5 * std::sqrt(p * (1 - p) / 1e6));
    }
}

TEST_CASE("Formats: small steps add up although each is under half of a weight's last bit") {
  const Index row_count = 1000;
  for (const NumberType format : short_formats) {
    Engine engine({{.rows = row_count, .dim = 4, .optimizer = {}, .format = format}}, Kernels::simd);
    const std::vector<float> ones(row_count * 4, 1.0f);
    engine.table(0).store().write(engine.exec, 0, {0, row_count}, ones.data());
    RowSums sums;
    for (Index row = 0; row < row_count; ++row) sums.rows.push_back(row);
    sums.sums.assign(row_count * 4, -0x1p-12f / 0.1f);
    for (Index step = 1; step <= 128; ++step) engine.move(0, sums, step);
    double mean = 0;
    const std::vector<float> weights = weights_of(engine.exec, engine.table(0));
    for (const float w : weights) mean += double(w) / double(row_count * 4);
    // A bf16 weight moves in 4 of the 128 steps, with a standard deviation of 2. By the same random numbers in all
    // steps some weights would move in each.
    CHECK(*std::max_element(weights.begin(), weights.end()) < 1.15f);
    // 128 steps of 2^-12 add up to 1 / 32. The error of one weight is at most sqrt(128) / 2 last bits of 2^-7, that of
    // the mean of 4000 weights 0.0007.
    CHECK(std::abs(mean - 1 - 1.0 / 32) < 0.002);
  }
}

TEST_CASE("Formats: start values are those of fp32, rounded to nearest") {
  for (const NumberType format : short_formats)
    for (const Kernels kernels : {Kernels::simd, Kernels::portable}) {
      Engine narrow({{.rows = 5000, .dim = 7, .format = format}}, kernels);
      Engine wide({{.rows = 5000, .dim = 7}}, Kernels::simd);
      std::vector<float> expected = weights_of(wide.exec, wide.table(0));
      round_to(format, std::ssize(expected), expected.data());
      CHECK(same(weights_of(narrow.exec, narrow.table(0)), expected));
    }
}

TEST_CASE("Formats: write() rounds to nearest and counts, and beyond fp16's range is infinity") {
  const Exec exec;
  EmbeddingBagConfig config;
  config.name = "t";
  config.num_embeddings = 2;
  config.embedding_dim = 4;
  config.format = NumberType::fp16;
  EmbeddingTable table(exec, {.config = config, .columns = {0, 4}});
  table.initialize(exec, 1, 0);
  CHECK(table.store().rounded() == 0);
  CHECK(table.store().bytes().host == 16);
  const std::vector<float> given = {1.0f, 1.0f + 0x1p-12f, 65504.0f, -0.0f, 70000.0f, 0x1p-24f, 0.1f, 3.0f};
  table.store().write(exec, 0, {0, 2}, given.data());
  CHECK(table.store().rounded() == 3);
  const std::vector<float> held = weights_of(exec, table);
  CHECK(held[1] == 1.0f);
  CHECK(held[2] == 65504.0f);
  CHECK(std::signbit(held[3]));
  CHECK(std::isinf(held[4]));
  CHECK(held[5] == 0x1p-24f);
  CHECK(table.store().in_place(0, {0, 2}) == nullptr);
  CHECK(error_of([&] {
          EmbeddingTable(exec, {.config = config, .columns = {0, 4}, .kernel = ComputeKernel::dense});
        }) ==
        "table t has format \"fp16\", which kernel \"dense\" does not update; use another kernel, or format \"fp32\"");
}
