// SPDX-License-Identifier: Apache-2.0
// Figures of caches: the share of a table that fits, and the share of the ids that its most frequent rows have, do not
// depend on how shards cut or copy the table.
#include "catch.hpp"
#include "small_job.hpp"
#include <tesserec/planning/id_frequencies.hpp>

using namespace tesserec;
using planning::ShardingType;

TEST_CASE("table_figures: the share of a cache is that of one copy of the table, whatever the plan") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "cache_figures");
  train::Job job = small_job(folder.path());
  job.data.synthetic.kind = data::SyntheticKind::reference;  // of unknown frequencies
  job.data.synthetic.round_targets = true;
  job.data.synthetic.rows = {20000, 7, 20000};
  job.model.embedding_dim = job.model.bottom.back() = 12;
  job.train.epochs = 1;
  job.plan.cache = 0.5;
  job.plan.kernel = embedding::ComputeKernel::disk;
  job.plan.tables["C1"].zipf = 1.05;
  for (const char* table : {"C1", "C3"}) job.plan.tables[table].min_partition = 4;
  for (const ShardingType type :
       {ShardingType::row_wise, ShardingType::column_wise, ShardingType::data_parallel, ShardingType::table_wise}) {
    INFO(planning::name(type));
    job.plan.default_type = type;
    const train::TrainResult result = run(world, job);
    const train::TableFigures &known = result.tables.at(0), &unknown = result.tables.at(2);
    CHECK(known.cached_share == Approx(0.5).epsilon(1e-3));
    REQUIRE(known.frequent_share.has_value());
    CHECK(*known.frequent_share == planning::IdFrequencies(20000, 1.05).share_of_most(20000 * known.cached_share));
    CHECK(*known.frequent_share > 0.9);
    CHECK(unknown.cached_share == Approx(0.5).epsilon(1e-3));
    CHECK(!unknown.frequent_share.has_value());
    CHECK(known.cache.pinned > 0);
    CHECK(known.cache.hit_rate() > 0);
  }
}
