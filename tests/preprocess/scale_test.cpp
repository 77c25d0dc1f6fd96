// SPDX-License-Identifier: Apache-2.0
// Data sets from little memory: the same bytes as from plenty.
#include "jobs.hpp"

using namespace tesserec;
using namespace tesserec::preprocess;

TEST_CASE("run: little memory gives the same bytes, on any number of ranks") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  folder.write("train.csv", many_values(16000, 1));
  folder.write("test.csv", many_values(3000, 2));
  folder.write("later.csv", many_values(3000, 3));
  for (const std::string bag : {"", "|"}) {
    Settings settings = settings_of(bag);
    settings.train = {folder / "train.csv"};
    settings.evaluate = {folder / "test.csv"};
    settings.output = folder / ("plenty" + bag);
    settings.minimum_count = 2;
    const PreprocessReport plenty = run(world, settings);
    world.barrier();
    Settings later = settings;
    later.train = {folder / "later.csv"};
    later.evaluate.clear();
    later.vocabulary = settings.output + "/train.h5";
    later.minimum_count = 1;
    later.extend = true;
    later.output = folder / ("plenty_later" + bag);
    run(world, later);
    for_each_rank_count(world, [&](const comm::Communicator& comm, const std::string& name) {
      Settings little = settings;
      little.memory = 1;
      little.output = folder / ("little" + bag + name);
      const PreprocessReport report = run(comm, little);
      REQUIRE(report.ids[0] * 200 > 300 << 10);  // bytes; a rank holds a piece of 256 KiB
      CHECK(report.values == plenty.values);
      for (std::size_t f = 0; f < 2; ++f) {
        CHECK(report.evaluate.column(1 + f).unknown == plenty.evaluate.column(1 + f).unknown);
        CHECK(report.evaluate.files[0].unknown == plenty.evaluate.files[0].unknown);
      }
      comm.barrier();
      if (comm.rank() == 0) {
        require_same(settings.output, little.output, {"train.h5", "evaluate.h5"});
        CHECK(names_in(little.output) == std::vector<std::string>{"evaluate.h5", "train.h5"});
      }
      Settings little_later = later;
      little_later.memory = 1;
      little_later.output = folder / ("little_later" + bag + name);
      run(comm, little_later);
      comm.barrier();
      if (comm.rank() == 0) require_same(later.output, little_later.output, {"train.h5"});
    });
  }
}
