// SPDX-License-Identifier: Apache-2.0
// Parts that an interrupted job has written: they are taken, and their text is not read again.
#include "jobs.hpp"

using namespace tesserec;
using namespace tesserec::preprocess;

TEST_CASE("run: leaves out the ranges that an interrupted job has written, on any number of ranks") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  const std::string text = many_values(20000, 8);
  for (const std::string bag : {"", "|"}) {
    folder.write("train.csv", text);
    Settings settings = settings_of(bag);
    settings.train = {folder / "train.csv"};
    settings.output = folder / ("whole" + bag);
    settings.part_bytes = 30000;
    const Index values = run(world, settings).train.column(1).values;
    world.barrier();
    for_each_rank_count(world, [&](const comm::Communicator& comm, const std::string& name) {
      Settings again = settings;
      again.output = folder / ("again" + bag + name);
      interrupt(comm, again, Until::written);
      // One part is cut, one is damaged and one is missing, so some of the ranges are written again.
      on_first(comm, [&] {
        fs::resize_file(again.output + "/train.parts.tmp/00001.h5", 1000);
        std::fstream(again.output + "/train.parts.tmp/00002.h5", std::ios::in | std::ios::out | std::ios::binary)
                .seekp(-5, std::ios::end)
            << "x";
        fs::remove(again.output + "/train.parts.tmp/00004.h5");
      });
      const PreprocessReport report = run(comm, again);
      CHECK(report.train.column(1).values == values);
      on_first(comm, [&] {
        const auto parts = names_in(settings.output);
        CHECK(names_in(again.output) == parts);
        require_same(settings.output, again.output, {"train.h5"});
        for (const std::string& part : names_in(settings.output + "/" + parts.front()))
          require_same(settings.output + "/" + parts.front(), again.output + "/" + parts.front(), {part});
      });
    });

    // The text is not read again: another one of the same size and time is not noticed.
    settings.output = folder / ("proof" + bag);
    interrupt(world, settings, Until::written);
    change_label(world, folder / "train.csv", text);
    PreprocessReport left_out;
    CHECK(error_of([&] { left_out = run(world, settings); }).empty());
    CHECK(left_out.train.column(1).values == values);
    world.barrier();

    // Another minimum_count needs other parts, though the scratch folder is the same.
    folder.write("train.csv", text);
    settings.output = folder / ("other" + bag);
    interrupt(world, settings, Until::written);
    Settings other = settings;
    other.minimum_count = 3;
    const PreprocessReport report = run(world, other);
    other.output = folder / ("other_whole" + bag);
    const PreprocessReport whole = run(world, other);
    CHECK(report.train.column(1).unknown == whole.train.column(1).unknown);
    on_first(world, [&] { require_same(settings.output, other.output, {"train.h5"}); });
  }
}
