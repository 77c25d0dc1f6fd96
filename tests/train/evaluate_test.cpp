// SPDX-License-Identifier: Apache-2.0
// Metrics of groups and of candidates reach an evaluation from its batches: the same from any ranks.
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

TEST_CASE("two towers are judged by what they find among all items, on any ranks") {
  const comm::Communicator world(MPI_COMM_WORLD), self(MPI_COMM_SELF);
  const Folder folder(world, "towers");
  train::Job job = small_job(folder.path());
  job.checkpoint.keep = 0;
  job.data.synthetic.pair = {"C3", "C2"};
  job.evaluate.metrics = {"auc", "candidate_recall"};
  job.evaluate.k = 2;
  const auto recall = [&](const comm::Communicator& comm, const std::string& loss) {
    job.model.loss = loss;
    job.run.output = folder.path() + (comm.size() == 1 ? "/" + std::to_string(world.rank()) : "/all");
    return run(comm, job).evaluation->candidate_recall;
  };
  CHECK(mentions(error_of([&] { recall(world, "bce"); }), "candidate_recall, which needs two towers"));
  job.model.type = "two_tower";
  job.model.query = {"dense", "rest"}, job.model.item = {"pooled.C2"};
  job.model.towers = {8, 4};
  for (const std::string loss : {"bce", "in_batch_softmax"}) {
    const double alone = recall(self, loss);
    CHECK((alone > 0.0 && alone < 1.0));
    CHECK(recall(world, loss) == alone);
  }
  job.evaluate.k = 7;  // as many as there are items
  CHECK(recall(world, "bce") == 1.0);
}
