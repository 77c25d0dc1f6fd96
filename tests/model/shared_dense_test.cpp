// SPDX-License-Identifier: Apache-2.0
// ShardedModel and Network with a dense half that the ranks of a node share, while one rank is late.
#include <chrono>
#include <thread>
#include <vector>

#include "catch.hpp"
#include <tesserec/core/random.hpp>
#include <tesserec/model/sharded_model.hpp>
#include <tesserec/planning/plan.hpp>

using namespace tesserec;
using namespace tesserec::model;
using network::DenseInput;
using network::Network;

namespace {

Settings small() {
  Settings s;
  s.embedding_dim = 4;
  s.bottom = {40, 4};
  s.top = {30, 1};
  return s;
}

Vector<float> numbers(Index n, Index column) {
  const Random random(8, Purpose::test);
  Vector<float> values = make_vector<float>(Exec(), "tesserec::test::numbers", n);
  for (Index i = 0; i < n; ++i) values(i) = random.normal(i, column);
  return values;
}

std::vector<float> copy(const Vector<float>& v) { return {v.data(), v.data() + v.size()}; }

}  // namespace

TEST_CASE("ShardedModel: move_dense() waits for all ranks of a node that share the dense half") {
  const Exec exec;
  const comm::Communicator world(MPI_COMM_WORLD);
  const std::vector<embedding::EmbeddingBagConfig> tables = {{"t", 10, 4, {"a"}, {}, false, {}}};
  const planning::ShardingPlan plan = {{planning::ShardingType::table_wise, embedding::ComputeKernel::fused,
                                        planning::ExchangeForm::pooled,
                                        planning::cut(tables[0], 1, 1, std::vector<int>{0})}};
  optim::Settings adagrad;
  adagrad.type = optim::Type::adagrad;
  adagrad.initial_accumulator = 0.5;
  sharding::ParallelOptions options;
  options.plan = plan;
  options.seed = 3;
  sharding::EmbeddingBagCollectionSharder sharder;
  sharder.dense = adagrad;
  ShardedModel model(exec, world, small(), 5, embedding::EmbeddingBagCollection(tables), options, sharder);
  REQUIRE(model.sharers() == (model.memory ? world.size() : 1));

  const Index size = model.dense.parameters();
  const Vector<float> alone = make_vector<float>(exec, "tesserec::test::parameters", size);
  model.dense.initialize(exec, 3, alone);
  optim::DenseOptimizer optimizer(exec, adagrad, size);
  for (int late = 0; late < world.size(); ++late) {
    const Vector<float> gradient = numbers(size, late);
    optimizer.step(exec, alone, gradient, 0.1, late + 1, {0, size});
    world.barrier();
    if (world.rank() == late) std::this_thread::sleep_for(std::chrono::milliseconds(100));
    model.move_dense(exec, gradient, 0.1, late + 1);
    CHECK((copy(model.parameters.host()) == copy(alone)));
    world.barrier();
  }
}

TEST_CASE("Network: share_weights() keeps packed weights until the last rank has used them") {
  const Exec exec;
  const comm::Communicator world(MPI_COMM_WORLD);
  const comm::Node node(world, world.size());
  const Index features = 5, lanes = 64, n = 64 * 400;
  const Network alone(small(), features, std::vector<Index>{4});
  Network together(small(), features, std::vector<Index>{4});
  const comm::NodeMemory packed(world, together.packed_size());
  if (packed) together.share_weights({packed.data(), node.share(together.parameters()), [&] { world.barrier(); }});
  const Vector<float> first = numbers(alone.parameters(), 0), second = numbers(alone.parameters(), 2);
  const Vector<float> dense = numbers(n * features, 4), pooled = numbers(n * alone.pooled_width(), 6);
  for (int late = 0; late < world.size(); ++late) {
    const Range mine{0, world.rank() == late ? lanes : 1};
    const DenseInput input{Lanes(static_cast<int>(lanes)), mine, n, dense.data(), pooled.data(), nullptr};
    const auto predict = [&](const Network& model, const Vector<float>& parameters) {
      std::vector<float> probabilities(static_cast<std::size_t>(mine.size() * n / lanes));
      model.predict(exec, parameters, input, probabilities.data());
      return probabilities;
    };
    world.barrier();
    const std::vector<float> by_first = predict(together, first), by_second = predict(together, second);
    CHECK((by_first == predict(alone, first)));
    CHECK((by_second == predict(alone, second)));
  }
}
