// SPDX-License-Identifier: Apache-2.0
// Deltas of tables that grow: a killed run resumes from them, on other ranks and under another plan.
#include "delta_job.hpp"

using namespace tesserec;

TEST_CASE("deltas: tables that grow, whose ids come and go, resume with the bits of an undisturbed run") {
  const comm::Communicator world(MPI_COMM_WORLD);
  using planning::ShardingType;
  const ShardingType types[] = {ShardingType::table_wise, ShardingType::row_wise, ShardingType::column_wise,
                                ShardingType::grid};
  const embedding::Eviction rules[] = {embedding::Eviction::lru, embedding::Eviction::lfu, embedding::Eviction::ttl,
                                       embedding::Eviction::none};
  for (std::size_t variant = 0; variant < std::size(rules); ++variant) {
    if (left_out(Index(variant), 5)) continue;
    INFO("variant " << variant);
    train::Job job = delta_job("");
    job.model.embedding_dim = job.model.bottom.back() = 12;
    job.data.synthetic.hashed = true;
    job.data.synthetic.zipf = 0;
    job.data.synthetic.rows = {3001, 700, 2000};
    job.tables.resize(2);
    job.tables[0].name = "a";
    job.tables[0].feature_names = {"C1", "C2"};
    job.tables[0].growth.admit_after = variant % 2 == 0 ? 1 : 2;
    job.tables[1].name = "b";
    job.tables[1].feature_names = {"C3"};
    job.tables[1].growth.admit_after = 2;
    job.tables[1].growth.unknown = embedding::UnknownRow::start;
    for (embedding::EmbeddingBagConfig& table : job.tables) {
      table.num_embeddings = 1024;
      table.block_by = embedding::BlockBy::hash;
      table.growth.eviction = rules[variant];
      table.growth.ttl = rules[variant] == embedding::Eviction::ttl ? 2 : 0;
      job.plan.tables[table.name].min_partition = 4;
    }
    const auto deck_of_rows = [](int rows) {
      return concat("[[table]]\nname = \"a\"\ngrowing = true\nrows = ", rows, "\n");
    };
    job.deck = deck_of_rows(1024);
    if (variant == 1) job.train.batch_size /= job.train.accumulate = 2;
    const Digests whole = [&] {
      train::Job undisturbed = job;
      undisturbed.checkpoint.delta_seconds = 0;
      undisturbed.checkpoint.keep = 0;
      undisturbed.run.output = Folder(world, "delta_grown_whole").path();
      return digests_alone(world, undisturbed);
    }();
    const Folder folder(world, "delta_grown"), killed(world, "delta_grown_killed"), again(world, "delta_grown_again");
    job.run.output = folder.path();
    job.plan.default_type = types[variant];
    REQUIRE(train_job(world, job, 4, killed.path()).digests == whole);
    const auto& datasets = store::read_manifest(delta_of(killed.path(), 4)).datasets;
    CHECK(datasets.count("tables/b/waiting_ids") == 1);
    CHECK(datasets.count("tables/b/not_waiting_ids") == 1);
    CHECK(datasets.count("tables/a/evicted_ids") == (rules[variant] == embedding::Eviction::none ? 0 : 1));
    // Resumed twice, by other plans and ranks: from three deltas, and from those and two more of the second run.
    job.run.output = killed.path();
    job.plan.default_type = types[(variant + 1) % std::size(types)];
    if (const auto group = half(world)) {
      const Resumed second = train_job(*group, job, 6, again.path());
      CHECK(second.step == 4);
      CHECK(second.deltas == 3);
      CHECK(second.digests == whole);
    }
    world.barrier();
    job.run.output = again.path();
    job.plan.default_type = types[(variant + 2) % std::size(types)];
    const Folder larger(world, "delta_grown_larger");
    const Resumed third = train_job(world, job, 6, larger.path());
    CHECK(third.step == 6);
    CHECK(third.deltas == 5);
    CHECK(third.digests == whole);
    if (variant > 0) continue;
    // A checkpoint comes first after a change of the capacity, because servers keep to the deck of theirs.
    job.run.output = larger.path();
    job.tables[0].num_embeddings = 5000;
    job.deck = deck_of_rows(5000);
    CHECK(train_job(world, job, 7, killed.path()).step == 6);
    CHECK(!fs::exists(delta_of(killed.path(), 7)));
    CHECK(fs::exists(killed.path() + "/checkpoints/step_000000007"));
  }
}
