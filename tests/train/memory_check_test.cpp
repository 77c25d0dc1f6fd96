// SPDX-License-Identifier: Apache-2.0
// checkpoint.check_memory: a bit that changes by itself in a row that no batch has moved ends the run before the next
// checkpoint or delta, and nothing else does.
#include <algorithm>
#include <bit>
#include <cstdint>

#include "delta_job.hpp"
#include <tesserec/comm/run.hpp>
#include <tesserec/core/memory_fault.hpp>
#include <tesserec/core/process.hpp>

using namespace tesserec;

namespace {

/// Flips a bit of matrix `matrix` in the last row of table 0 that no batch has moved, on the last rank that has rows of
/// the table. Returns the row.
Index flip(const train::Session& session, std::size_t matrix) {
  Index flipped = -1;
  for (const auto& shard : session.model.tables().shards()) {
    if (shard.table != 0) continue;
    const std::vector<Index> moved = shard.rows->moved()->list();
    Index row = shard.rows->rows().end - 1;
    while (std::ranges::binary_search(moved, row)) --row;
    REQUIRE(row >= shard.rows->rows().begin);
    flipped = std::max(flipped, row);
  }
  flipped = session.comm.max(flipped);
  for (const auto& shard : session.model.tables().shards()) {
    if (shard.table != 0 || !shard.rows->rows().contains(flipped)) continue;
    float& number = *shard.rows->store().in_place(matrix, {flipped, flipped + 1});
    number = std::bit_cast<float>(std::bit_cast<std::uint32_t>(number) ^ 1u << 7);
  }
  return flipped;
}

}  // namespace

TEST_CASE("checkpoint.check_memory: names the row in which a bit has changed, and writes no state with it") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "memory_check");
  train::Job job = delta_job(folder.path());
  job.run.kernels = Kernels::simd;
  job.optimizer.sparse.type = optim::Type::adagrad;
  job.checkpoint.delta_seconds = 1e9;
  job.checkpoint.check_memory = true;
  const auto source =
      data::make_source(job.data, data::Use::train, train::Session::deal(world, job, job.train.shuffle));
  for (const bool as_delta : {false, true})
    for (const std::size_t matrix : {0, 1}) {
      job.run.output = folder.path() + (as_delta ? "/delta" : "/checkpoint") + std::to_string(matrix);
      train::Session session(Exec(), world, job, source->info());
      train::Training training(session, *source, nullptr);
      REQUIRE(training.step());
      const std::string first = training.save();
      REQUIRE(training.step());
      training.save_delta();
      training.finish_delta(true);
      CHECK(fs::exists(delta_of(job.run.output, 2)));
      REQUIRE(training.step());
      const Index row = flip(session, matrix);
      const Outcome outcome = outcome_of([&] {
        if (as_delta)
          training.save_delta();
        else
          training.save();
        return 0;
      });
      CHECK(outcome.code == exit_code_memory);
      INFO(outcome.message);
      CHECK(mentions(outcome.message, "table C1, row " + std::to_string(row) + ", in row block"));
      CHECK(mentions(outcome.message, "rank "));
      const parallel_io::CheckpointFolder states(world, job.checkpoint_folder());
      REQUIRE(states.list().size() == 1);
      CHECK(states.list().front().folder == first);
      CHECK(states.deltas().size() == 1);
    }
}

TEST_CASE("checkpoint.check_memory: finds nothing in a run whose memory is sound, and changes no bits") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "memory_sound"), plain(world, "memory_plain");
  train::Job job = delta_job(folder.path());
  job.checkpoint.check_memory = true;
  job.tables.resize(3);
  const char* names[] = {"C1", "C2", "C3"};
  for (std::size_t t = 0; t < 3; ++t) job.tables[t].name = names[t];
  job.plan.tables["C3"].kernel = embedding::ComputeKernel::dense;  // left out, because all of its rows move
  const Digests checked = digests(world, job);
  job.checkpoint.check_memory = false;
  job.run.output = plain.path();
  CHECK(digests(world, job) == checked);
}
