// SPDX-License-Identifier: Apache-2.0
// The deck's tables against what the data have: the same error on every rank, before the first step.
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

TEST_CASE("a weighted table needs weights of each of its features") {
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
  const model::Settings dim_8{.embedding_dim = 8};
  const data::SourceInfo some = info_of(file), all = info_of(both);
  CHECK(error_of([&] { train::resolve_tables(table("b", true), some, dim_8); }) == expected("b", file));
  CHECK(error_of([&] { train::resolve_tables(table("b", false), some, dim_8); }) == "accepted");
  CHECK(error_of([&] { train::resolve_tables(table("a", true), some, dim_8); }) == "accepted");
  CHECK(error_of([&] { train::resolve_tables(table("b", true), all, dim_8); }) == "accepted");
  // The evaluation data of a training run meet the tables here.
  CHECK(error_of([&] { train::id_limits(table("b", true), all); }) == "accepted");
  CHECK(error_of([&] { train::id_limits(table("b", true), some); }) == expected("b", file));

  train::Job job = small_job(folder.path());  // a generator has no weights
  job.tables = {{"items", 0, 0, {"C2"}, embedding::PoolingType::sum, true, {}}};
  CHECK(error_of([&] { run(comm, job); }) == expected("C2", "planted model"));
}
