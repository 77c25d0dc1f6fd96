// SPDX-License-Identifier: Apache-2.0
#include <fstream>

#include "catch.hpp"
#include "data/samples_file.hpp"
#include "errors.hpp"
#include "train/small_job.hpp"

using namespace tesserec;

TEST_CASE("open_source: throws if ranks read different bytes at one path") {
  const comm::Communicator world(MPI_COMM_WORLD);
  if (world.size() == 1) return;
  const Folder folder(world, "same_files");
  const std::filesystem::path before = std::filesystem::current_path();
  const std::filesystem::path own = std::filesystem::path(folder.path()) / std::to_string(world.rank());
  std::filesystem::create_directories(own);
  std::filesystem::current_path(own);
  train::Job job = small_job("run");
  job.data = {};
  job.data.train = {"same.h5"};
  job.data.evaluate = {"other.h5"};
  job.train.lanes = 8;
  samples_file::packed("same.h5", 0, 100);
  samples_file::packed("other.h5", world.rank() == 1 ? 1 : 0, 100);
  const auto error = [&](data::Use use) { return error_of([&] { train::open_source(world, job, use); }); };
  CHECK(error(data::Use::train).empty());
  const std::string message = error(data::Use::evaluate);
  std::ofstream("unsealed") << world.rank();
  data::SourceInfo unsealed;
  unsealed.files = {{"unsealed", ""}};
  const std::string differs = error_of([&] { train::require_same_files(world, unsealed); });
  std::filesystem::current_path(before);
  CHECK(mentions(message, "rank 1: other.h5 is "));
  CHECK(mentions(message, ", rank 0 has "));
  CHECK(mentions(differs, "rank 1: unsealed is "));
  CHECK(mentions(message, "give all ranks the same files"));
}
