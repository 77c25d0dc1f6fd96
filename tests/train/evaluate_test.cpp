// SPDX-License-Identifier: Apache-2.0
// Evaluations: metrics of groups and candidates, importance of features and figures of tables. Each is the same on
// any number of ranks.
#include <cmath>
#include <set>

#include "catch.hpp"
#include "errors.hpp"
#include "small_job.hpp"
#include <tesserec/data/synthetic_source.hpp>
#include <tesserec/train/evaluate.hpp>
#include <tesserec/train/importance.hpp>

using namespace tesserec;

TEST_CASE("evaluate.group: its ids are the groups of gauc and ndcg and recall_at_k on any ranks") {
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
  const auto expected = evaluated(self, "C2"), found = evaluated(world, "C2"), other = evaluated(world, "C3");
  CHECK(std::isfinite(expected.gauc));
  CHECK(found.gauc == expected.gauc);
  CHECK(found.ndcg == expected.ndcg);
  CHECK(found.recall_at_k == expected.recall_at_k);
  CHECK(other.gauc != expected.gauc);
  CHECK(other.auc == expected.auc);

  job.data.synthetic.ids_per_bag = 2;
  REQUIRE(mentions(error_of([&] { evaluated(world, "C2"); }), "feature \"C2\" has no id, or several, in 300 samples"));
}

TEST_CASE("candidate_recall: ranks each item among all items on any ranks") {
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
  job.evaluate.k = 7;  // the number of items
  CHECK(recall(world, "bce") == 1.0);
}

namespace {

/// Returns a source whose first 150 samples have id 0 and no click, the others id 1 and a click. The dense feature is
/// noise.
std::unique_ptr<data::Source> sorted_clicks(const comm::Communicator& comm, const train::Job& job) {
  data::SourceInfo info;
  info.samples = 300;
  info.dense_features = 1;
  info.dense_names = {"noise"};
  info.features = {"tells", "constant"};
  info.rows = {2, 1};
  info.ids_per_bag = {1, 1};
  info.weighted = {false, false};
  return std::make_unique<data::SyntheticSource>(
      info, train::Session::deal(comm, job, false),
      [features = info.features](std::span<const Index> samples, Index global_size, data::Batch& batch) {
        data::reserve_batch(batch, std::ssize(samples), global_size, 1, features);
        data::reserve_values(batch, 2 * batch.size, false);
        for (Index b = 0; b < batch.size; ++b) {
          const bool click = samples[b] >= 150;
          batch.labels(b) = click;
          batch.dense(b, 0) = float(samples[b] % 7) / 7;
          batch.sparse.values(b) = click;
          batch.sparse.values(batch.size + b) = 0;
        }
        for (Index bag = 0; bag <= 2 * batch.size; ++bag) batch.sparse.offsets(bag) = bag;
      });
}

}  // namespace

TEST_CASE("importance: returns the metrics with a feature permuted over all samples on any ranks") {
  const comm::Communicator world(MPI_COMM_WORLD), self(MPI_COMM_SELF);
  const Folder folder(world, "importance");
  train::Job job = small_job(folder.path());
  job.checkpoint.keep = 0;
  job.train.batch_size = 512;  // all samples in one batch, each lane with a run of them
  job.train.epochs = 60;
  const auto of = [&](const comm::Communicator& comm) {
    job.run.output = folder.path() + (comm.size() == 1 ? "/" + std::to_string(world.rank()) : "/all");
    const auto source = sorted_clicks(comm, job);
    train::Session session(Exec(), comm, job, source->info());
    train::Training training(session, *source, nullptr);
    train::train(training);
    const metrics::BinaryMetrics intact = train::evaluate(session, *source);
    CHECK(intact.auc == 1);
    auto all = train::importance(session, *source);
    all.push_back({"", false, intact});
    return all;
  };
  const auto alone = of(self), shared = of(world);
  REQUIRE(alone.size() == 3 + 1);
  CHECK(alone[0].feature == "noise");
  CHECK(alone[0].dense);
  CHECK(alone[1].feature == "tells");
  CHECK((alone[1].permuted.auc > 0.35 && alone[1].permuted.auc < 0.65));
  CHECK(alone[1].permuted.ne > 1);
  CHECK(alone[2].permuted.log_loss == alone[3].permuted.log_loss);  // a constant
  CHECK(alone[0].permuted.log_loss != alone[3].permuted.log_loss);
  for (std::size_t f = 0; f < alone.size(); ++f) {
    CHECK(shared[f].permuted.log_loss == alone[f].permuted.log_loss);
    CHECK(shared[f].permuted.auc == alone[f].permuted.auc);
  }
}

TEST_CASE("importance: permutes whole bags of any length also with micro-batches") {
  const comm::Communicator world(MPI_COMM_WORLD), self(MPI_COMM_SELF);
  const Folder folder(world, "importance_bags");
  train::Job job = small_job(folder.path());
  job.checkpoint.keep = 0;
  job.data.synthetic.ids_per_bag = 3;
  job.data.synthetic.variable_bags = true;
  job.train.batch_size = 64;
  job.train.accumulate = 2;
  job.train.lanes = 16;
  const auto of = [&](const comm::Communicator& comm) {
    const auto source = data::make_source(job.data, data::Use::evaluate, train::Session::deal(comm, job, false));
    train::Session session(Exec(), comm, job, source->info());
    return train::importance(session, *source);
  };
  const auto alone = of(self), shared = of(world);
  REQUIRE(alone.size() == 5 + 3);
  for (std::size_t f = 0; f < alone.size(); ++f) {
    CHECK(shared[f].permuted.log_loss == alone[f].permuted.log_loss);
    CHECK(alone[f].permuted.samples == 300);
  }
}

TEST_CASE("table_figures: counts the trained rows and samples a large table by runs of 64 rows") {
  const comm::Communicator self(MPI_COMM_SELF), world(MPI_COMM_WORLD);
  const Folder folder(world, "figures");
  train::Job job = small_job(folder.path() + "/" + std::to_string(world.rank()));
  job.data.synthetic.rows = {200000, 7, 500};
  job.checkpoint.keep = 0;
  job.train.epochs = 1;
  const auto source = data::make_source(job.data, data::Use::train, train::Session::deal(self, job, false));
  const auto evaluation = data::make_source(job.data, data::Use::evaluate, train::Session::deal(self, job, false));
  train::Session session(Exec(), self, job, source->info());
  std::vector<std::set<Index>> seen(3);
  std::vector<Index> zeros(3);
  const auto note = [&](data::Source& from, const auto& take) {
    data::Batch batch{Exec()};
    for (from.seek(0, 0); from.next(batch);)
      for (Index f = 0; f < 3; ++f)
        for (Index b = 0; b < batch.size; ++b) take(f, batch.sparse.values(batch.sparse.begin(f, b)));
  };
  const auto is_sampled = [](Index f, Index row) { return f > 0 || row / 64 % 4 == 0; };  // 200000 / 4 < 2^16
  note(*source, [&](Index f, Index id) {
    if (is_sampled(f, id)) seen[f].insert(id);
  });
  note(*evaluation, [&](Index f, Index id) { zeros[f] += id == 0; });
  for (const train::TableFigures& table : train::table_figures(session)) {
    CHECK(table.trained == 0);
    CHECK(table.row_norm == Approx(table.start_norm).epsilon(table.rows < 10 ? 0.3 : 0.05));
  }
  train::Training training(session, *source, evaluation.get());
  const train::TrainResult result = train::train(training);
  REQUIRE(result.tables.size() == 3);
  for (Index f = 0; f < 3; ++f) {
    const train::TableFigures& table = result.tables[f];
    CHECK(table.sampled == (f == 0 ? 50048 : table.rows));
    CHECK(table.trained == std::ssize(seen[f]));
    const auto& weights = session.model.tables().shards()[f].rows->weights();
    double squares = 0;
    float largest = 0;
    for (Index row = 0; row < table.rows; ++row)
      for (Index c = 0; c < table.columns && is_sampled(f, row); ++c) {
        const float value = weights.data()[row * table.columns + c];
        squares += double(value) * value;
        largest = std::max(largest, std::abs(value));
      }
    CHECK(table.row_norm == Approx(std::sqrt(squares / double(table.sampled))));
    CHECK(table.largest == largest);
    CHECK(result.evaluation_ids[f].unknown == zeros[f]);
    CHECK(result.evaluation_ids[f].ids == 300);
  }
}
