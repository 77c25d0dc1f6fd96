// SPDX-License-Identifier: Apache-2.0
// Wrong or odd values in files without a seal: prepare_source() and check_samples() report them before the first step.
#include <limits>

#include "catch.hpp"
#include "data/samples_file.hpp"
#include "errors.hpp"
#include "small_job.hpp"
#include <tesserec/data/columns.hpp>

using namespace tesserec;

namespace {

/// Returns the error before the first step of a job that trains on one file and evaluates another.
std::string complaint(const comm::Communicator& comm, const train::Job& job, data::OddValues* odd = nullptr) {
  return error_of([&] {
    const auto source = train::open_source(comm, job, data::Use::train);
    const auto evaluation = data::in_order(train::open_source(comm, job, data::Use::evaluate), source->info());
    const train::Session session(Exec(), comm, job, source->info());
    train::prepare_source(session, *source, data::Use::train);
    train::prepare_source(session, *evaluation, data::Use::evaluate);
    if (odd != nullptr) *odd = evaluation->check_samples();
  });
}

template <class T>
auto poke(const std::string& name, Index row, Index column, T value) {
  return [=](store::File& file) { file.write(name, {row, 1, column, file.shape(name).size() == 2 ? 1 : -1}, &value); };
}

struct Files {
  Files(const comm::Communicator& world, const std::string& name) : comm(world), folder(world, name) {
    if (comm.rank() == 0) std::filesystem::create_directories(folder.path());
    job = small_job(folder.path() + "/run");
    job.data = {};
    job.data.train = {folder.path() + "/train.h5"};
    job.data.evaluate = {folder.path() + "/evaluate.h5"};
  }
  /// Writes a file on rank 0; without its seal unless `sealed`, as if another program had written it.
  template <class Write>
  void make(const std::string& path, const Write& write, bool sealed = false) const {
    comm.barrier();
    if (comm.rank() == 0) {
      write(path);
      if (!sealed) samples_file::drop_seal(path);
    }
    comm.barrier();
  }

  const comm::Communicator& comm;
  Folder folder;
  train::Job job;
};

}  // namespace

TEST_CASE("prepare_source: checks ids and numbers of packed files without a seal before the first step") {
  const comm::Communicator world(MPI_COMM_WORLD);
  Files files(world, "packed_values");
  const std::string train = files.job.data.train[0], evaluate = files.job.data.evaluate[0];
  const auto packed = [](const auto& change) {
    return [=](const std::string& path) { samples_file::packed(path, 0, 600, change); };
  };
  const auto nothing = [](store::File&) {};
  files.make(train, packed(nothing));
  files.make(evaluate, packed(nothing));
  CHECK(complaint(world, files.job).empty());
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const std::string& path : {evaluate, train}) {
    files.make(path, packed(poke("/sparse/ids", 541, 0, 1000)));
    CHECK(mentions(complaint(world, files.job), "id 1000 of feature low in sample 541 of " + path));
    files.make(path, packed(poke("/sparse/ids", 41, 1, -1)));
    CHECK(mentions(complaint(world, files.job), "id -1 of feature high in sample 41 of " + path));
    files.make(path, packed(poke("/dense", 599, 1, nan)));
    CHECK(mentions(complaint(world, files.job), "dense feature minus is nan in sample 599 of " + path));
    files.make(path, packed(poke("/dense", 0, 0, -1 / 0.0f)));
    CHECK(mentions(complaint(world, files.job), "dense feature plus is -inf in sample 0 of " + path));
    files.make(path, packed(nothing));
  }
  // A seal vouches for numbers, and for ids if the tables have the rows that the file names.
  files.make(evaluate, packed(nothing), true);
  files.job.tables.resize(2);
  files.job.tables[0].name = "low", files.job.tables[1].name = "high";
  CHECK(complaint(world, files.job).empty());
  files.make(
      train, [](const std::string& path) { samples_file::packed(path, 0, 100); }, true);
  files.job.tables[0].num_embeddings = 577;
  CHECK(mentions(complaint(world, files.job), "id 577 of feature low in sample 577 of " + evaluate));

  files.job.tables[0].num_embeddings = 0;
  files.make(evaluate, packed([](store::File& file) {
               const float large[] = {1e9f, -2e9f, 0.999e9f};
               for (Index i = 0; i < 3; ++i) file.write("/dense", {200 * i, 1, 1, 1}, &large[i]);
             }));
  data::OddValues odd;
  CHECK(complaint(world, files.job, &odd).empty());
  REQUIRE(odd.large.size() == 2);
  CHECK(world.sum(odd.large[0]) == 0);
  CHECK(world.sum(odd.large[1]) == 2);
}

TEST_CASE("prepare_source: checks ids and weights of jagged files without a seal before the first step") {
  const comm::Communicator world(MPI_COMM_WORLD);
  Files files(world, "bag_values");
  const std::string train = files.job.data.train[0], evaluate = files.job.data.evaluate[0];
  const auto bags = [](const auto& change) {
    return [=](const std::string& path) {
      samples_file::jagged(path, 0, 200, [&](store::File& file) {
        file.set_attribute("/", "rows", std::vector<std::int64_t>{203, 400});
        file.set_attribute("/", "dense_features", std::vector<std::string>{"d"});
        file.write_all("/dense", {200, 1}, std::vector<float>(200, 0.5f).data());
        change(file);
      });
    };
  };
  const auto nothing = [](store::File&) {};
  files.job.tables.resize(2);
  files.job.tables[0].name = "a", files.job.tables[1].name = "b";
  files.job.tables[0].weighted = true;
  files.make(train, bags(nothing));
  files.make(evaluate, bags(nothing));
  data::OddValues odd;
  REQUIRE(complaint(world, files.job, &odd) == "");
  REQUIRE(odd.weightless.size() == 2);
  CHECK(world.sum(odd.weightless[0]) == 0);
  CHECK(world.sum(odd.not_single[0]) == 150);
  CHECK(world.sum(odd.not_single[1]) == 0);
  // Sample 199 has the bag a = {199, 200, 201}, the last of the file.
  const Index last = 299;
  for (const std::string& path : {evaluate, train}) {
    files.make(path, bags(poke<std::int64_t>("/sparse/a/values", last, 0, 203)));
    CHECK(mentions(complaint(world, files.job), "id 203 of feature a in sample 199 of " + path));
    for (const float weight : {std::numeric_limits<float>::quiet_NaN(), 1 / 0.0f, 1.1e6f, -1.1e6f}) {
      files.make(path, bags(poke("/sparse/a/weights", last, 0, weight)));
      CHECK(mentions(complaint(world, files.job), " of feature a in sample 199 of " + path + " is outside [-1"));
    }
    files.make(path, bags(poke<std::int32_t>("/sparse/b/values", 3, 0, -7)));
    CHECK(mentions(complaint(world, files.job), "id -7 of feature b in sample 3 of " + path));
    files.make(path, bags(nothing));
  }
  // Bags 2 and 3 of feature a have the weights 1 to 5 of the file. They become zero, so these two bags weigh nothing.
  files.make(evaluate, bags([](store::File& file) {
               const std::vector<float> zeros(5, 0.0f);
               file.write("/sparse/a/weights", {1, 5}, zeros.data());
             }));
  CHECK(complaint(world, files.job, &odd) == "");
  CHECK(world.sum(odd.weightless[0]) == 2);
  files.job.evaluate.metrics = {"auc", "gauc"};
  files.job.evaluate.group = "b";
  CHECK(complaint(world, files.job) == "");
  files.job.evaluate.group = "a";
  CHECK(mentions(complaint(world, files.job), "feature \"a\" has no id, or several, in 150 samples of " + evaluate));
}
