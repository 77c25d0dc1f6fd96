// SPDX-License-Identifier: Apache-2.0
// A table whose rows appear while training: ids without a row add nothing to summed gradients.
#include <algorithm>
#include <array>
#include <limits>

#include "batches.hpp"
#include "catch.hpp"
#include <tesserec/core/exact_sum.hpp>
#include <tesserec/core/random.hpp>
#include <tesserec/sharding/sharded_embedding_bag_collection.hpp>
#include <tesserec/tiers/growing_rows.hpp>

using namespace tesserec;

namespace {

embedding::EmbeddingBagConfig growing_table() {
  embedding::EmbeddingBagConfig table;
  table.name = "t";
  table.num_embeddings = 4096;
  table.embedding_dim = 4;
  table.feature_names = {"f"};
  table.block_by = embedding::BlockBy::hash;
  return table;
}

/// Lists ids of this rank's samples, `id(sample)` of each.
template <class Id>
jagged::KeyedJaggedTensor batch_of_ids(const BatchSplit& split, int rank, const Id& id) {
  std::vector<std::vector<std::vector<Index>>> ids(1);
  const Range own = split.samples(rank);
  for (Index s = own.begin; s < own.end; ++s) ids[0].push_back({id(s)});
  return batch_of({"f"}, ids);
}

/// Returns the numbers of a batch's pooled vectors.
std::vector<float> numbers(const sharding::BatchVectors<const float>& vectors) {
  return {vectors.pooled.data(), vectors.pooled.data() + std::ssize(vectors.pooled)};
}

}  // namespace

TEST_CASE("ShardedEmbeddingBagCollection: a growing table decides about a batch when its turn has come") {
  const comm::Communicator comm(MPI_COMM_WORLD);
  const Exec exec;
  planning::ShardingPlan plan(1);
  plan[0].shards = {{0, {0, embedding::block_count}, {0, 4}}};
  const Lanes lanes(8);
  for (const Kernels kernels : {Kernels::simd, Kernels::portable}) {
    if (place_of(kernels) == Place::device) continue;
    sharding::ShardedEmbeddingBagCollection collection(
        exec, comm, {growing_table()}, plan, {"f"}, lanes,
        {.sparse = {}, .dense = {}, .kernels = kernels, .store = tiers::growing_rows({.kept_batches = 1})});
    collection.initialize(exec, 1);
    const BatchSplit split(lanes, comm.size(), 16);
    const auto batch = [&](Index first) {
      return batch_of_ids(split, comm.rank(), [&](Index sample) { return first - sample; });
    };
    const jagged::KeyedJaggedTensor first_ids = batch(-5), second_ids = batch(-100);
    auto first = collection.start(exec, first_ids, split);
    const auto is_zero = [](float number) { return number == 0; };
    CHECK(!std::ranges::all_of(numbers(collection.forward(exec, first)), is_zero));
    auto second = collection.start(exec, second_ids, split);
    collection.progress(exec, second);
    collection.prefetch(exec, second);
    const auto evaluate = [&] {
      auto looked_up = collection.start(exec, second_ids, split, false);
      return numbers(collection.forward(exec, looked_up));
    };
    CHECK(std::ranges::all_of(evaluate(), is_zero));
    std::fill_n(collection.gradient(exec, first).pooled.data(), 4 * split.samples(comm.rank()).size(), 0.0f);
    collection.backward(exec, std::move(first), {}, 1);
    CHECK(std::ranges::all_of(evaluate(), is_zero));
    CHECK(!std::ranges::all_of(numbers(collection.forward(exec, second)), is_zero));
    second.finish();
    CHECK(!std::ranges::all_of(evaluate(), is_zero));
  }
}

TEST_CASE("ShardedEmbeddingBagCollection: ids of any bits have the same rows by each exchange form") {
  const comm::Communicator comm(MPI_COMM_WORLD);
  const Exec exec;
  const Lanes lanes(8);
  const BatchSplit split(lanes, comm.size(), 64);
  Index alike = std::numeric_limits<Index>::min();
  while (embedding::BlockOf::by_hash()(alike) != embedding::BlockOf::by_hash()(0)) alike += Index{1} << 40;
  const auto id_of = [alike](Index step, Index sample) {
    // Ids of one block with the same low bits take turns inside a lane of eight samples, so that one order of additions
    // is right.
    if (sample < 32) return sample % 8 == 0 || sample % 8 == 2 || sample % 8 == 3 || sample % 8 == 5 ? alike : 0;
    constexpr Index special[] = {std::numeric_limits<Index>::min(), std::numeric_limits<Index>::max(), -1};
    if (sample % 5 == 0) return special[sample % 3];
    const std::array<std::uint32_t, 4> bits = Random(7, Purpose::test, 0).quad((step + sample) % 40, 0);
    return Index(std::uint64_t{bits[0]} << 32 | bits[1]);
  };
  std::vector<float> expected;
  for (const planning::ExchangeForm form : {planning::ExchangeForm::pooled, planning::ExchangeForm::rows}) {
    planning::ShardingPlan plan(1);
    plan[0].form = form;
    plan[0].type = comm.size() > 1 ? planning::ShardingType::row_wise : planning::ShardingType::table_wise;
    const embedding::EmbeddingBagConfig table = growing_table();
    for (int rank = 0; rank < comm.size(); ++rank)
      plan[0].shards.push_back({rank, table.blocks().of_owner(rank, comm.size()), {0, 4}});
    optim::Settings sgd;
    sgd.lr = 1;
    sharding::ShardedEmbeddingBagCollection collection(
        exec, comm, {table}, plan, {"f"}, lanes,
        {.sparse = sgd, .dense = {}, .kernels = Kernels::simd, .store = tiers::growing_rows({.kept_batches = 1})});
    collection.initialize(exec, 1);
    std::vector<float> last;
    for (Index step = 1; step <= 3; ++step) {
      const auto ids = batch_of_ids(split, comm.rank(), [&](Index sample) { return id_of(step, sample); });
      auto batch = collection.start(exec, ids, split);
      last = numbers(collection.forward(exec, batch));
      const auto gradient = collection.gradient(exec, batch).pooled;
      for (Index i = 0; i < std::ssize(gradient); ++i) gradient.data()[i] = 73.1f / float(i * 37 % 11 + 1);
      collection.backward(exec, std::move(batch), {}, step);
    }
    if (expected.empty()) expected = last;
    const bool same = last == expected;
    CHECK(same);
  }
}

TEST_CASE("ShardedEmbeddingBagCollection: gradients of ids without a row are in no sum") {
  const comm::Communicator comm(MPI_COMM_WORLD);
  const Exec exec;
  const std::vector<embedding::EmbeddingBagConfig> tables = {growing_table()};
  planning::ShardingPlan plan(1);
  plan[0].shards = {{0, {0, embedding::block_count}, {0, 4}}};
  const Lanes lanes(8);
  for (const Kernels kernels : {Kernels::simd, Kernels::portable}) {
    if (place_of(kernels) == Place::device) continue;  // its rows lie in host memory
    sharding::ShardedEmbeddingBagCollection collection(
        exec, comm, tables, plan, {"f"}, lanes,
        {.sparse = {}, .dense = {}, .kernels = kernels, .store = tiers::growing_rows({.admit_after = 2})});
    collection.initialize(exec, 1);
    const Index samples = 16;
    const BatchSplit split(lanes, comm.size(), samples);
    const auto squares = [&](Index first_id) {
      std::vector<std::vector<std::vector<Index>>> ids(1);
      const Range own = split.samples(comm.rank());
      for (Index s = own.begin; s < own.end; ++s) ids[0].push_back({first_id + s});
      auto batch = collection.start(exec, batch_of({"f"}, ids), split);
      collection.forward(exec, batch);
      const auto gradient = collection.gradient(exec, batch).pooled;
      std::fill_n(gradient.data(), std::ssize(gradient), 1.0f);
      sharding::GradientSums sums;
      collection.backward(exec, std::move(batch), sums);
      ExactSum sum = sums.squares(exec);
      comm.sum(sum.words());
      return sum.value();
    };
    CHECK(squares(100) == 0);                                        // no id has a row yet
    CHECK(squares(100 + samples / 2) == 4.0 * double(samples) / 2);  // half of the ids come a second time
    CHECK(squares(100) == 4.0 * double(samples));
  }
}
