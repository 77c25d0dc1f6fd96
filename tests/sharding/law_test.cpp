// SPDX-License-Identifier: Apache-2.0
// The reduction law against the serial oracle, bit by bit: for this number of ranks, every plan, pooling, bag length
// and optimizer.
#include "catch.hpp"
#include "law_plans.hpp"
#include "left_out.hpp"
#include "oracle.hpp"
#include <tesserec/comm/communicator.hpp>
#include <tesserec/core/random.hpp>
#include <tesserec/planning/planner.hpp>
#include <tesserec/sharding/sharded_embedding_bag_collection.hpp>

using namespace tesserec;
using embedding::EmbeddingBagConfig;
using embedding::PoolingType;
using planning::ShardingType;

namespace {

constexpr Index samples = 61;  // not a multiple of the lanes
constexpr int steps = 2;
const optim::ScheduleSettings schedule = {3, 0, 0};  // both steps are in its warm-up
const std::vector<std::string> features = {"a", "b", "c", "d"};

struct Case {
  PoolingType pooling;
  bool weighted;
  Index max_ids;  // 1 = exactly one id; otherwise 0 to max_ids
  optim::Type optimizer;
  bool unpooled = false;  // c, the second feature of a table, and d
  bool rare = false;      // only one sample in eight has ids, so that owners get a list of these samples
};

/// Returns the configurations: two features share the first table; one dimension is odd; one table has more rows than
/// row blocks, one has fewer.
std::vector<EmbeddingBagConfig> tables(const Case& c) {
  std::vector<EmbeddingBagConfig> all = {{"shared", 3001, 5, {"a", "c"}, c.pooling, c.weighted, {}},
                                         {"small", 7, 16, {"b"}, c.pooling, c.weighted, {}},
                                         {"long", 2048, 12, {"d"}, c.pooling, c.weighted, {}}};
  if (c.unpooled) all[0].unpooled = {"c"}, all[2].unpooled = {"d"};
  return all;
}

oracle::Bag bag(const Case& c, Index rows, Index step, Index feature, Index sample) {
  const Random random(9, Purpose::test, static_cast<std::uint64_t>(step * 10 + feature));
  oracle::Bag result;
  if (c.rare && (sample + feature / 2) % 8 != 0) return result;
  const Index length =
      c.max_ids == 1 ? 1 : static_cast<Index>(random.below(static_cast<std::uint64_t>(c.max_ids) + 1, sample, 0));
  for (Index i = 0; i < length; ++i) {
    const double u = random.uniform53(sample, 2 + 2 * i);
    result.ids.push_back(static_cast<long>(u * u * u * static_cast<double>(rows)));  // many repeats
    if (c.weighted) result.weights.push_back(random.normal(sample, 3 + 2 * i));
  }
  return result;
}

oracle::Row upstream(Index step, Index feature, Index sample, Index dim) {
  const Random random(11, Purpose::test, static_cast<std::uint64_t>(step * 10 + feature));
  oracle::Row row(static_cast<std::size_t>(dim));
  for (Index i = 0; i < dim; ++i) row[i] = random.normal(sample, i);
  return row;
}

jagged::KeyedJaggedTensor batch(const Case& c, Index step, Range range) {
  const Exec exec;
  const Index rows[] = {3001, 7, 3001, 2048};
  std::vector<Index> ids, offsets{0};
  std::vector<float> weights;
  for (Index f = 0; f < 4; ++f)
    for (Index s = range.begin; s < range.end; ++s) {
      const oracle::Bag b = bag(c, rows[f], step, f, s);
      ids.insert(ids.end(), b.ids.begin(), b.ids.end());
      weights.insert(weights.end(), b.weights.begin(), b.weights.end());
      offsets.push_back(static_cast<Index>(ids.size()));
    }
  jagged::KeyedJaggedTensor kjt{
      features,
      range.size(),
      make_vector<Index>(exec, "tesserec::test::ids", static_cast<Index>(ids.size())),
      {},
      make_vector<Index>(exec, "tesserec::test::offsets", static_cast<Index>(offsets.size()))};
  std::copy(ids.begin(), ids.end(), kjt.values.data());
  std::copy(offsets.begin(), offsets.end(), kjt.offsets.data());
  if (c.weighted) {
    kjt.weights = make_vector<float>(exec, "tesserec::test::weights", static_cast<Index>(weights.size()) + 1);
    std::copy(weights.begin(), weights.end(), kjt.weights.data());
  }
  return kjt;
}

struct Trained {
  std::vector<std::vector<oracle::Row>> pooled;                 // [step][sample], features in pooled order
  std::vector<std::vector<std::vector<oracle::Row>>> unpooled;  // [step][sequence][sample], one id after the other
  std::vector<std::vector<oracle::Row>> weights;                // [table][row]
};

Trained serial(const Case& c, int lanes, std::vector<std::vector<oracle::Row>> weights) {
  Trained result{{}, {}, weights};
  const auto configs = tables(c);
  const std::vector<std::vector<Index>> keys = {{0, 2}, {1}, {3}};
  const auto type = c.optimizer == optim::Type::sgd       ? oracle::Optimizer::sgd
                    : c.optimizer == optim::Type::adagrad ? oracle::Optimizer::adagrad
                                                          : oracle::Optimizer::rowwise_adagrad;
  std::vector<std::vector<oracle::Row>> state(configs.size());
  for (std::size_t t = 0; t < configs.size(); ++t)
    state[t].assign(result.weights[t].size(), oracle::Row(static_cast<std::size_t>(configs[t].embedding_dim), 0.125f));
  for (Index step = 0; step < steps; ++step) {
    result.pooled.emplace_back(samples);
    result.unpooled.emplace_back();
    std::vector<std::vector<oracle::Sum>> gradients;
    for (std::size_t t = 0; t < configs.size(); ++t) {
      const bool mean = c.pooling == PoolingType::mean;
      std::vector<std::vector<oracle::Bag>> bags;
      std::vector<std::vector<oracle::Row>> up;
      std::vector<bool> apart;
      for (const Index key : keys[t]) {
        apart.push_back(!configs[t].pools(bags.size()));
        bags.emplace_back(), up.emplace_back();
        if (apart.back()) result.unpooled.back().emplace_back(samples);
        for (Index s = 0; s < samples; ++s) {
          bags.back().push_back(bag(c, configs[t].num_embeddings, step, key, s));
          const auto& ids = bags.back().back().ids;
          const Index vectors = apart.back() ? std::ssize(ids) : 1;
          up.back().push_back(upstream(step, key, s, configs[t].embedding_dim * vectors));
          for (Index i = 0; apart.back() && i < vectors; ++i) {
            const oracle::Row& row = result.weights[t][ids[i]];
            auto& out = result.unpooled.back().back()[s];
            out.insert(out.end(), row.begin(), row.end());
          }
          if (apart.back()) continue;
          const oracle::Row pooled = oracle::pool(result.weights[t], bags.back().back(), mean);
          auto& out = result.pooled.back()[s];
          out.insert(out.end(), pooled.begin(), pooled.end());
        }
      }
      gradients.push_back(
          oracle::row_gradients(result.weights[t].size(), bags, up, mean, static_cast<std::size_t>(lanes), apart));
    }
    const auto lr = static_cast<float>(optim::scheduled_rate(schedule, 0.05, step + 1));
    for (std::size_t t = 0; t < configs.size(); ++t)
      for (std::size_t r = 0; r < gradients[t].size(); ++r)
        if (gradients[t][r]) oracle::move(type, lr, 1e-8f, *gradients[t][r], result.weights[t][r], state[t][r]);
  }
  return result;
}

void run(const Case& c) {
  const Exec exec;
  const comm::Communicator comm(MPI_COMM_WORLD);
  constexpr int lane_count = 8;
  const Lanes lanes(lane_count);
  const Range own_samples = lanes.samples_of_rank(comm.rank(), comm.size(), samples);
  optim::Settings sparse;
  sparse.type = c.optimizer;
  sparse.lr = 0.05;
  sparse.initial_accumulator = 0.125;
  const auto configs = tables(c);

  std::vector<std::vector<oracle::Row>> start(configs.size());
  for (std::size_t t = 0; t < configs.size(); ++t) {  // from a table that has all rows
    embedding::EmbeddingTable whole(
        exec, {.config = configs[t], .columns = {0, configs[t].embedding_dim}, .optimizer = sparse});
    whole.initialize(exec, 4, static_cast<Index>(t));
    for (Index r = 0; r < configs[t].num_embeddings; ++r)
      start[t].emplace_back(whole.weights().data() + r * whole.dim(), whole.weights().data() + (r + 1) * whole.dim());
  }
  const Trained expected = serial(c, lane_count, start);

  struct Way {
    planning::ShardingPlan plan;
    Kernels kernels;
    sharding::Levels levels;
  };
  std::vector<Way> ways;
  for (const Kernels kernels : {Kernels::simd, Kernels::portable}) {
    if (!device_is_host && kernels == Kernels::simd) continue;  // only the host build compares SIMD kernels
    for (const planning::ShardingPlan& plan : law::plans(configs, comm.size())) ways.push_back({plan, kernels, {}});
    for (const planning::ShardingPlan& plan : law::group_plans(configs, comm.size()))
      ways.push_back({plan, kernels, {2, 2}});
    if (comm.size() != 4) continue;
    for (const planning::ShardingPlan& plan : law::node_plans(configs, 4, 2)) ways.push_back({plan, kernels, {2, 2}});
  }
  for (const auto& [plan, kernels, levels] : ways) {
    planning::check_plan(configs, plan, comm.size());
    sharding::ShardedEmbeddingBagCollection collection(exec, comm, configs, plan, features, lanes,
                                                       {sparse, {}, kernels, levels});
    collection.initialize(exec, 4);
    Index wrong = 0;
    const auto of = [&](const auto& view) {  // the device's, or the host's
      std::vector<float> numbers(view.size());
      copy(exec, collection.place(), view.data(), Place::host, numbers.data(), std::ssize(numbers));
      return numbers;
    };
    for (Index step = 0; step < steps; ++step) {
      const Index width = collection.pooled_width();
      std::vector<float> gradient;
      auto ids = collection.start(exec, batch(c, step, own_samples), samples);
      const auto forward = collection.forward(exec, ids);
      const std::vector<float> sums = of(forward.pooled);
      const float* pooled = sums.data();
      for (Index s = own_samples.begin; s < own_samples.end; ++s)
        wrong += !std::equal(expected.pooled[step][s].begin(), expected.pooled[step][s].end(),
                             pooled + (s - own_samples.begin) * width);
      const std::vector<jagged::JaggedVectors>& apart = forward.unpooled;
      std::vector<std::vector<float>> vectors;
      for (const jagged::JaggedVectors& sequence : apart) vectors.push_back(of(sequence.values));
      for (std::size_t q = 0; q < apart.size(); ++q)
        for (Index s = own_samples.begin; s < own_samples.end; ++s) {
          const oracle::Row& row = expected.unpooled[step][q][s];
          const std::size_t first = apart[q].offsets(s - own_samples.begin) * apart[q].values.extent(1);
          wrong += !std::equal(row.begin(), row.end(), vectors[q].data() + first);
          wrong += apart[q].length(s - own_samples.begin) * Index(apart[q].values.extent(1)) != std::ssize(row);
        }
      const std::vector<Index> keys = c.unpooled ? std::vector<Index>{0, 1} : std::vector<Index>{0, 2, 1, 3};
      const Index dims[] = {5, 16, 5, 12};  // [key]
      for (Index s = own_samples.begin; s < own_samples.end; ++s)
        for (const Index key : keys) {
          const oracle::Row up = upstream(step, key, s, dims[key]);
          gradient.insert(gradient.end(), up.begin(), up.end());
        }
      const auto send = [&](const std::vector<float>& from, float* to) {
        copy(exec, Place::host, from.data(), collection.place(), to, std::ssize(from));
      };
      const auto gradients = collection.gradient(exec, ids);
      send(gradient, gradients.pooled.data());
      const std::vector<jagged::JaggedVectors>& slopes = gradients.unpooled;
      for (std::size_t q = 0; q < slopes.size(); ++q) {
        std::vector<float> all;
        for (Index s = own_samples.begin; s < own_samples.end; ++s) {
          const Index key = 2 + Index(q), numbers = slopes[q].length(s - own_samples.begin) * dims[key];
          const oracle::Row up = upstream(step, key, s, numbers);
          all.insert(all.end(), up.begin(), up.end());
        }
        send(all, slopes[q].values.data());
      }
      collection.backward(exec, std::move(ids), schedule, step + 1);
    }
    for (const auto& [table, replicated, shard] : collection.shards()) {
      const std::vector<float> all = shard->weights().to_host(exec);
      for (Index r = 0; r < shard->rows().size(); ++r) {
        const float* weights = all.data() + r * shard->dim();
        wrong += !std::equal(weights, weights + shard->dim(),
                             expected.weights[table][shard->rows().begin + r].begin() + shard->columns().begin);
      }
    }
    INFO("ranks " << comm.size() << ", " << levels.ranks_per_node << " a node"
                  << (kernels == Kernels::portable ? ", portable kernels, " : ", ")
                  << planning::describe(configs, plan));
    REQUIRE(wrong == 0);
  }
}

}  // namespace

TEST_CASE("ShardedEmbeddingBagCollection: every plan has the oracle's bits of pooled vectors and rows") {
  Index turn = 0;
  const int ranks = comm::Communicator(MPI_COMM_WORLD).size();
  for (const PoolingType pooling : {PoolingType::sum, PoolingType::mean})
    for (const bool weighted : {false, true})
      for (const Index max_ids : {1, 6, 90})
        for (const optim::Type type : {optim::Type::sgd, optim::Type::adagrad, optim::Type::rowwise_adagrad})
          if ((++turn + ranks / 2) % 2 == 0 && !left_out(turn / 2, 9))  // 1 and 4 ranks, or 2 and 3
            run({pooling, weighted, max_ids, type});
}

TEST_CASE("ShardedEmbeddingBagCollection: un-pooled vectors and gradients have the oracle's bits") {
  Index turn = 0;
  for (const PoolingType pooling : {PoolingType::sum, PoolingType::mean})
    for (const Index max_ids : {1, 6, 90})
      for (const optim::Type type : {optim::Type::sgd, optim::Type::rowwise_adagrad})
        if (!left_out(turn++, 12)) run({pooling, false, max_ids, type, true});
}

TEST_CASE("ShardedEmbeddingBagCollection: features of few samples have the oracle's bits") {
  Index turn = 0;
  for (const bool unpooled : {false, true})
    for (const bool weighted : {false, true})
      for (const Index max_ids : {2, 30})
        if (!left_out(turn++, 4)) run({PoolingType::mean, weighted, max_ids, optim::Type::adagrad, unpooled, true});
}
