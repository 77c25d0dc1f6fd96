// SPDX-License-Identifier: Apache-2.0
// Growing tables in a session: limits of ids, evaluations, and state that other ranks and plans read.
#include <filesystem>

#include "catch.hpp"
#include "data/samples_file.hpp"
#include "errors.hpp"
#include "small_job.hpp"
#include <tesserec/train/evaluate.hpp>
#include <tesserec/train/model_state.hpp>
#include <tesserec/train/table_figures.hpp>

using namespace tesserec;

namespace {

train::Job growing_job(const std::string& folder) {
  train::Job job = small_job(folder);
  job.data.synthetic.hashed = true;
  job.data.synthetic.zipf = 0;
  job.tables.resize(2);
  job.tables[0].name = "a";
  job.tables[0].feature_names = {"C1", "C2"};
  job.tables[0].growth.eviction = embedding::Eviction::lfu;
  job.tables[1].name = "b";
  job.tables[1].feature_names = {"C3"};
  job.tables[1].growth.admit_after = 2;
  for (embedding::EmbeddingBagConfig& table : job.tables) {
    table.block_by = embedding::BlockBy::hash;
    table.num_embeddings = 1024;
  }
  job.optimizer.sparse.type = optim::Type::adagrad;
  return job;
}

/// Resumes from the newest checkpoint below `folder`, trains up to step `last` with an evaluation before each step, and
/// saves. Returns the digest of weights and states.
std::string train_up_to(const comm::Communicator& comm, train::Job job, const std::string& folder, Index last,
                        planning::ShardingType type) {
  job.plan.default_type = type;
  const auto source = train::open_source(comm, job, data::Use::train);
  const auto evaluation = train::open_source(comm, job, data::Use::evaluate);
  train::Session built(Exec(), comm, job, source->info());
  model::ShardedModel& model = built.model;
  train::load(built.exec, model, source->info(), folder);
  const Index from = model.embeddings.steps();
  train::TrainPipelineSparseDist pipeline(built.exec, std::ref(built.step), model.tables(), *source, true);
  const Index batches = train::Session::deal(comm, job, true).batches(source->info().samples);
  pipeline.seek(from / batches, from % batches);
  for (Index step = from + 1; step <= last; ++step) {
    const std::string before = train::digest(built.exec, model);
    train::evaluate(built, *evaluation);
    CHECK(train::digest(built.exec, model) == before);
    pipeline(step, last);
  }
  const std::vector<tiers::Growth> grown = train::growths(built);
  for (const tiers::Growth& growth : grown) {
    CHECK(growth.capacity == job.tables[std::size_t(&growth - grown.data())].num_embeddings);
    CHECK(growth.occupied > 0);
    if (from == 0) CHECK(growth.occupied == growth.admitted - growth.evicted);
  }
  train::save(built.exec, model, source->info(), folder, 2);
  return train::digest(built.exec, model);
}

}  // namespace

TEST_CASE("growing tables: a run that stops and goes on by other plans has the bits of one that does not") {
  using planning::ShardingType;
  const comm::Communicator world(MPI_COMM_WORLD), self(MPI_COMM_SELF);
  const train::Job job = growing_job("");
  const Folder whole(self, "growing_whole_" + std::to_string(world.rank())), folder(world, "growing_state");
  const std::string expected = train_up_to(self, job, whole.path(), 7, ShardingType::table_wise);
  train_up_to(world, job, folder.path(), 2, ShardingType::row_wise);
  if (world.rank() == 0) train_up_to(self, job, folder.path(), 4, ShardingType::table_wise);
  world.barrier();
  CHECK(train_up_to(world, job, folder.path(), 7, ShardingType::column_wise) == expected);

  train::Job smaller = job;
  smaller.tables[0].num_embeddings = 600;
  CHECK(mentions(error_of([&] { train_up_to(world, smaller, folder.path(), 8, ShardingType::row_wise); }),
                 "set table.a.rows higher, at least"));
  train::Job larger = job;
  larger.tables[0].num_embeddings = 4096;
  train_up_to(world, larger, folder.path(), 8, ShardingType::row_wise);
}

TEST_CASE("growing tables: un-pooled features and ids of files have one digest on any ranks") {
  const comm::Communicator world(MPI_COMM_WORLD), self(MPI_COMM_SELF);
  const Folder own(self, "growing_own_" + std::to_string(world.rank())), all(world, "growing_all");
  const auto same = [&](train::Job job) {
    job.checkpoint.keep = 0;
    job.run.output = own.path();
    const train::TrainResult alone = run(self, job);
    CHECK(alone.tables[0].growth.occupied > 0);
    job.run.output = all.path();
    for (const auto type : {planning::ShardingType::row_wise, planning::ShardingType::column_wise}) {
      job.plan.default_type = type;
      const train::TrainResult together = run(world, job);
      CHECK(together.weights_digest == alone.weights_digest);
      CHECK(together.state_digest == alone.state_digest);
    }
  };
  train::Job unpooled = growing_job("");
  unpooled.tables.clear();
  weigh_vectors(unpooled);
  for (embedding::EmbeddingBagConfig& table : unpooled.tables) {
    table.block_by = embedding::BlockBy::hash;
    table.num_embeddings = 1500;
    table.growth.unknown = embedding::UnknownRow::start;
  }
  same(unpooled);

  const std::string file = all.path() + ".h5";
  if (world.rank() == 0)
    samples_file::jagged(file, 0, 600, [](store::File& written) {
      std::vector<std::int64_t> ids(written.shape("/sparse/a/values")[0]);
      for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = Index(embedding::BlockOf::mixed(Index(i / 2)));
      written.set_attribute("/", "rows", std::vector<std::int64_t>{data::any_id, 1 << 30});
      written.write("/sparse/a/values", {0, std::ssize(ids)}, ids.data());
    });
  world.barrier();
  train::Job files = growing_job("");
  files.data = {};
  files.data.train = files.data.evaluate = {file};
  files.tables[0].feature_names = {"a"};
  files.tables[1].feature_names = {"b"};
  same(files);
  world.barrier();
  if (world.rank() == 0) std::filesystem::remove(file);
}

TEST_CASE("growing tables: rows stay until the last micro-batch of their step has moved them") {
  const comm::Communicator self(MPI_COMM_SELF);
  const Exec exec;
  for (const embedding::Eviction eviction : {embedding::Eviction::lru, embedding::Eviction::ttl}) {
    train::Job job = growing_job("");
    job.train.accumulate = 2;
    job.tables[0].growth = {1, eviction, 1};
    const auto source = train::open_source(self, job, data::Use::train);
    const train::Session session(exec, self, job, source->info());
    embedding::RowStore& store = session.model.tables().shards().front().rows->store();
    // Two ids of one block, which has one row.
    const embedding::BlockOf block_of = embedding::BlockOf::by_hash();
    Index other = -1;
    while (block_of(other) != block_of(7)) --other;
    std::vector<bool> has_row;
    for (const Index id : {Index{7}, other, other, other}) {
      const std::vector<Index> slots = store.pin_to_train(exec, std::vector<Index>{id});
      has_row.push_back(store.has_row(slots[0]));
      store.release(slots, false);
    }
    const bool is_ttl = eviction == embedding::Eviction::ttl;
    const bool as_expected = has_row == std::vector<bool>{true, false, !is_ttl, true};
    CHECK(as_expected);
  }
}

TEST_CASE("id_limits: ids of growing tables are any numbers, unless another table reads them") {
  data::SourceInfo data;
  data.description = "d.h5";
  data.features = {"a", "b", "c"};
  data.rows = {data::any_id, 20, 50};
  std::vector<embedding::EmbeddingBagConfig> tables(2);
  tables[0].name = "grows";
  tables[0].feature_names = {"a", "b"};
  tables[0].num_embeddings = 2000;
  tables[0].block_by = embedding::BlockBy::hash;
  tables[1].name = "b";
  tables[1].feature_names = {"b"};
  const network::Settings dim_8{.embedding_dim = 8};
  const auto resolved = train::resolve_tables(tables, data, dim_8);
  CHECK(resolved[0].num_embeddings == 2000);
  CHECK(resolved[1].num_embeddings == 20);
  CHECK(train::id_limits(resolved, data) == std::vector<Index>{data::any_id, 20, 50});

  const auto error = [&] { return error_of([&] { train::resolve_tables(tables, data, dim_8); }); };
  data.vocabulary = "digest";
  CHECK(mentions(error(), "table grows grows, but the ids of feature b in d.h5 are rows of a vocabulary"));
  data.vocabulary.clear();
  tables[0].num_embeddings = 0;
  CHECK(mentions(error(), "set table.grows.rows"));
  tables[0].num_embeddings = 2000;
  tables[1].feature_names = {"a"};
  CHECK(mentions(error(), "table b: ids of feature a in d.h5 are any 64-bit numbers, so the table must grow"));
}
