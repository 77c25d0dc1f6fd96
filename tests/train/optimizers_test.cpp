// SPDX-License-Identifier: Apache-2.0
// Digests of every optimizer: the same on any number of ranks, under plans that cut rows, columns or both, and over a
// restart between two plans.
#include <cmath>
#include <set>

#include "catch.hpp"
#include "small_job.hpp"

using namespace tesserec;
using planning::ShardingType;

namespace {

train::Job job_of(const optim::TypeInfo& type, std::size_t i) {
  train::Job job = small_job("");
  job.data.synthetic.samples = 450;
  job.data.synthetic.evaluate_samples = 64;
  job.data.synthetic.rows = {301, 7, 50};
  job.model.embedding_dim = job.model.bottom.back() = 12;
  job.train.batch_size = 128;  // four steps
  job.train.epochs = 1;
  job.optimizer.sparse.type = type.type;
  job.optimizer.sparse.weight_decay = 0.01;
  job.optimizer.sparse.decay = i % 2 == 0 ? optim::Decay::l2 : optim::Decay::decoupled;
  job.optimizer.sparse.ar_alpha = 0.5;
  if (i % 2 == 0) job.optimizer.sparse.max_gradient = 1e-3;
  const auto dense = optim::tensor_types();
  job.optimizer.dense.type = dense[i % dense.size()].type;
  job.optimizer.dense.lr = 0.01;
  for (const char* table : {"C1", "C2", "C3"}) job.plan.tables[table].min_partition = 4;
  return job;
}

}  // namespace

TEST_CASE("optimizer: every type has one digest for all ranks and plans and over a restart") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder together(world, "optimizers");
  std::set<std::string> seen;
  for (std::size_t i = 0; i < optim::types().size(); ++i) {
    if (world.size() > 2 && int(i) % 2 == world.size() % 2) continue;  // the others on another number of ranks
    const optim::TypeInfo& type = optim::types()[i];
    train::Job job = job_of(type, i);
    job.plan.default_type = ShardingType::table_wise;
    job.run.output = together.path();
    const Digests expected = digests_alone(world, job);
    REQUIRE(seen.insert(expected.weights).second);  // no two optimizers are alike
    for (const ShardingType sharding : {ShardingType::column_wise, ShardingType::grid, ShardingType::data_parallel}) {
      INFO(type.name << ", " << planning::name(sharding));
      job.plan.default_type = sharding;
      REQUIRE(digests(world, job) == expected);
    }
    INFO(type.name << ", restart");
    job.train.steps = 2;
    job.plan.default_type = ShardingType::column_wise;
    run(world, job);
    job.train.steps = 4;
    job.plan.default_type = ShardingType::row_wise;
    job.checkpoint.resume = "auto";
    REQUIRE(digests(world, job) == expected);
  }
}

TEST_CASE("optimizer: tables whose rules need zero or one or two rounds of sums share a step") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder together(world, "rounds");
  train::Job job = job_of(optim::info(optim::Type::sgd), 0);
  job.tables = {
      {"a", 301, 0, {"C1"}, {}, false, {}}, {"b", 7, 0, {"C2"}, {}, false, {}}, {"c", 50, 0, {"C3"}, {}, false, {}}};
  job.plan.tables.clear();
  const optim::Type own[] = {optim::Type::partial_rowwise_lamb, optim::Type::adagrad, optim::Type::lars_sgd};
  for (std::size_t t = 0; t < 3; ++t) {
    job.tables[t].optimizer = optim::Settings{own[t]};
    job.plan.tables[job.tables[t].name].min_partition = 4;
  }
  job.run.output = together.path();
  const Digests expected = digests_alone(world, job);
  job.plan.default_type = ShardingType::column_wise;
  REQUIRE(digests(world, job) == expected);
}

TEST_CASE("optimizer.dense: lamb moves each tensor by lr times the norm of the tensor") {
  const comm::Communicator world(MPI_COMM_WORLD);
  train::Job job = small_job("");
  job.optimizer.dense.type = optim::Type::lamb;
  job.optimizer.dense.lr = 0.01;
  const auto source = data::make_source(job.data, data::Use::train, train::Session::deal(world, job, true));
  train::Session session(Exec(), world, job, source->info());
  data::Batch batch{Exec()};
  REQUIRE(source->next(batch));
  const Vector<float>& w = session.model.parameters.host();
  const std::vector<float> before(w.data(), w.data() + w.size());
  train::PipelinedBatch now{batch, {}};
  session.step(now, nullptr, 1);
  for (const network::Parameter& p : session.model.dense.layout()) {
    INFO(p.name);
    double moved = 0, length = 0;
    for (Index i = p.offset; i < p.offset + p.rows * p.columns; ++i) {
      moved += (double(w(i)) - before[i]) * (double(w(i)) - before[i]);
      length += double(before[i]) * before[i];
    }
    CHECK(std::sqrt(moved) == Approx(0.01 * std::sqrt(length)).epsilon(1e-4));
  }
}
