// SPDX-License-Identifier: Apache-2.0
// Options that differ between ranks: each constructor throws one error on all ranks, which names the option and the
// rank.
#include <functional>

#include "catch.hpp"
#include "errors.hpp"
#include "small_job.hpp"
#include <tesserec/train/model_state.hpp>
#include <tesserec/train/table_state.hpp>

using namespace tesserec;

TEST_CASE("Session: throws on all ranks if one rank has another option") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const int last = world.size() - 1;
  const train::Job same = small_job("");
  const auto source = data::make_source(same.data, data::Use::train, train::Session::deal(world, same, true));
  const std::pair<std::string, std::function<void(train::Job&)>> changes[] = {
      {"seed is 5, rank 0 has 1", [](train::Job& job) { job.run.seed = 5; }},
      {"lanes is 16, rank 0 has 8", [](train::Job& job) { job.train.lanes = 16; }},
      {"micro_batches is 2, rank 0 has 1", [](train::Job& job) { job.train.accumulate = 2; }},
      {"sharder.fused.lr is 0.1, rank 0 has 0.05", [](train::Job& job) { job.optimizer.sparse.lr = 0.1; }},
      {"sharder.dense.type is \"adam\", rank 0", [](train::Job& job) { job.optimizer.dense.type = optim::Type::adam; }},
      {"schedule.warmup_steps is 3, rank 0 has 0", [](train::Job& job) { job.schedule.warmup_steps = 3; }},
      {"table C2 (1): pooling is \"mean\", rank 0 has \"sum\"",
       [](train::Job& job) { job.tables[1].pooling = embedding::PoolingType::mean; }},
      {"table C2 (1): has an optimizer is true", [](train::Job& job) { job.tables[1].optimizer = optim::Settings(); }},
      {"planner.tables.C3.sharding is \"row_wise\"",
       [](train::Job& job) { job.plan.tables["C3"].sharding = planning::ShardingType::row_wise; }},
      {"model.loss is \"mse\", rank 0 has \"bce\"", [](train::Job& job) { job.model.loss = "mse"; }},
      {"max_norm is 2.0, rank 0 has 0.0", [](train::Job& job) { job.optimizer.max_norm = 2; }},
  };
  for (const auto& [message, change] : changes) {
    train::Job job = same;
    job.tables.resize(3);
    for (std::size_t t = 0; t < 3; ++t) job.tables[t].name = source->info().features[t];
    if (world.rank() == last) change(job);
    INFO(message);
    const std::string error = error_of([&] { train::Session(Exec(), world, job, source->info()); });
    if (world.size() == 1) continue;
    INFO(error);
    CHECK(mentions(error, concat("rank ", last, ": ", message)));
  }
}

TEST_CASE("DistributedModelParallel: throws on all ranks if one rank has another plan or folder") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const bool is_last = world.rank() == world.size() - 1;
  const embedding::EmbeddingBagCollection module({{"t", 2048, 16, {"a"}, {}, false, {}}});
  sharding::ParallelOptions options;
  sharding::DistributedModelParallel model(Exec(), module, world, options);
  if (is_last) options.plan = model.plan();
  const train::Job job = small_job("");
  const auto source = data::make_source(job.data, data::Use::train, train::Session::deal(world, job, true));
  const auto require_refused = [&](const auto& body, const std::string& message) {
    const std::string error = error_of(body);
    CHECK((world.size() == 1 || mentions(error, message)));
  };
  require_refused([&] { sharding::DistributedModelParallel(Exec(), module, world, options); },
                  "plan is \"given\", rank 0 has \"left out\"");
  require_refused([&] { train::TrainPipelineSparseDist(Exec(), {}, model.tables(), *source, is_last); },
                  "ahead is true, rank 0 has false");
  const Folder folder(world, "same_options");
  require_refused([&] { train::save(Exec(), model, folder.path() + (is_last ? "/b" : "/a"), 1); }, "path is ");
  require_refused([&] { train::load(Exec(), model, folder.path() + (is_last ? "/b" : "/a")); }, "path is ");
}

TEST_CASE("deal_of: equals Session::deal and a batch of another size throws on all ranks") {
  const comm::Communicator world(MPI_COMM_WORLD);
  train::Job job = small_job("");
  job.train.accumulate = 2;
  const auto source = data::make_source(job.data, data::Use::train, train::Session::deal(world, job, true));
  train::Session session(Exec(), world, job, source->info());
  const data::Deal deal = train::deal_of(session.model, 512, true), own = train::Session::deal(world, job, true);
  CHECK((deal.rank == own.rank && deal.ranks == own.ranks && deal.batch_size == own.batch_size && deal.shuffle));
  CHECK((deal.lanes.count() == 8 && deal.lanes.micro_batches() == 2 && deal.seed == own.seed));
  train::PipelinedBatch now{data::Batch(Exec()), {}};
  REQUIRE(source->next(now.batch));
  if (world.rank() == world.size() - 1) --now.batch.sparse.stride;
  CHECK(mentions(error_of([&] { session.step(now, nullptr, 1); }), concat("rank ", world.size() - 1, " has ")));
}

TEST_CASE("Session: accepts a source without ids_per_bag and throws if its lists have other lengths") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const train::Job job = small_job("");
  data::SourceInfo info = data::make_source(job.data, data::Use::train, train::Session::deal(world, job, true))->info();
  info.ids_per_bag.clear(), info.weighted.clear();
  const train::Session session(Exec(), world, job, info);
  CHECK(session.model.tables().tables()[1].ids_per_bag == std::vector<double>{1.0});
  info.ids_per_bag = {1, 2};
  CHECK(mentions(error_of([&] { train::Session(Exec(), world, job, info); }), "has 2 ids_per_bag for 3 features"));
  info.ids_per_bag.clear(), info.rows.pop_back();
  CHECK(mentions(error_of([&] { train::Session(Exec(), world, job, info); }), "has 2 rows for 3 features"));
}
