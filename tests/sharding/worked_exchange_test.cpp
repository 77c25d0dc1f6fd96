// SPDX-License-Identifier: Apache-2.0
// The third worked example of docs/design/exchange.md: the messages of two ranks, their contents, and the updated
// rows.
#include <algorithm>
#include <initializer_list>
#include <memory>
#include <vector>

#include "batches.hpp"
#include "catch.hpp"
#include "src/sharding/exchange.hpp"
#include "src/sharding/requests.hpp"
#include <tesserec/sharding/sharded_embedding_bag_collection.hpp>

using namespace tesserec;
using planning::ExchangeForm;
using planning::ShardingType;
using Floats = std::vector<float>;
using Ids = std::vector<Index>;

namespace {

constexpr float two_24 = 16777216.0f;  // M: floats above it are even
constexpr Index exchanged_samples = 4;

/// Describes table A of two columns and table B of one. Both move by SGD with rate 1/2.
std::vector<embedding::EmbeddingBagConfig> exchanged_tables() {
  optim::Settings sgd;
  sgd.lr = 0.5;
  return {{"A", 4, 2, {"a"}, {}, false, sgd}, {"B", 4096, 1, {"b"}, {}, false, sgd}};
}

/// Gives table A to the last rank, and half of B's rows to the first and to the last rank.
planning::ShardingPlan worked_plan(int ranks) {
  const auto tables = exchanged_tables();
  const std::vector<int> last = {ranks - 1}, first_and_last = {0, ranks - 1};
  return {{ShardingType::table_wise, embedding::ComputeKernel::fused, ExchangeForm::pooled,
           planning::cut(tables[0], 1, 1, last)},
          {ShardingType::row_wise, embedding::ComputeKernel::fused, ExchangeForm::pooled,
           planning::cut(tables[1], 2, 1, first_and_last)}};
}

jagged::KeyedJaggedTensor exchanged_batch(Range samples) {
  const std::vector<Ids> a = {{0, 1}, {}, {1}, {3}}, b = {{0, 2048, 2052}, {2048}, {0, 2048}, {2048}};
  const auto of_rank = [&](const std::vector<Ids>& all) {
    return std::vector<Ids>(all.begin() + samples.begin, all.begin() + samples.end);
  };
  return batch_of({"a", "b"}, {of_rank(a), of_rank(b)});
}

/// Writes the example's values into a shard.
void write_rows(const embedding::EmbeddingTable& shard) {
  float* const data = shard.weights().data();
  const Range rows = shard.rows();
  if (shard.config().name == "A") {
    const float values[] = {1, 2, 10, 20, 0, 0, 100, 200};
    std::copy_n(values + 2 * rows.begin, 2 * rows.size(), data);
    return;
  }
  for (Index row = rows.begin; row < rows.end; ++row) data[row - rows.begin] = row == 0 ? two_24 : 1.0f;
}

/// Pooled vectors and their gradients: for each sample the two columns of A, then the column of B.
constexpr float expected_pooled[4][3] = {{11, 22, 16777218.0f}, {0, 0, 1}, {10, 20, two_24}, {100, 200, 1}};
constexpr float given_gradients[4][3] = {{1, 2, two_24}, {9, 9, 1}, {3, 4, 1}, {5, 6, 1}};

Floats numbers_at(const float* numbers, Index count) { return {numbers, numbers + count}; }

/// Returns the numbers of a message for one rank.
template <class T>
std::vector<T> part_to(const sharding::Message<T>& message, int rank) {
  Index begin = 0;
  for (int r = 0; r < rank; ++r) begin += message.to[r];
  return {message.out.begin() + begin, message.out.begin() + begin + message.to[rank]};
}

}  // namespace

TEST_CASE("Requests: worked example of an exchange has these counts and words") {
  const Exec exec;
  const BatchSplit split(Lanes(2), 2, exchanged_samples);
  for (const int rank : {0, 1}) {
    const int other = 1 - rank;
    const sharding::Routes routes(rank, 2, exchanged_tables(), worked_plan(2), {"a", "b"});
    sharding::Requests requests(routes);
    const sharding::Rounding fp32(NumberType::fp32, 1.0f);
    sharding::Messages messages(std::make_shared<sharding::BatchBuffers>(Place::host), fp32, fp32);
    messages.clear(2);
    CHECK(split.samples(rank) == Range{2 * rank, 2 * rank + 2});
    requests.collect(exec, exchanged_batch(split.samples(rank)), split, messages);
    const auto counts = part_to(messages.counts, other);
    const Ids words = part_to(messages.ids, other);
    if (rank == 0) {
      CHECK(counts == std::vector<std::int32_t>{0, 1, 2, 2, 3});
      CHECK(words == Ids{2, 0, 1, 0x100000002, 2048, 2052, 2048});
      CHECK(messages.rows.from[other] == 4);
      CHECK(messages.gradients.to[other] == 4);
    } else {
      CHECK(counts == std::vector<std::int32_t>{0, 1, 1});
      CHECK(words == Ids{1, 0});
      CHECK(messages.rows.from[other] == 1);
      CHECK(messages.gradients.to[other] == 1);
    }
  }
}

TEST_CASE("Exchange: worked example of an exchange has these ids and sums and gradients and bytes") {
  const Exec exec;
  const comm::Communicator comm(MPI_COMM_WORLD);
  if (comm.size() != 2) return;
  const bool first = comm.rank() == 0;
  const auto tables = exchanged_tables();
  const sharding::Routes routes(comm.rank(), 2, tables, worked_plan(2), {"a", "b"});
  std::vector<std::unique_ptr<embedding::EmbeddingTable>> shards;
  std::vector<embedding::RowKernels::Shard> of_kernels;
  for (const auto& own : routes.own()) {
    const embedding::TableShard shard{
        .config = tables[own.table], .blocks = own.shard.blocks, .columns = own.shard.columns};
    write_rows(*shards.emplace_back(std::make_unique<embedding::EmbeddingTable>(exec, shard)));
    of_kernels.push_back({shards.back().get()});
  }
  REQUIRE(shards.size() == (first ? 1 : 2));
  Phases phases;
  const auto kernels = embedding::make_row_kernels(Kernels::simd, of_kernels, phases);

  const auto buffers = std::make_shared<sharding::BatchBuffers>(Place::host);
  const BatchSplit split(Lanes(2), 2, exchanged_samples);
  const Range own_samples = split.samples(comm.rank());
  const auto batch = exchanged_batch(own_samples);
  sharding::Exchange exchange(comm, nullptr, routes, {}, buffers);
  exchange.start(exec, batch, split, true);
  exchange.advance();
  CHECK(exchange.bytes().all == (first ? 20 + 56 : 12 + 16));
  exchange.receive(exec);
  for (std::size_t i = 0; i < shards.size(); ++i) exchange.lookups()[i].pin(exec, shards[i]->store(), true);

  const int other = first ? 1 : 0;
  const auto ids_of = [&](std::size_t shard, int sender) {
    const embedding::Bags& bags = exchange.lookups()[shard].bags[sender][0];
    return Ids(bags.ids, bags.ids + bags.total());
  };
  if (first) {
    CHECK(ids_of(0, other) == Ids{0});
    CHECK(ids_of(0, 0) == Ids{0});
  } else {
    CHECK(ids_of(0, other) == Ids{0, 1});
    CHECK(ids_of(1, other) == Ids{2048, 2052, 2048});
    CHECK(ids_of(0, 1) == Ids{1, 3});
    CHECK(ids_of(1, 1) == Ids{2048, 2048});
  }

  kernels->read(exec, exchange.rows());
  kernels->lookup(exec, exchange.rows(), exchange.sums(exec));
  const auto sums_of = [&](std::size_t shard, int sender, Index count) {
    return numbers_at(buffers->sums.data() + exchange.lookups()[shard].sums_at[sender][0], count);
  };
  if (first) {
    CHECK(sums_of(0, other, 1) == Floats{two_24});
    CHECK(sums_of(0, 0, 1) == Floats{two_24});
  } else {
    CHECK(sums_of(0, other, 2) == Floats{11, 22});
    CHECK(sums_of(1, other, 2) == Floats{2, 1});
    CHECK(sums_of(1, 1, 2) == Floats{1, 1});
  }
  const Floats pooled = numbers_at(exchange.return_sums(exec), 6);
  CHECK(exchange.bytes().all == (first ? 20 + 56 + 4 : 12 + 16 + 16));
  CHECK(pooled == numbers_at(expected_pooled[own_samples.begin], 6));

  std::copy_n(given_gradients[own_samples.begin], 6, exchange.gradient(exec));
  const float* const received = exchange.send_gradients(exec);
  CHECK(exchange.bytes().all == (first ? 20 + 56 + 4 + 16 : 12 + 16 + 16 + 4));
  const auto gradients_of = [&](std::size_t shard, Index count) {
    return numbers_at(received + exchange.lookups()[shard].bags[other][0].gradients_at, count);
  };
  if (first) {
    CHECK(gradients_of(0, 1) == Floats{1});
  } else {
    CHECK(gradients_of(0, 2) == Floats{1, 2});
    CHECK(gradients_of(1, 2) == Floats{two_24, 1});
  }
  exchange.finish(true);
}

TEST_CASE("ShardedEmbeddingBagCollection: worked example of an exchange on one rank and two") {
  const Exec exec;
  const comm::Communicator comm(MPI_COMM_WORLD);
  if (comm.size() > 2) return;
  const Lanes lanes(2);
  sharding::ShardedEmbeddingBagCollection tables(exec, comm, exchanged_tables(), worked_plan(comm.size()), {"a", "b"},
                                                 lanes, {{}, {}, Kernels::simd});
  for (const auto& shard : tables.shards()) write_rows(*shard.rows);
  const Range own_samples = lanes.samples_of_rank(comm.rank(), comm.size(), exchanged_samples);
  const auto ids = exchanged_batch(own_samples);
  auto batch = tables.start(exec, ids, exchanged_samples);
  const auto pooled = tables.forward(exec, batch).pooled;
  CHECK(numbers_at(pooled.data(), 3 * own_samples.size()) ==
        numbers_at(expected_pooled[own_samples.begin], 3 * own_samples.size()));
  std::copy_n(given_gradients[own_samples.begin], 3 * own_samples.size(), tables.gradient(exec, batch).pooled.data());
  tables.backward(exec, std::move(batch), {}, 1);
  if (comm.size() == 2) CHECK(tables.bytes().all == (comm.rank() == 0 ? 96 : 48));

  for (const auto& shard : tables.shards()) {
    const Range rows = shard.rows->rows();
    const float* const data = shard.rows->weights().data();
    if (shard.table == 0) {
      CHECK(numbers_at(data, 8) == Floats{0.5f, 1, 8, 17, 0, 0, 97.5f, 197});
      continue;
    }
    if (rows.contains(0)) CHECK(data[0] == 8388608.0f);
    if (rows.contains(2048)) CHECK(data[2048 - rows.begin] == -8388608.0f);
    if (rows.contains(2052)) CHECK(data[2052 - rows.begin] == -8388607.0f);
  }
}

TEST_CASE("float: worked example of an exchange has other sums in other orders of addition") {
  const auto in_a_row = [](std::initializer_list<float> numbers) {
    float sum = 0.0f;
    for (const float number : numbers) sum += number;
    return sum;
  };
  CHECK(in_a_row({two_24, 1, 1}) == two_24);     // sample 0's bag of b, in bag order
  CHECK(in_a_row({two_24, 1, 1, 1}) == two_24);  // the gradients of row 2048, in sample order
  CHECK(1 - 0.5f * in_a_row({two_24, 1, 1, 1}) == -8388607.0f);
}
