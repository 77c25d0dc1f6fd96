// SPDX-License-Identifier: Apache-2.0
// Weights of ids and of samples. Tables of the deck that do not fit the data are the same error on every rank before
// the first step.
#include <cmath>

#include "catch.hpp"
#include "data/samples_file.hpp"
#include "small_job.hpp"
#include <tesserec/core/error.hpp>

using namespace tesserec;

namespace {

template <class Call>
std::string error_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("resolve_tables: throws if the data lack the weights of a weighted table") {
  const comm::Communicator comm(MPI_COMM_WORLD);
  const Folder folder(comm, "weights");
  const std::string file = folder.path() + "/a_alone.h5", both = folder.path() + "/both.h5";
  if (comm.rank() == 0) {
    std::filesystem::create_directories(folder.path());
    samples_file::jagged(file, 0, 40);  // a has weights, b has none
    samples_file::jagged(both, 0, 40, [](store::File& more) {
      const std::vector<float> weights(40, 2.0f);
      more.write_all("/sparse/b/weights", {40}, weights.data());
    });
  }
  comm.barrier();
  const auto info_of = [&](const std::string& path) { return data::Dataset({path}, "data.train").info(); };
  const auto table = [](const std::string& feature, bool weighted) {
    return std::vector<embedding::EmbeddingBagConfig>{
        {"items", 1000, 8, {"a", feature}, embedding::PoolingType::sum, weighted, {}}};
  };
  const auto expected = [](const std::string& feature, const std::string& data) {
    return "table items is weighted, but the data (" + data + ") have no weights for feature \"" + feature +
           "\"; give data files with /sparse/" + feature +
           "/weights (docs/formats.md), or set table.items.weighted = false";
  };
  const network::Settings dim_8{.embedding_dim = 8};
  const data::SourceInfo unweighted = info_of(file), all = info_of(both);
  CHECK(error_of([&] { train::resolve_tables(table("b", true), unweighted, dim_8); }) == expected("b", file));
  CHECK(error_of([&] { train::resolve_tables(table("b", false), unweighted, dim_8); }) == "accepted");
  CHECK(error_of([&] { train::resolve_tables(table("a", true), unweighted, dim_8); }) == "accepted");
  CHECK(error_of([&] { train::resolve_tables(table("b", true), all, dim_8); }) == "accepted");
  // The evaluation data of a training run are checked against the tables by id_limits().
  CHECK(error_of([&] { train::id_limits(table("b", true), all); }) == "accepted");
  CHECK(error_of([&] { train::id_limits(table("b", true), unweighted); }) == expected("b", file));

  train::Job job = small_job(folder.path());  // a generator has no weights
  job.tables = {{"items", 0, 0, {"C2"}, embedding::PoolingType::sum, true, {}}};
  CHECK(error_of([&] { run(comm, job); }) == expected("C2", "planted model"));
}

TEST_CASE("train: samples count in loss and metrics by their weights on any ranks") {
  const comm::Communicator world(MPI_COMM_WORLD), self(MPI_COMM_SELF);
  const Folder folder(world, "sample_weights");
  const auto write = [&](const std::string& name, const std::function<void(store::File&)>& change) {
    samples_file::packed(folder.path() + "/" + name, 0, 600, change);
  };
  if (world.rank() == 0) {
    std::filesystem::create_directories(folder.path());
    write("plain.h5", {});
    write("ones.h5",
          [](store::File& file) { file.write_all("/weights", {600}, std::vector<float>(600, 1.0f).data()); });
    write("weighted.h5", samples_file::add_weights);
    write("turned.h5", [](store::File& file) {  // labels of samples with weight 0
      samples_file::add_weights(file);
      for (Index i = 0; i < 600; i += 3) {
        const auto label = std::uint8_t(1 - i % 2);
        file.write("/labels", {i, 1, 0, -1}, &label);
      }
    });
  }
  world.barrier();
  struct Result {
    std::string weights;
    double log_loss, auc;
    bool operator==(const Result&) const = default;
  };
  const auto trained = [&](const comm::Communicator& comm, const std::string& name) {
    const bool alone = comm.size() == 1;
    train::Job job = small_job(folder.path() + "/" + name + (alone ? std::to_string(world.rank()) : "all"));
    job.data.synthetic = {};
    job.data.train = job.data.evaluate = {folder.path() + "/" + name};
    job.train.metrics = {"log_loss"};
    const train::TrainResult result = run(comm, job);
    return Result{result.weights_digest, result.evaluation->log_loss, result.evaluation->auc};
  };
  const Result plain = trained(world, "plain.h5"), weighted = trained(world, "weighted.h5");
  CHECK(trained(world, "ones.h5") == plain);
  CHECK(weighted.weights != plain.weights);
  CHECK(weighted.log_loss != plain.log_loss);
  CHECK(trained(self, "weighted.h5") == weighted);
  CHECK(trained(world, "turned.h5") == weighted);
  if (world.rank() == 0)
    write("zeros.h5",
          [](store::File& file) { file.write_all("/weights", {600}, std::vector<float>(600, 0.0f).data()); });
  world.barrier();
  train::Job job = small_job(folder.path() + "/run");
  job.data.synthetic = {};
  for (std::vector<std::string>* files : {&job.data.train, &job.data.evaluate, &job.data.predict})
    *files = {folder.path() + "/zeros.h5"};
  CHECK(error_of([&] { train::open_source(world, job, data::Use::train); }) ==
        "data.train: " + folder.path() +
            "/zeros.h5: all 600 samples have weight 0 (/weights), so "
            "nothing can be learned; give samples to learn from a "
            "weight above 0");
  CHECK(train::open_source(world, job, data::Use::predict)->info().samples == 600);
  CHECK(train::open_source(world, job, data::Use::evaluate)->info().samples == 600);
  job.data.train.push_back(folder.path() + "/weighted.h5");
  CHECK(train::open_source(world, job, data::Use::train)->info().samples == 1200);
}
