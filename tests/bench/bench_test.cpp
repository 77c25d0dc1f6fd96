// SPDX-License-Identifier: Apache-2.0
// bench::run: every figure is measured and plausible. No test depends on the speed of the machine.
#include <cmath>

#include "catch.hpp"
#include "tests/train/small_job.hpp"
#include <tesserec/bench.hpp>
#include <tesserec/core/error.hpp>

using namespace tesserec;

namespace {

bench::Settings quick() {
  bench::Settings settings;
  settings.seconds = 1e-6;
  settings.repeats = 2;
  settings.memory = Index{1} << 21;
  settings.steps = 2;
  return settings;
}

bench::Report measure(const comm::Communicator& comm, const train::Job& job, const std::set<std::string>& groups) {
  return bench::run(Exec(), comm, job, quick(), groups);
}

}  // namespace

TEST_CASE("run: every figure is positive and finite and named once") {
  const comm::Communicator comm(MPI_COMM_WORLD);
  const Folder folder(comm, "bench");
  const bench::Report report = measure(comm, small_job(folder.path()), {"limits", "costs", "parts", "step"});
  std::set<std::string> names;
  for (const bench::Figure& figure : report.figures) {
    INFO(figure.group << ": " << figure.name);
    CHECK(names.insert(figure.group + figure.name).second);
    CHECK(std::isfinite(figure.rate));
    CHECK(figure.rate > 0);
    CHECK(figure.limit >= 0);
    CHECK(figure.step_seconds >= 0);
    CHECK(!figure.unit.empty());
    CHECK((figure.limit > 0) == !figure.bound.empty());
  }
  for (const char* name : {"stream read", "stream triad", "random rows updated, 512 bytes, 4 KiB pages"})
    CHECK(report.find("limits", name) != nullptr);
  CHECK((report.find("limits", "all-to-all inside a node") != nullptr) == (comm.size() > 1));
  for (const char* name :
       {"bottom.0 5x16 forward", "bottom.1 16x6 input gradient", "interaction backward", "top.1 20x1 weight gradient"})
    CHECK(report.find("layers", name) != nullptr);
  CHECK(report.find("layers", "bottom.0 5x16 input gradient") == nullptr);  // training needs none
  CHECK(report.find("rows", "update by row-wise Adagrad of 24 byte rows") != nullptr);
  CHECK(report.find("step", "lookup") != nullptr);
  CHECK(report.step_seconds > 0);
  CHECK(report.step_fraction > 0);
  CHECK(!report.bottleneck.empty());
  CHECK(report.ranks == comm.size());

  std::set<std::string> keys;
  for (const auto& [key, value] : bench::measured_costs(report)) {
    INFO(key);
    CHECK(keys.insert(key).second);
    CHECK(std::isfinite(value));
    CHECK(value > 0);
  }
  for (const char* key : {"row_reads", "cached_row_updates", "ids", "bags", "dense_flops", "step_seconds"})
    CHECK(keys.count(key) == 1);
  CHECK(keys.count("inside_bytes") == (comm.size() > 1));
  CHECK(keys.count("between_bytes") == 0);
  CHECK(bench::describe(report).find("bottleneck: ") != std::string::npos);
}

TEST_CASE("run: simulated nodes have messages between them") {
  const comm::Communicator comm(MPI_COMM_WORLD);
  if (comm.size() < 2) return;
  const Folder folder(comm, "bench_nodes");
  train::Job job = small_job(folder.path());
  job.plan.ranks_per_node = 1;
  const bench::Report report = measure(comm, job, {"limits", "costs"});
  CHECK(report.ranks_per_node == 1);
  CHECK(report.find("limits", "all-to-all between nodes") != nullptr);
  CHECK(report.find("limits", "all-to-all inside a node") == nullptr);
  CHECK(bench::machine_toml(report, "a test").find("between_bytes ") != std::string::npos);
  CHECK(bench::machine_toml(report, "a test").find("inside_bytes ") == std::string::npos);
}

TEST_CASE("run: throws if training would") {
  const comm::Communicator comm(MPI_COMM_WORLD);
  const Folder folder(comm, "bench_bad");
  train::Job job = small_job(folder.path());
  job.data.synthetic.kind = data::SyntheticKind::none;
  CHECK_THROWS_AS(measure(comm, job, {"step"}), Error);
}

TEST_CASE("run: times the kernels of a step one by one with the limit of their memory") {
  const comm::Communicator comm(MPI_COMM_WORLD);
  const Folder folder(comm, "bench_kernels");
  train::Job job = small_job(folder.path());
  job.model.embedding_dim = job.model.bottom.back() = 8;
  job.optimizer.sparse.type = optim::Type::rowwise_adagrad;
  job.run.kernels = Kernels::portable;
  const bench::Report report = measure(comm, job, {"kernels"});
  double shown = 0, all = 0;
  for (const bench::Figure& figure : report.figures) {
    INFO(figure.name);
    CHECK(figure.group == "kernels");
    CHECK(std::isfinite(figure.rate));
    CHECK(figure.rate > 0);
    (&figure == &report.figures.back() ? all : shown) += figure.step_seconds;
  }
  CHECK(shown <= all * (1 + 1e-9));
  CHECK(shown >= 0.5 * all);
  Index products = 0;
  for (const bench::Figure& figure : report.figures) {
    if (figure.bound != "large product") continue;
    ++products;
    CHECK(figure.limit > 0);
    CHECK(figure.step_seconds == 0);  // not in the sum of the step, whose kernels follow
  }
  CHECK(products == 3 * Index(job.model.bottom.size() + job.model.top.size()));
  CHECK(report.find("kernels", "device memory, random rows of 64 floats") != nullptr);
  for (const char* name : {"embedding::pool", "embedding::move_runs"})
    if (comm.rank() == 0) {  // another rank may have no table
      const bench::Figure* const figure = report.find("kernels", name);
      REQUIRE(figure != nullptr);
      CHECK(figure->limit > 0);
      CHECK(figure->step_seconds > 0);
    }
}
