// SPDX-License-Identifier: Apache-2.0
// ShardedEmbeddingBagCollection: ids that are out of range, several batches in flight, the bytes that it counts, and
// the optimizer of each table.
#include <cmath>

#include "batches.hpp"
#include "catch.hpp"
#include "errors.hpp"
#include "law_plans.hpp"
#include <tesserec/core/short_floats.hpp>
#include <tesserec/sharding/distributed_model_parallel.hpp>

using namespace tesserec;
using planning::ExchangeForm;
using planning::ShardingType;
using Collection = sharding::ShardedEmbeddingBagCollection;

namespace {

planning::ShardingPlan on_rank_0(const embedding::EmbeddingBagConfig& table, ExchangeForm form) {
  return {{ShardingType::table_wise, embedding::ComputeKernel::fused, form,
           planning::cut(table, 1, 1, std::vector<int>{0})}};
}

}  // namespace

TEST_CASE("ShardedEmbeddingBagCollection: throws on every rank for ids out of range or missing weights") {
  const Exec exec;
  const comm::Communicator comm(MPI_COMM_WORLD);
  const Lanes lanes(8);
  const Index global = 16 * comm.size();
  const Range own_samples = lanes.samples_of_rank(comm.rank(), comm.size(), global);
  for (const ExchangeForm form : {ExchangeForm::pooled, ExchangeForm::rows})
    for (const auto& [weighted, everywhere] : {std::pair{false, false}, {true, false}, {false, true}}) {
      const embedding::EmbeddingBagConfig table = {"t", 40, 8, {"a"}, {}, weighted, {}};
      planning::ShardingPlan plan = on_rank_0(table, form);
      if (everywhere) plan[0] = law::sharded(table, ShardingType::row_wise, comm.size(), 1, comm.size());
      plan[0].form = form;
      Collection tables(exec, comm, {table}, plan, {"a"}, lanes, {{}, {}, Kernels::simd});
      tables.initialize(exec, 0);
      const auto batch = [&](Index id, int wrong_rank) {
        std::vector<std::vector<Index>> ids(static_cast<std::size_t>(own_samples.size()), {0});
        if (comm.rank() == wrong_rank) ids[2] = {39, id};
        return batch_of({"a"}, {ids});
      };
      const auto refusal = [&](Index id, int wrong_rank) {
        return error_of([&] {
          auto ids = tables.start(exec, batch(id, wrong_rank), global);
          tables.forward(exec, ids);
        });
      };
      if (weighted) {
        CHECK(
            refusal(3, 0) ==
            "table t is weighted, but the data has no weights for feature \"a\"; add weights, or set weighted = false");
        continue;
      }
      CHECK(refusal(39, 0) == "");
      for (int rank = 0; rank < comm.size(); ++rank)
        for (const Index id : {Index{40}, Index{-1}})
          CHECK(refusal(id, rank) == "feature a, sample " +
                                         std::to_string(lanes.samples_of_rank(rank, comm.size(), global).begin + 2) +
                                         " of the batch: id " + std::to_string(id) + " is outside table t of 40 rows");
      CHECK(refusal(39, 0) == "");  // the refused batch leaves no state behind
    }
}

TEST_CASE("ShardedEmbeddingBagCollection: batches in flight are independent and one may be dropped") {
  const Exec exec;
  const comm::Communicator comm(MPI_COMM_WORLD);
  const Lanes lanes(8);
  const Index global = 8 * comm.size();
  const Range own_samples = lanes.samples_of_rank(comm.rank(), comm.size(), global);
  for (const ExchangeForm form : {ExchangeForm::pooled, ExchangeForm::rows}) {
    const embedding::EmbeddingBagConfig table = {"t", 40, 4, {"a"}, {}, false, {}};
    Collection tables(exec, comm, {table}, on_rank_0(table, form), {"a"}, lanes, {{}, {}, Kernels::simd});
    tables.initialize(exec, 0);
    const auto start = [&](Index id) {
      return tables.start(exec, batch_of({"a"}, {std::vector<std::vector<Index>>(own_samples.size(), {id})}), global);
    };
    const auto pooled = [&](sharding::InFlight batch) {
      const auto sums = tables.forward(exec, batch).pooled;
      return std::vector<float>(sums.data(), sums.data() + sums.size());
    };
    std::vector<std::vector<float>> expected;
    for (const Index id : {0, 1, 2, 3}) expected.push_back(pooled(start(id)));
    REQUIRE(expected[0] != expected[1]);
    auto a = start(0), b = start(1), c = start(2);
    tables.progress(exec, b);
    const auto d = tables.forward(exec, c).pooled;
    a.finish();
    CHECK(pooled(start(3)) == expected[3]);
    CHECK(pooled(std::move(b)) == expected[1]);
    CHECK(std::equal(expected[2].begin(), expected[2].end(), d.data()));
    CHECK(pooled(start(0)) == expected[0]);
  }
}

TEST_CASE("ShardedEmbeddingBagCollection: bytes() counts all that is sent to other ranks") {
  const Exec exec;
  const comm::Communicator comm(MPI_COMM_WORLD);
  const Lanes lanes(8);
  constexpr Index dim = 12;
  const Index global = 24;
  const Range own_samples = lanes.samples_of_rank(comm.rank(), comm.size(), global);
  for (const bool weighted : {false, true}) {
    const embedding::EmbeddingBagConfig table = {"t", 40, dim, {"a"}, {}, weighted, {}};
    std::vector<std::vector<Index>> ids;
    std::vector<std::vector<float>> weights;
    Index id_count = 0, bags = 0;  // bags with ids: each has a sum and a gradient
    for (Index s = own_samples.begin; s < own_samples.end; ++s) {
      ids.emplace_back(static_cast<std::size_t>(s % 3), s);
      weights.emplace_back(static_cast<std::size_t>(s % 3), 0.5f);
      id_count += s % 3, bags += s % 3 > 0;
    }
    Collection tables(exec, comm, {table}, on_rank_0(table, ExchangeForm::pooled), {"a"}, lanes,
                      {{}, {}, Kernels::simd});
    tables.initialize(exec, 0);
    auto batch = tables.start(exec, batch_of({"a"}, {ids}, {weights}), global);
    tables.forward(exec, batch);
    Kokkos::deep_copy(tables.gradient(exec, batch).pooled, 0.0f);
    tables.backward(exec, std::move(batch), {}, 1);
    const Index others = comm.sum(comm.rank() == 0 ? 0 : bags);
    const Index lengths = (own_samples.size() + 1) / 2 * 8;  // two a word
    const Index lookups = 2 * 4 + lengths + id_count * (weighted ? 12 : 8) + bags * dim * 4;
    const Index errors = 4 * (comm.size() - 1);  // "none", to each
    CHECK(tables.bytes().all == errors + (comm.rank() == 0 ? others * dim * 4 : lookups));
  }
}

TEST_CASE("ExchangePrecision: halves finished sums and gradients but not unfinished sums and rows") {
  const Exec exec;
  const comm::Communicator comm(MPI_COMM_WORLD);
  if (comm.size() != 2) return;
  const Lanes lanes(8);
  constexpr Index dim = 6, samples = 12;  // of a rank; every bag has a row of each half
  const embedding::EmbeddingBagConfig table = {"t", 2048, dim, {"a"}, {}, false, {}};
  const std::vector<std::vector<Index>> ids(samples, {5, 2000});
  const auto sent = [&](ExchangeForm form, Index row_cuts, const std::vector<int>& ranks, NumberType type) {
    const planning::ShardingPlan plan = {{row_cuts > 1 ? ShardingType::row_wise : ShardingType::table_wise,
                                          embedding::ComputeKernel::fused, form,
                                          planning::cut(table, row_cuts, 1, ranks)}};
    Collection tables(exec, comm, {table}, plan, {"a"}, lanes, {{}, {}, Kernels::simd, {}, {type, type, 64.0f}});
    tables.initialize(exec, 0);
    auto batch = tables.start(exec, batch_of({"a"}, {ids}), 2 * samples);
    tables.forward(exec, batch);
    Kokkos::deep_copy(tables.gradient(exec, batch).pooled, 0.0f);
    tables.backward(exec, std::move(batch), {}, 1);
    return tables.bytes().all;
  };
  using enum NumberType;
  const bool owner = comm.rank() == 0;
  for (const NumberType type : {fp16, bf16}) {
    const Index less = samples * dim * 2;
    CHECK(sent(ExchangeForm::pooled, 1, {0}, fp32) - sent(ExchangeForm::pooled, 1, {0}, type) == less);
    // Each rank has half of the rows: unfinished sums have 32 bits, gradients 16.
    CHECK(sent(ExchangeForm::pooled, 2, {0, 1}, fp32) - sent(ExchangeForm::pooled, 2, {0, 1}, type) == less);
    CHECK(sent(ExchangeForm::rows, 1, {0}, fp32) == sent(ExchangeForm::rows, 1, {0}, type));
  }
  CHECK(sent(ExchangeForm::pooled, 1, {0}, bf16) == 4 + samples * dim * 2 + (owner ? 0 : 8 + samples * (4 + 2 * 8)));
}

TEST_CASE("ShardedEmbeddingBagCollection: sends a list of samples if few samples have ids") {
  const Exec exec;
  const comm::Communicator comm(MPI_COMM_WORLD);
  const Lanes lanes(8);
  constexpr Index dim = 4, global = 64;
  const Range own_samples = lanes.samples_of_rank(comm.rank(), comm.size(), global);
  embedding::EmbeddingBagConfig table = {"t", 40, dim, {"a", "b"}, {}, false, {}};
  std::vector<std::vector<Index>> a, b;
  Index with_ids = 0, ids = 0, vectors = 0;
  for (Index s = own_samples.begin; s < own_samples.end; ++s) {
    a.emplace_back(std::size_t(s % 8 == 1 ? 2 : 0), s % 40);
    b.emplace_back(std::size_t(s % 8 == 1 || s % 8 == 6), (s + 7) % 40);
    with_ids += !b.back().empty();
    ids += std::ssize(a.back()) + std::ssize(b.back());
    vectors += !a.back().empty() + !b.back().empty();
  }
  Collection tables(exec, comm, {table}, on_rank_0(table, ExchangeForm::pooled), {"a", "b"}, lanes,
                    {{}, {}, Kernels::simd});
  tables.initialize(exec, 0);
  auto batch = tables.start(exec, batch_of({"a", "b"}, {a, b}), global);
  const auto sums = tables.forward(exec, batch).pooled;
  embedding::EmbeddingBagCollection alone({table});
  alone.initialize(exec, 0);
  const auto expected = alone.forward(exec, batch_of({"a", "b"}, {a, b})).values;
  for (Index s = 0; s < own_samples.size(); ++s)
    for (Index c = 0; c < 2 * dim; ++c) CHECK(sums(s, c) == expected(s, c));
  Kokkos::deep_copy(tables.gradient(exec, batch).pooled, 0.0f);
  tables.backward(exec, std::move(batch), {}, 1);
  const Index others = comm.sum(comm.rank() == 0 ? 0 : vectors);
  const Index lookups = 3 * 4 + (3 * with_ids + 1) / 2 * 8 + ids * 8 + vectors * dim * 4;
  CHECK(tables.bytes().all == 4 * (comm.size() - 1) + (comm.rank() == 0 ? others * dim * 4 : lookups));
}

TEST_CASE("ExchangePrecision: rounds the finished sum of every table and divides a mean afterwards") {
  const Exec exec;
  const comm::Communicator comm(MPI_COMM_WORLD);
  const Lanes lanes(8);
  const Index global = 8 * comm.size(), own_samples = lanes.samples_of_rank(comm.rank(), comm.size(), global).size();
  using enum NumberType;
  for (const bool mean : {false, true})
    for (const NumberType type : {fp16, bf16}) {
      embedding::EmbeddingBagConfig table = {"t", 40, 4, {"a"}, {}, false, {}};
      table.pooling = mean ? embedding::PoolingType::mean : embedding::PoolingType::sum;
      const auto rounded = [&](float v) { return type == fp16 ? from_fp16(to_fp16(v)) : from_bf16(to_bf16(v)); };
      const auto pooled = [&](const sharding::ExchangePrecision& precision) {
        Collection tables(exec, comm, {table}, on_rank_0(table, ExchangeForm::pooled), {"a"}, lanes,
                          {{}, {}, Kernels::simd, {}, precision});
        tables.initialize(exec, 7);
        auto batch =
            tables.start(exec, batch_of({"a"}, {std::vector<std::vector<Index>>(own_samples, {1, 2, 39})}), global);
        const auto sums = tables.forward(exec, batch).pooled;
        return std::vector<float>(sums.data(), sums.data() + sums.size());
      };
      const std::vector<float> exact = pooled({}), found = pooled({type, fp32});
      for (std::size_t i = 0; i < found.size(); ++i) {
        if (!mean) CHECK(found[i] == rounded(exact[i]));
        const float step = type == fp16 ? 0x1p-11f : 0x1p-8f;
        CHECK(std::abs(found[i] - exact[i]) <= std::max(std::abs(exact[i]) * step, 0x1p-25f) * 1.001f);
        if (mean) CHECK(rounded(found[i] * 3.0f) == Approx(found[i] * 3.0f).epsilon(1e-6));  // the sum was rounded
      }
    }
}

TEST_CASE("DistributedModelParallel: backward uses the scheduled rate and the number of each step") {
  const Exec exec;
  const comm::Communicator comm(MPI_COMM_WORLD);
  const embedding::EmbeddingBagCollection module({{"t", 3, 4, {"a"}, {}, false, {}}});
  sharding::EmbeddingBagCollectionSharder sharder;
  sharder.fused.type = optim::Type::adam;
  sharder.fused.lr = 0.3;
  sharding::ParallelOptions options;
  options.schedule = {3, 0, 0};
  options.plan = on_rank_0(module.tables()[0], ExchangeForm::pooled);
  sharding::DistributedModelParallel model(exec, module, comm, options, sharder);
  const Range own_samples = model.samples(8);
  const auto batch =
      batch_of({"a"}, {std::vector<std::vector<Index>>(static_cast<std::size_t>(own_samples.size()), {1})});
  const auto gradient = make_matrix<float>(exec, "tesserec::test::gradient", own_samples.size(), 4);
  Kokkos::deep_copy(gradient, 0.25f);
  // The gradient is always the same, so that Adam moves by the rate.
  float start = 0;
  for (const double moved : {0.0, 0.1, 0.3, 0.6, 0.9}) {
    const jagged::KeyedTensor pooled = model.forward(exec, batch);
    if (moved == 0.0) start = pooled.values(0, 3);
    CHECK(start - pooled.values(0, 3) == Approx(moved).epsilon(1e-4).margin(1e-7));
    model.backward(exec, gradient);
  }
}

TEST_CASE("ShardedEmbeddingBagCollection: a table trains with its own optimizer or that of its kernel") {
  const Exec exec;
  const comm::Communicator comm(MPI_COMM_WORLD);
  optim::Settings own, sparse, dense;
  own.type = optim::Type::adagrad;
  own.lr = 0.5;
  sparse.type = optim::Type::rowwise_adagrad;
  sparse.lr = 0.25;
  dense.type = optim::Type::adam;
  dense.lr = 0.125;
  std::vector<embedding::EmbeddingBagConfig> tables;
  planning::ShardingPlan plan;
  for (const char* name : {"fused", "dense", "own fused", "own dense"}) {
    tables.push_back({name, 10, 4, {name}, {}, false, {}});
    if (mentions(name, "own")) tables.back().optimizer = own;
    plan.emplace_back().type = ShardingType::data_parallel;
    if (mentions(name, "dense")) plan.back().kernel = embedding::ComputeKernel::dense;
  }
  const sharding::ShardedEmbeddingBagCollection collection(
      exec, comm, tables, plan, {"fused", "dense", "own fused", "own dense"}, Lanes(8), {sparse, dense});
  REQUIRE(collection.shards().size() == 4);
  const optim::Settings* expected[] = {&sparse, &dense, &own, &own};
  for (std::size_t t = 0; t < 4; ++t) {
    const embedding::EmbeddingTable& table = *collection.shards()[t].rows;
    CHECK(table.config().name == tables[t].name);
    CHECK(table.optimizer().type == expected[t]->type);
    CHECK(table.optimizer().lr == expected[t]->lr);
  }
}
