// SPDX-License-Identifier: Apache-2.0
// save() and load() of a whole model in a caller's own loop around a TrainStep: the same bits on other ranks.
#include "catch.hpp"
#include "errors.hpp"
#include "small_job.hpp"
#include <tesserec/parallel_io/checkpoint_folder.hpp>
#include <tesserec/train/checkpoint.hpp>
#include <tesserec/train/model_state.hpp>

using namespace tesserec;

namespace {

/// Resumes from the newest checkpoint below `folder`, trains up to step `last`, saves, and returns the digest of the
/// weights.
std::string train_up_to(const comm::Communicator& comm, const train::Job& job, const std::string& folder, Index last,
                        Index from) {
  const auto source = train::open_source(comm, job, data::Use::train);
  train::Session built(Exec(), comm, job, source->info());  // for its model and its step alone
  model::ShardedModel& model = built.model;
  CHECK(train::load(built.exec, model, source->info(), folder) == (from > 0));
  CHECK(model.embeddings.steps() == from);
  train::TrainPipelineSparseDist pipeline(built.exec, std::ref(built.step), model.tables(), *source, true);
  const Index batches = train::Session::deal(comm, job, true).batches(source->info().samples);
  pipeline.seek(from / batches, from % batches);
  for (Index step = from + 1; step <= last; ++step) pipeline(step, last);
  CHECK(model.embeddings.steps() == last);
  const std::string saved = train::save(built.exec, model, source->info(), folder, 2);
  CHECK(parallel_io::CheckpointFolder(comm, folder).list().front().folder == saved);
  CHECK(parallel_io::CheckpointFolder(comm, folder).list().front().step == last);
  return train::weights_digest(built);
}

}  // namespace

TEST_CASE("save and load: a whole model resumes with the same bits on any number of ranks") {
  const comm::Communicator world(MPI_COMM_WORLD), self(MPI_COMM_SELF);
  train::Job job = small_job("");
  job.optimizer.sparse.type = job.optimizer.dense.type = optim::Type::adam;  // whose updates depend on the step
  const Folder whole(self, "model_whole_" + std::to_string(world.rank())), folder(world, "model_state");
  const std::string expected = train_up_to(self, job, whole.path(), 6, 0);
  train_up_to(world, job, folder.path(), 2, 0);
  if (world.rank() == 0) train_up_to(self, job, folder.path(), 5, 2);
  world.barrier();
  CHECK(train_up_to(world, job, folder.path(), 6, 5) == expected);

  const auto source = train::open_source(world, job, data::Use::train);
  train::Session built(Exec(), world, job, source->info());
  data::SourceInfo other = source->info();
  std::swap(other.dense_names[0], other.dense_names[1]);
  CHECK(mentions(error_of([&] { train::load(built.exec, built.model, other, folder.path()); }),
                 "dense features I2, I1, I3, I4, I5, not features"));
}
