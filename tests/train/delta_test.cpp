// SPDX-License-Identifier: Apache-2.0
// Deltas: a run that is killed resumes from its newest checkpoint and the unbroken chain of deltas after it, with the
// bits of an undisturbed run, on another number of ranks and under another plan.
#include <filesystem>
#include <fstream>

#include "delta_job.hpp"

using namespace tesserec;

TEST_CASE("checkpoint.delta_seconds: a killed run resumes from its deltas with the bits of an undisturbed one") {
  const comm::Communicator world(MPI_COMM_WORLD), self(MPI_COMM_SELF);
  using planning::ShardingType;
  const ShardingType types[] = {ShardingType::table_wise, ShardingType::row_wise, ShardingType::column_wise,
                                ShardingType::data_parallel, ShardingType::grid};
  const embedding::ComputeKernel tier =
      device_is_host ? embedding::ComputeKernel::disk : embedding::ComputeKernel::host_cached;
  Index turn = 0;
  for (int variant = 0; variant < 6; ++variant) {
    train::Job job = delta_job("");
    job.model.embedding_dim = job.model.bottom.back() = 12;
    for (const char* table : {"C1", "C2", "C3"}) job.plan.tables[table].min_partition = 4;
    if (variant == 1) job.optimizer.max_norm = 1;
    if (variant == 2) job.model.table_format = NumberType::bf16;
    if (variant == 2) job.run.kernels = Kernels::portable;
    if (variant == 3) job.plan.kernel = embedding::ComputeKernel::dense;
    if (variant == 5) job.train.batch_size /= job.train.accumulate = 2;
    std::vector<std::size_t> chosen;
    for (std::size_t i = 0; i < std::size(types); ++i)
      if (!left_out(turn++, 7)) chosen.push_back(i);
    if (chosen.empty()) continue;
    const Digests whole = [&] {
      train::Job undisturbed = job;
      undisturbed.checkpoint.delta_seconds = 0;
      undisturbed.checkpoint.keep = 0;
      undisturbed.run.output = Folder(world, "delta_whole").path();
      return digests_alone(world, undisturbed);
    }();
    if (variant == 4) {
      job.plan.kernel = tier;
      job.plan.cache = 0.1;
      if (!device_is_host) job.plan.device = "cuda";
    }
    std::string bytes;  // manifest of one delta, the same for any plan
    for (const std::size_t i : chosen) {
      INFO("variant " << variant << ", sharding type " << i);
      const Folder folder(world, "delta"), killed(world, "delta_killed");
      job.run.output = folder.path();
      job.plan.default_type = types[i];
      if (variant == 5) job.plan.replicas = world.size() % 2 == 0 ? 2 : world.size();
      const Resumed first = train_job(world, job, 4, killed.path());
      REQUIRE(first.digests == whole);
      REQUIRE(!has_deltas(job));  // the last checkpoint has replaced them

      const std::string manifest = read_file(delta_of(killed.path(), 3) + "/manifest.json");
      if (!bytes.empty()) REQUIRE(manifest == bytes);
      bytes = manifest;
      job.run.output = killed.path();
      job.plan.default_type = types[(i + 2) % std::size(types)];
      if (const auto group = half(world)) {
        if (variant == 5) job.plan.replicas = group->size();
        const Resumed second = train_job(*group, job);
        CHECK(second.step == 4);
        CHECK(second.deltas == 3);
        CHECK(second.digests == whole);
      }
      world.barrier();
    }
  }
}

TEST_CASE("deltas: a damaged or missing one ends the chain, and new ones replace those after it") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "delta_chain"), killed(world, "delta_cut"), again(world, "delta_again");
  train::Job job = delta_job(folder.path());
  const Digests whole = train_job(world, job, 6, killed.path()).digests;
  const auto alone = [&](const auto& change) {
    world.barrier();
    if (world.rank() == 0) change();
    world.barrier();
  };
  const std::string four = delta_of(killed.path(), 4);
  SECTION("a flipped byte") {
    alone([&] {
      std::fstream file(four + "/state.h5", std::ios::in | std::ios::out | std::ios::binary);
      file.seekp(fs::file_size(four + "/state.h5") / 2);
      file.put('?');
    });
  }
  SECTION("no manifest") {
    alone([&] { fs::remove(four + "/manifest.json"); });
  }
  SECTION("no folder") {
    alone([&] { fs::remove_all(four); });
  }
  SECTION("a delta of another run") {
    alone([&] {
      fs::remove_all(four);
      fs::copy(delta_of(killed.path(), 5), four, fs::copy_options::recursive);
    });
  }
  job.run.output = killed.path();
  const Resumed cut = train_job(world, job, 4, again.path());
  CHECK(cut.step == 3);
  CHECK(cut.deltas == 2);
  CHECK(cut.digests == whole);
  CHECK(!fs::exists(delta_of(again.path(), 5)));
  job.run.output = again.path();
  const Resumed last = train_job(world, job);
  CHECK(last.step == 4);
  CHECK(last.digests == whole);
}

TEST_CASE("deltas: without their checkpoint, or with changed matrices, a run does not use them") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "delta_base"), killed(world, "delta_alone");
  train::Job job = delta_job(folder.path());
  const Digests whole = train_job(world, job, 5, killed.path()).digests;
  job.run.output = killed.path();
  SECTION("no checkpoint") {
    world.barrier();
    if (world.rank() == 0) fs::remove_all(killed.path() + "/checkpoints/step_000000001");
    world.barrier();
    const Resumed anew = train_job(world, job);
    CHECK(anew.step == 0);
    CHECK(anew.digests == whole);
  }
  SECTION("another optimizer") {
    job.optimizer.sparse.type = optim::Type::adagrad;
    job.checkpoint.accept = {"optimizer"};
    const Resumed changed = train_job(world, job);
    CHECK(changed.step == 1);
    CHECK(changed.deltas == 0);
  }
  SECTION("a delta is no checkpoint") {
    CHECK(mentions(error_of([&] { parallel_io::open_checkpoint(world, delta_of(killed.path(), 3)); }),
                   "is a delta, which holds only what changed after step 2"));
  }
}

TEST_CASE("deltas: a run that accepts another deck begins with a checkpoint, which has that deck") {
  if (left_out(59, 60)) return;  // it would take minutes
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "delta_accept"), killed(world, "delta_accept_killed");
  train::Job job = delta_job(folder.path());
  train_job(world, job, 4, killed.path());
  job.run.output = killed.path();
  for (const std::vector<std::string>& accept : {std::vector<std::string>(), {"model.activation"}}) {
    job.checkpoint.accept = accept;
    const auto source =
        data::make_source(job.data, data::Use::train, train::Session::deal(world, job, job.train.shuffle));
    train::Session session(Exec(), world, job, source->info());
    const train::Training training(session, *source, nullptr);
    CHECK(training.position().step == 4);
    CHECK(training.position().continues.has_value() == accept.empty());
  }
}
