// SPDX-License-Identifier: Apache-2.0
// DistributedModelParallel without a network: forward, backward and errors, with the same bits under every plan.
#include <functional>

#include "batches.hpp"
#include "catch.hpp"
#include "errors.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/random.hpp>
#include <tesserec/planning/plan_text.hpp>
#include <tesserec/planning/planner.hpp>
#include <tesserec/sharding/distributed_model_parallel.hpp>

using namespace tesserec;
using embedding::EmbeddingBagCollection;
using embedding::PoolingType;
using planning::ShardingPlan;
using planning::ShardingType;
using sharding::DistributedModelParallel;
using sharding::ParallelOptions;

namespace {

EmbeddingBagCollection collection() {
  return EmbeddingBagCollection({{"wide", 3000, 20, {"a", "b"}, PoolingType::mean, false, {}, {"b"}},
                                 {"again", 40, 5, {"b"}, PoolingType::sum, true, {}},
                                 {"small", 3, 8, {"c"}, PoolingType::sum, false, {}}});
}

/// Returns ids and weights of a rank's samples of a global batch.
jagged::KeyedJaggedTensor batch(Range samples, std::uint64_t step) {
  const Random random(3, Purpose::test, step);
  const Index rows[] = {3, 40, 3000};  // keys c, b, a
  std::vector<std::vector<std::vector<Index>>> ids(3);
  std::vector<std::vector<std::vector<float>>> weights(3);
  for (int k = 0; k < 3; ++k)
    for (Index s = samples.begin; s < samples.end; ++s) {
      ids[k].emplace_back(), weights[k].emplace_back();
      for (Index i = 0; i < (s + k) % 5; ++i) {
        ids[k].back().push_back(static_cast<Index>(random.below(static_cast<std::uint64_t>(rows[k]), s, 10 * k + i)));
        weights[k].back().push_back(random.normal(s, 100 + 10 * k + i));
      }
    }
  return batch_of({"c", "b", "a"}, ids, weights);
}

/// Returns the planner's plan in which all tables have one type. Nodes of 2 ranks are simulated if the number of
/// ranks is even.
ShardingPlan plan_of(const EmbeddingBagCollection& module, ShardingType type, int ranks) {
  planning::Settings settings;
  settings.default_type = type;
  for (const auto& table : module.tables()) settings.tables[table.name].min_partition = 4;
  const auto topology = planning::topology_for(ranks, ranks % 2 == 0 ? 2 : ranks, settings);
  return planning::EmbeddingShardingPlanner(topology, settings, {}, {}, 512).plan(module.tables()).plan;
}

}  // namespace

TEST_CASE("DistributedModelParallel: forward and backward have the same bits under any plan") {
  const Exec exec;
  const comm::Communicator env(MPI_COMM_WORLD);
  EmbeddingBagCollection whole = collection();
  whole.initialize(exec, 9);
  sharding::EmbeddingBagCollectionSharder sharder;
  sharder.fused.type = optim::Type::rowwise_adagrad;
  constexpr Index global = 29;

  std::vector<float> trained;
  std::vector<std::optional<ShardingPlan>> plans = {{}};
  for (const ShardingType type : sharder.sharding_types()) plans.push_back(plan_of(whole, type, env.size()));
  plans.push_back(plans[1]);  // mixed
  (*plans.back())[0] = (*plans[3])[0];
  (*plans.back())[2] = (*plans[4])[2];
  for (const auto& plan : plans) {
    ParallelOptions options;
    options.plan = plan;
    options.seed = 9;
    DistributedModelParallel model(exec, whole, env, options, sharder);
    const Range own_samples = model.samples(global);
    std::vector<float> looked_up;
    for (std::uint64_t step = 0; step < 3; ++step) {
      const auto pooled = model.forward(exec, batch(own_samples, step));
      REQUIRE(model.global_batch() == global);
      if (step == 0) {
        const auto expected = whole.forward(exec, batch(own_samples, step));
        REQUIRE(pooled.keys == expected.keys);
        REQUIRE(pooled.length_per_key == expected.length_per_key);
        REQUIRE(
            std::equal(expected.values.data(), expected.values.data() + expected.values.size(), pooled.values.data()));
        const auto vectors = whole.unpooled(exec, batch(own_samples, step));
        REQUIRE(whole.unpooled_names() == std::vector<std::string>{"b@wide"});
        REQUIRE((vectors.size() == 1 && model.unpooled().size() == 1));
        REQUIRE(vectors[0].total() == model.unpooled()[0].total());
        REQUIRE(std::equal(vectors[0].offsets.data(), vectors[0].offsets.data() + own_samples.size() + 1,
                           model.unpooled()[0].offsets.data()));
        REQUIRE(std::equal(vectors[0].values.data(), vectors[0].values.data() + vectors[0].values.size(),
                           model.unpooled()[0].values.data()));
      }
      const float* values = pooled.values.data();
      looked_up.assign(values, values + pooled.values.size());
      const auto gradient =
          make_matrix<float>(exec, "tesserec::test::gradient", own_samples.size(), pooled.values.extent(1));
      for (std::size_t i = 0; i < gradient.size(); ++i)
        gradient.data()[i] = (values[i] + 0.01f) / static_cast<float>(global);
      const Matrix<float> apart = model.unpooled()[0].values;
      const auto slopes = make_matrix<float>(exec, "tesserec::test::slopes", apart.extent(0), apart.extent(1));
      for (std::size_t i = 0; i < slopes.size(); ++i)
        slopes.data()[i] = (apart.data()[i] - 0.01f) / static_cast<float>(global);
      looked_up.insert(looked_up.end(), apart.data(), apart.data() + apart.size());
      model.backward(exec, gradient, {slopes});
    }
    INFO(model.describe());
    REQUIRE(env.broadcast(model.describe(), 0) == model.describe());
    const std::string text = planning::plan_text(whole.tables(), model.plan(), env.size());
    REQUIRE(env.broadcast(text, 0) == text);
    REQUIRE(model.steps() == 3);
    if (trained.empty()) trained = looked_up;
    REQUIRE(looked_up == trained);
    REQUIRE(env.sum(model.bytes()) >= (3000 * 21 + 40 * 6 + 3 * 9) * 4);
  }
}

TEST_CASE("DistributedModelParallel: allocates the shards of its own rank alone") {
  const Exec exec;
  const comm::Communicator env(MPI_COMM_WORLD);
  const EmbeddingBagCollection module({{"t", 2048, 16, {"a"}, {}, false, {}}});
  ParallelOptions options;
  options.plan = plan_of(module, ShardingType::row_wise, env.size());
  DistributedModelParallel model(exec, module, env, options);
  REQUIRE(env.sum(model.bytes()) == 2048 * 16 * 4);
  REQUIRE(model.bytes() <= (2048 / env.size() + 2) * 16 * 4);
}

TEST_CASE("EmbeddingBagCollectionSharder: names what it offers and the planner keeps to it") {
  const Exec exec;
  const comm::Communicator env(MPI_COMM_WORLD);
  REQUIRE(sharding::EmbeddingBagCollectionSharder().sharding_types().size() == 7);
  struct Narrow : sharding::EmbeddingBagCollectionSharder {
    std::vector<ShardingType> sharding_types() const override {
      return {ShardingType::table_wise, ShardingType::row_wise};
    }
    std::vector<planning::ComputeKernel> compute_kernels(ShardingType) const override {
      return {planning::ComputeKernel::dense};
    }
  };
  const EmbeddingBagCollection module = collection();
  ParallelOptions options;
  options.plan = plan_of(module, ShardingType::data_parallel, env.size());
  CHECK(error_of([&] { DistributedModelParallel(exec, module, env, options, Narrow()); }) ==
        "table wide: the sharder does not offer sharding type \"data_parallel\"; use one of table_wise, row_wise");
  struct RowWise : sharding::EmbeddingBagCollectionSharder {
    std::vector<ShardingType> sharding_types() const override { return {ShardingType::row_wise}; }
  };
  const DistributedModelParallel planned(exec, module, env, {}, Narrow());
  for (const auto& table : planned.plan())
    CHECK(table.kernel == planning::ComputeKernel::dense);  // the sharder offers this kernel alone
  ParallelOptions fused;
  fused.planner.tables["wide"].kernel = planning::ComputeKernel::fused;
  CHECK(error_of([&] { DistributedModelParallel(exec, module, env, fused, Narrow()); }) ==
        "table wide: the sharder offers kernel \"fused\" for none of its allowed sharding types; allow another kernel "
        "or type");
  const DistributedModelParallel rows(exec, module, env, {}, RowWise());
  for (const auto& table : rows.plan()) CHECK(table.type == ShardingType::row_wise);  // the planner keeps to the offer
  ParallelOptions elsewhere;
  elsewhere.planner.default_type = ShardingType::column_wise;
  CHECK(error_of([&] { DistributedModelParallel(exec, module, env, elsewhere, RowWise()); }) ==
        "table wide: the sharder offers none of its allowed sharding types; allow one of row_wise");
  options.plan = plan_of(module, ShardingType::table_wise, env.size());
  CHECK(error_of([&] { DistributedModelParallel(exec, module, env, options, Narrow()); }) ==
        "table wide: the sharder does not offer table_wise with kernel \"fused\"; use one of dense");
}

TEST_CASE("DistributedModelParallel: throws if a dense kernel has an optimizer that sums rows") {
  const Exec exec;
  const comm::Communicator env(MPI_COMM_WORLD);
  const optim::Settings rowwise{optim::Type::rowwise_adagrad};
  const std::string refusal =
      "table t: kernel \"dense\" updates all rows, but optimizer \"rowwise_adagrad\" only updates touched rows. "
      "Set plan.tables.t.kernel (or \"kernel\" in the plan file) to \"fused\", or use another optimizer";
  for (const bool own : {false, true}) {  // the table's own optimizer, or that of the dense kernel
    sharding::EmbeddingBagCollectionSharder sharder;
    if (!own) sharder.dense = rowwise;
    const EmbeddingBagCollection module(
        {{"t", 9, 4, {"a"}, {}, false, own ? std::optional(rowwise) : std::optional<optim::Settings>()}});
    ParallelOptions given, planned;
    given.plan = plan_of(module, ShardingType::table_wise, env.size());  // on one rank alone
    given.plan->front().kernel = planning::ComputeKernel::dense;
    planned.planner.tables["t"].kernel = planning::ComputeKernel::dense;
    CHECK(error_of([&] { DistributedModelParallel(exec, module, env, given, sharder); }) == refusal);
    CHECK(error_of([&] { DistributedModelParallel(exec, module, env, planned, sharder); }) == refusal);
    const planning::EmbeddingShardingPlanner planner(planning::topology_for(env.size(), 0, {}), {}, sharder.fused,
                                                     sharder.dense, 512);
    CHECK(error_of([&] { planner.evaluate(module.tables(), *given.plan); }) == refusal);
    given.plan->front().kernel = planning::ComputeKernel::fused;
    CHECK(error_of([&] { DistributedModelParallel(exec, module, env, given, sharder); }) == "");
  }
}

TEST_CASE("DistributedModelParallel: throws on every rank for wrong lanes or batches or gradients") {
  const Exec exec;
  const comm::Communicator env(MPI_COMM_WORLD);
  const EmbeddingBagCollection module = collection();
  ParallelOptions options;
  options.lanes = 6;
  CHECK(error_of([&] { DistributedModelParallel(exec, module, env, options); }) ==
        "lanes = 6 is not a power of two; set one");
  options.lanes = 1;
  if (env.size() > 1)
    CHECK(error_of([&] {
            DistributedModelParallel(exec, module, env, options);
          }).rfind("lanes = 1 is too few for ", 0) == 0);
  options.lanes = 4;
  DistributedModelParallel model(exec, module, env, options);
  const auto gradient = make_matrix<float>(exec, "tesserec::test::gradient", 1, 1);
  CHECK(error_of([&] { model.backward(exec, gradient); }) ==
        "backward() has no batch; call forward() first, once for each backward()");
  CHECK(error_of([&] {
          model.forward(exec, batch_of({"a", "b"}, {{}, {}}));
        }) == "table small: feature \"c\" is not in the batch, which has a, b");
  const bool last = env.rank() == env.size() - 1;  // an error of one rank is thrown on all
  CHECK(error_of([&] {
          model.forward(exec, last ? batch_of({"a", "b"}, {{}, {}}) : batch(model.samples(8), 0));
        }) == "table small: feature \"c\" is not in the batch, which has a, b");
  const Range own_samples = model.samples(8 * env.size());
  model.forward(exec, batch(own_samples, 0));
  CHECK(error_of([&] {
          model.backward(exec, gradient);
        }).rfind("the gradient is 1 x 1, but the pooled vectors are", 0) == 0);
}

TEST_CASE("DistributedModelParallel: trains every sample once for any number of samples a rank") {
  const Exec exec;
  const comm::Communicator env(MPI_COMM_WORLD);
  const EmbeddingBagCollection module({{"t", 40, 4, {"a"}, {}, false, {}}});
  for (const ShardingType type : {ShardingType::table_wise, ShardingType::row_wise, ShardingType::data_parallel})
    for (const int lanes : {4, 8}) {
      sharding::EmbeddingBagCollectionSharder sharder;
      sharder.fused.lr = 0.5;
      ParallelOptions options;
      options.plan = plan_of(module, type, env.size());
      options.lanes = lanes;
      DistributedModelParallel model(exec, module, env, options, sharder);
      for (const auto& shard : model.tables().shards())
        shard.rows->weights().fill(Exec(), "tesserec::test::fill", 1.0f);
      const Index samples = env.rank() == 1 ? 0 : 3 + 2 * env.rank();
      std::vector<std::vector<Index>> ids;
      for (Index s = 0; s < samples; ++s) ids.push_back({s, 39});
      const auto batch = batch_of({"a"}, {ids});
      // Powers of two: sums in any order are exact.
      for (const float before : {1.0f, 0.5f}) {
        const auto pooled = model.forward(exec, batch);
        CHECK(model.global_batch() == env.sum(samples));
        Index users = 0;  // of row 0: ranks that have samples
        for (int rank = 0; rank < env.size(); ++rank) users += rank != 1;
        const float row_0 = before == 1.0f ? 1.0f : 1.0f - 0.125f * static_cast<float>(users);
        const float row_39 = before == 1.0f ? 1.0f : 1.0f - 0.125f * static_cast<float>(model.global_batch());
        if (samples > 0) CHECK(pooled.values(0, 3) == row_0 + row_39);
        const auto gradient = make_matrix<float>(exec, "tesserec::test::gradient", samples, 4);
        Kokkos::deep_copy(gradient, 0.25f);
        model.backward(exec, gradient);
      }
    }
}
