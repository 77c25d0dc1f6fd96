// SPDX-License-Identifier: Apache-2.0
// Tables whose rows lie in a store of the test, or whose row blocks are a hash of the id. Every plan has one digest,
// with simd and portable kernels.
#include <bit>
#include <filesystem>
#include <optional>

#include "batches.hpp"
#include "catch.hpp"
#include "errors.hpp"
#include "law_plans.hpp"
#include "left_out.hpp"
#include "map_rows.hpp"
#include <tesserec/core/random.hpp>
#include <tesserec/sharding/sharded_embedding_bag_collection.hpp>
#include <tesserec/tiers/disk_rows.hpp>
#include <tesserec/tiers/host_cached_rows.hpp>

using namespace tesserec;
using embedding::BlockBy;

namespace {

const std::vector<std::string> features{"a", "b", "c", "d"};
const std::string scratch = std::filesystem::temp_directory_path();
constexpr Index rows[] = {700, 90, 3000}, samples = 24, steps = 3;

std::vector<embedding::EmbeddingBagConfig> tables(BlockBy block_by) {
  std::vector<embedding::EmbeddingBagConfig> all(3);
  const Index dims[] = {5, 16, 12};
  const std::vector<std::string> keys[] = {{"a"}, {"b"}, {"c", "d"}};
  for (std::size_t t = 0; t < 3; ++t) {
    all[t].name = "t" + std::to_string(t);
    all[t].num_embeddings = rows[t];
    all[t].embedding_dim = dims[t];
    all[t].feature_names = keys[t];
    all[t].block_by = block_by;
  }
  all[2].unpooled = {"d"};
  return all;
}

jagged::KeyedJaggedTensor batch(Index step, Range own_samples) {
  std::vector<std::vector<std::vector<Index>>> ids(features.size());
  for (std::size_t f = 0; f < features.size(); ++f) {
    const Random random(30, Purpose::test, std::uint64_t(step * 10 + Index(f)));
    const Index of = rows[std::min<std::size_t>(f, 2)];
    for (Index s = own_samples.begin; s < own_samples.end; ++s) {
      std::vector<Index>& bag = ids[f].emplace_back();
      for (Index i = 0; i < Index(random.below(7, s, 0)); ++i)
        bag.push_back(Index(random.below(std::uint64_t(i % 2 == 0 ? 9 : of), s, i + 1)));
    }
  }
  return batch_of(features, ids);
}

struct Trained {
  std::vector<float> pooled, weights;  // of the last batch, of all tables
  bool operator==(const Trained&) const = default;
};

/// Trains for some steps and returns the result. Every second step has two micro-batches; one more batch is looked up
/// in each.
Trained train(const std::vector<embedding::EmbeddingBagConfig>& configs, const planning::ShardingPlan& plan,
              const sharding::CollectionOptions& options, const comm::Communicator& comm, Index* evictions = nullptr) {
  const Exec exec;
  const Lanes lanes(8), halves(8, 2);
  sharding::ShardedEmbeddingBagCollection collection(exec, comm, configs, plan, features, lanes, options);
  collection.initialize(exec, 3);
  Trained result;
  const auto start_batch = [&](const BatchSplit& split, Index step) {
    const Range own_samples = split.samples(comm.rank());
    auto ids = collection.start(exec, batch(step, own_samples), split);
    auto next = collection.start(exec, batch(step + 50, own_samples), split, false);
    collection.progress(exec, next);
    collection.progress(exec, next);  // the rows of `next` are pinned before those of `ids`
    const auto forward = collection.forward(exec, ids);
    result.pooled.resize(forward.pooled.size());
    copy(exec, collection.place(), forward.pooled.data(), Place::host, result.pooled.data(), std::ssize(result.pooled));
    const auto gradients = collection.gradient(exec, ids);
    const auto send = [&](const auto& to) {
      std::vector<float> numbers(to.size());
      for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = float(i % 13) - 6.5f;
      copy(exec, Place::host, numbers.data(), collection.place(), to.data(), std::ssize(numbers));
    };
    send(gradients.pooled);
    for (const jagged::JaggedVectors& vectors : gradients.unpooled) send(vectors.values);
    collection.forward(exec, next);
    return ids;
  };
  sharding::GradientSums sums;
  for (Index step = 1; step <= steps; ++step) {
    if (step % 2 == 1) {
      collection.backward(exec, start_batch(BatchSplit(lanes, comm.size(), samples), step), {}, step);
      continue;
    }
    for (int half = 0; half < 2; ++half)
      collection.backward(exec, start_batch(BatchSplit(halves, comm.size(), samples, half), 10 * step + half), sums);
    collection.move(exec, sums, {}, step, 0.5f);
  }
  result.weights.resize(std::size_t(rows[0] * 5 + rows[1] * 16 + rows[2] * 12));
  for (const auto& shard : collection.shards()) {
    const embedding::EmbeddingTable& table = *shard.rows;
    const Index before[] = {0, rows[0] * 5, rows[0] * 5 + rows[1] * 16};
    if (shard.replica.index > 0) continue;
    std::vector<float> row(std::size_t(table.dim()));
    for (Index r = table.rows().begin; r < table.rows().end; ++r) {
      if (!table.blocks().contains(table.block_of()(r))) continue;
      table.store().read(exec, 0, {r, r + 1}, row.data());
      std::copy(
          row.begin(), row.end(),
          result.weights.begin() + before[shard.table] + r * table.config().embedding_dim + table.columns().begin);
    }
    if (const auto* map = dynamic_cast<const test::MapRows*>(&table.store()); map != nullptr && evictions != nullptr)
      *evictions += map->evictions();
  }
  std::vector<Index> bits;  // each number is on one rank; others have zeros
  for (const float weight : result.weights) bits.push_back(std::bit_cast<std::uint32_t>(weight));
  comm.sum(std::span<Index>(bits));
  for (std::size_t i = 0; i < bits.size(); ++i) result.weights[i] = std::bit_cast<float>(std::uint32_t(bits[i]));
  return result;
}

embedding::MakeRowStore map_rows(Index slots) {
  return [=](const Exec& exec, const embedding::TableShard& shard) {
    return std::make_unique<test::MapRows>(exec, shard, slots);
  };
}

}  // namespace

TEST_CASE("ShardedEmbeddingBagCollection: an evicting RowStore and hashed row blocks change no bits") {
  const comm::Communicator comm(MPI_COMM_WORLD);
  Index turn = 0, evictions = 0;
  for (const BlockBy block_by : {BlockBy::rows, BlockBy::hash})
    for (const optim::Type type :
         {optim::Type::sgd, optim::Type::adagrad, optim::Type::rowwise_adagrad, optim::Type::adam, optim::Type::lamb}) {
      if ((++turn + comm.size() / 2) % 2 == 0 || left_out(turn / 2, 5)) continue;  // 1 and 4 ranks, or 2 and 3
      optim::Settings optimizer;
      optimizer.type = type;
      optimizer.lr = 0.05;
      optimizer.initial_accumulator = 0.125;
      const std::vector<embedding::EmbeddingBagConfig> configs = tables(block_by);
      std::optional<Trained> expected;
      std::vector<planning::ShardingPlan> plans = law::plans(configs, comm.size());
      for (const planning::ShardingPlan& plan : law::group_plans(configs, comm.size())) plans.push_back(plan);
      for (const Kernels kernels : {Kernels::simd, Kernels::portable})
        for (const planning::ShardingPlan& plan : plans) {
          if (!device_is_host && kernels == Kernels::simd) continue;
          INFO(planning::describe(configs, plan) << (kernels == Kernels::portable ? ", portable" : ""));
          std::vector<Trained> all;
          if (block_by == BlockBy::rows) all.push_back(train(configs, plan, {optimizer, {}, kernels}, comm));
          all.push_back(train(configs, plan,
                              {.sparse = optimizer, .dense = {}, .kernels = kernels, .store = map_rows(400)}, comm,
                              &evictions));
          if (place_of(kernels) == Place::host)
            all.push_back(train(configs, plan,
                                {.sparse = optimizer,
                                 .dense = {},
                                 .kernels = kernels,
                                 .store = tiers::disk_rows({scratch, 0.5, 64, all.size() % 2 == 0})},
                                comm));
          else
            all.push_back(train(
                configs, plan,
                {.sparse = optimizer, .dense = {}, .kernels = kernels, .store = tiers::host_cached_rows({0.5, 64})},
                comm));
          if (!expected) expected = all.front();
          for (const Trained& trained : all) REQUIRE(trained == *expected);
        }
    }
  comm.sum(std::span<Index>(&evictions, 1));
  REQUIRE(evictions > 1000);
}

TEST_CASE("ShardedEmbeddingBagCollection: rows that one rank cannot hold or read are an error of all ranks") {
  const comm::Communicator comm(MPI_COMM_WORLD);
  const std::vector<embedding::EmbeddingBagConfig> configs = tables(BlockBy::rows);
  const auto refuses = [&](const embedding::MakeRowStore& few, const std::string& message) {
    int refused = 0;
    for (const planning::ShardingPlan& plan : law::plans(configs, comm.size())) {
      INFO(planning::describe(configs, plan));
      sharding::CollectionOptions options{.sparse = {}, .dense = {}};
      if (comm.rank() == comm.size() - 1) options.store = few;
      const std::string error = error_of([&] { train(configs, plan, options, comm); });
      REQUIRE(error == comm.broadcast(error, 0));
      refused += mentions(error, message);
    }
    CHECK(refused > 10);  // in some plans the last rank has no rows
  };
  refuses(map_rows(3), "more rows are pinned than there are slots");
  if (place_of(Kernels::automatic) == Place::host)
    refuses(tiers::disk_rows({scratch, 0.001, 1}), "do not fit into its cache of");
}
