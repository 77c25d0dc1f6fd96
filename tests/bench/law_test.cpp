// SPDX-License-Identifier: Apache-2.0
// What is held against the law computes the same, but for rounding: else its time says nothing.
#include "catch.hpp"
#include "src/bench/unordered_tables.hpp"
#include "tests/errors.hpp"
#include "tests/train/small_job.hpp"
#include <tesserec/bench.hpp>

using namespace tesserec;

namespace {

train::Job job_for(const std::string& folder, planning::ShardingType type) {
  train::Job job = small_job(folder);
  job.data.synthetic.ids_per_bag = 6;
  job.data.synthetic.variable_bags = true;
  job.data.synthetic.zipf = 1.2;  // rows that several samples use
  job.plan.default_type = type;
  return job;
}

void near(const float* found, const float* expected, Index n) {
  for (Index i = 0; i < n; ++i)
    if (std::abs(found[i] - expected[i]) > 1e-6f) {
      INFO(i);
      CHECK(found[i] == Approx(expected[i]));
    }
}

}  // namespace

TEST_CASE("Tables without the law give what the law gives, but for rounding") {
  const comm::Communicator comm(MPI_COMM_WORLD);
  const Folder folder(comm, "law");
  const Exec exec;
  for (const auto type : {planning::ShardingType::table_wise, planning::ShardingType::row_wise}) {
    train::Job job = job_for(folder.path(), type);
    job.optimizer.sparse.type = type == planning::ShardingType::row_wise ? optim::Type::adagrad : optim::Type::sgd;
    const auto source = data::make_source(job.data, data::Use::train, train::Session::deal(comm, job, false));
    train::Session law(exec, comm, job, source->info()), other(exec, comm, job, source->info());
    auto& tables = law.model.tables();
    bench::UnorderedTables unordered(comm, other.model.tables(), source->info().features, other.lanes);
    data::Batch batch{Exec()};
    for (Index step = 1; source->next(batch); ++step) {
      const Index n = batch.size * law.model.dense.pooled_width();
      const Vector<float> found = make_vector<float>(exec, "tesserec::test::found", n);
      auto ids = tables.start(exec, batch.sparse, batch.global_size);
      const float* expected = tables.forward(exec, ids).pooled.data();
      unordered.forward(batch.sparse, batch.global_size, found.data());
      near(found.data(), expected, n);
      // The pooled vectors are their own gradient.
      std::copy_n(expected, n, tables.gradient(exec, ids).pooled.data());
      tables.backward(exec, std::move(ids), {}, step);
      unordered.backward(found.data(), step);
    }
    REQUIRE(tables.shards().size() == other.model.tables().shards().size());
    for (std::size_t s = 0; s < tables.shards().size(); ++s) {
      const MatrixView<float> rows = tables.shards()[s].rows->weights().host();
      near(other.model.tables().shards()[s].rows->weights().data(), rows.data(), static_cast<Index>(rows.size()));
    }
  }
}

TEST_CASE("The cost of the law is told, or why it is not") {
  const comm::Communicator comm(MPI_COMM_WORLD);
  const Folder folder(comm, "law_cost");
  bench::Settings quick;
  quick.seconds = 1e-6;
  quick.repeats = 2;
  quick.steps = 2;
  const auto measure = [&](const train::Job& job) { return bench::run(Exec(), comm, job, quick, {"law"}); };
  if (concurrency(Exec()) > 1) {
    CHECK(mentions(error_of([&] { measure(small_job(folder.path())); }), "measured with one thread a rank"));
    return;
  }
  const bench::Report report = measure(job_for(folder.path(), planning::ShardingType::row_wise));
  CHECK(report.figures.size() == 2);
  REQUIRE(report.law_cost);
  CHECK(*report.law_cost > -1);
  CHECK(bench::describe(report).find("cost of the law: ") != std::string::npos);
  if (comm.size() > 1)
    CHECK(mentions(error_of([&] { measure(job_for(folder.path(), planning::ShardingType::data_parallel)); }),
                   "not measured for data_parallel on several ranks"));
}
