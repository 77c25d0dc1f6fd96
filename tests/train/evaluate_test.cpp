// SPDX-License-Identifier: Apache-2.0
// Metrics of groups reach an evaluation from its batches: the same from any ranks, one id a sample.
#include <cmath>

#include "catch.hpp"
#include "errors.hpp"
#include "small_job.hpp"

using namespace tesserec;

TEST_CASE("groups are the ids of evaluate.group, on any ranks") {
  const comm::Communicator world(MPI_COMM_WORLD), self(MPI_COMM_SELF);
  const Folder folder(world, "groups");
  train::Job job = small_job(folder.path());
  job.checkpoint.keep = 0;
  job.evaluate.metrics = {"auc", "gauc", "ndcg", "recall_at_k"};
  const auto evaluated = [&](const comm::Communicator& comm, const std::string& group) {
    job.evaluate.group = group;
    job.run.output = folder.path() + (comm.size() == 1 ? "/" + std::to_string(world.rank()) : "/all");
    return *run(comm, job).evaluation;
  };
  const auto want = evaluated(self, "C2"), got = evaluated(world, "C2"), other = evaluated(world, "C3");
  CHECK(std::isfinite(want.gauc));
  CHECK(got.gauc == want.gauc);
  CHECK(got.ndcg == want.ndcg);
  CHECK(got.recall_at_k == want.recall_at_k);
  CHECK(other.gauc != want.gauc);
  CHECK(other.auc == want.auc);

  job.data.synthetic.ids_per_bag = 2;
  REQUIRE(mentions(error_of([&] { evaluated(world, "C2"); }), "feature \"C2\" has no id, or several, in 300 samples"));
}
