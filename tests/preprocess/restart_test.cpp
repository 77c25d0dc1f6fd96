// SPDX-License-Identifier: Apache-2.0
// Data sets from the scratch files of an interrupted job: the same bytes as in one go.
#include <csignal>
#include <optional>

#include "jobs.hpp"
#include <tesserec/core/signals.hpp>

using namespace tesserec;
using namespace tesserec::preprocess;

namespace {

/// Writes train.csv, or another file with the text packed, and returns the job that reads it.
Settings job_of(const test::Folder& folder, const std::string& text, const std::string& output, bool packed = false) {
  Settings settings = settings_of("");
  settings.train = {packed ? folder.write("train.csv.gz", test::gzipped(text)) : folder.write("train.csv", text)};
  settings.output = folder / output;
  return settings;
}

}  // namespace

TEST_CASE("run: goes on from what an interrupted job has sealed, on any number of ranks") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  const bool packed = GENERATE(false, true);
  const std::string text = many_values(20000, 4);
  const Settings settings = job_of(folder, text, "whole", packed);
  run(world, settings);
  world.barrier();
  for_each_rank_count(world, [&](const comm::Communicator& comm, const std::string& name) {
    Settings again = settings;
    again.output = folder / ("again" + name);
    // Each file holds a range that another number of ranks would not cut so.
    interrupt(comm, again);
    const std::string scratch = scratch_of(again.output);
    const std::vector<std::string> sealed = names_in(scratch);
    REQUIRE(std::ssize(sealed) >= comm.size());
    on_first(comm, [&] {
      if (comm.size() > 1) fs::remove(scratch + "/" + sealed[1]);
    });
    const bool is_fewer = comm.rank() < comm.size() - 1 || comm.size() == 1;
    const comm::Communicator fewer(comm, is_fewer ? 0 : 1);
    if (is_fewer) run(fewer, again);
    on_first(comm, [&] {
      require_same(settings.output, again.output, {"train.h5"});
      CHECK(names_in(again.output) == std::vector<std::string>{"train.h5"});
    });

    // Sorted tokens of fewer ranks, in a folder that has moved since.
    again.output = folder / ("sorted" + name);
    if (is_fewer) interrupt(fewer, again, Until::sorted);
    Settings moved = again;
    moved.output = folder / ("moved" + name);
    on_first(comm, [&] { fs::rename(again.output, moved.output); });
    const std::string tokens = scratch_of(moved.output) + "/tokens-0";
    // A damaged byte tells that they are not sorted again.
    char byte = 0;
    std::ifstream(tokens, std::ios::binary).seekg(99).get(byte);
    on_first(comm, [&] { put_with_time(tokens, 99, std::string(1, char(byte + 1))); });
    CHECK(mentions(error_of([&] { run(comm, moved); }), tokens + ": this scratch file is damaged"));
    on_first(comm, [&] { put_with_time(tokens, 99, std::string(1, byte)); });
    moved.memory = 1;
    run(comm, moved);
    on_first(comm, [&] {
      require_same(settings.output, moved.output, {"train.h5"});
      CHECK(names_in(moved.output) == std::vector<std::string>{"train.h5"});
    });
  });
}

TEST_CASE("run: a split log goes on with the same two sides, on another number of ranks") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  folder.write("train.csv", many_values(20000, 5));
  Settings settings = settings_of("");
  settings.train = {folder / "train.csv"};
  settings.split = {SplitBy::hash, "few", "", 0.3};
  settings.output = folder / "whole";
  const PreprocessReport whole = run(world, settings);
  REQUIRE(whole.split.evaluate > 2000);
  for (const Until until : {Until::counted, Until::written}) {
    Settings again = settings;
    again.output = folder / ("again" + std::to_string(int(until)));
    interrupt(world, again, until);
    const bool is_fewer = world.rank() < world.size() - 1 || world.size() == 1;
    const comm::Communicator fewer(world, is_fewer ? 0 : 1);
    again.memory = 1;
    if (is_fewer) {
      const PreprocessReport report = run(fewer, again);
      CHECK(report.split.evaluate == whole.split.evaluate);
      CHECK(report.train.rows == whole.train.rows);
    }
    on_first(world, [&] { require_same(settings.output, again.output, {"train.h5", "evaluate.h5"}); });
  }
}

TEST_CASE("run: preprocess.strict refuses a leak in rows that an earlier start wrote") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  std::string text = many_values(20000, 5);
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)  // The number is the label.
    text.replace(at + 2, text.find(',', at + 2) - at - 2, 1, text[at]);
  folder.write("train.csv", text);
  Settings settings = settings_of("");
  settings.train = {folder / "train.csv"};
  settings.part_bytes = 100000;
  settings.memory = 1;
  settings.output = folder / "out";
  interrupt(world, settings, Until::written);
  settings.strict = true;
  for (int start = 0; start < 2; ++start) {
    CHECK(mentions(error_of([&] { run(world, settings); }), "finding, so nothing was written"));
    on_first(world, [&] {
      CHECK(fs::exists(scratch_of(settings.output)));
      CHECK_FALSE(fs::exists(settings.output + "/train.h5"));
    });
  }
  settings.strict = false;
  const PreprocessReport report = run(world, settings);
  CHECK(report.train.facts.unsampled > 0);  // Without strict, these rows are told as not searched.
}

TEST_CASE("run: sorts again if sorted tokens of an earlier start are gone or had another minimum_count") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  Settings settings = job_of(folder, many_values(12000, 7), "whole");
  settings.minimum_count = 2;
  run(world, settings);
  Settings again = settings;
  again.output = folder / "again";
  again.minimum_count = 1;
  interrupt(world, again, Until::sorted);
  again.minimum_count = 2;
  run(world, again);
  on_first(world, [&] { require_same(settings.output, again.output, {"train.h5"}); });

  again.output = folder / "gone";
  again.minimum_count = 1;
  interrupt(world, again, Until::sorted);
  const std::vector<std::string> names = names_in(scratch_of(again.output));
  CHECK(std::none_of(names.begin(), names.end(), [](const std::string& n) { return n.starts_with("partitions-"); }));
  on_first(world, [&] { fs::remove(scratch_of(again.output) + "/tokens-0"); });
  run(world, again);
}

TEST_CASE("run: does not go on from counts of another text of the same size and time") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  const std::string text = many_values(20000, 4);
  const Settings settings = job_of(folder, text, "out");
  interrupt(world, settings);
  change_label(world, folder / "train.csv", text);
  CHECK(mentions(error_of([&] { run(world, settings); }),
                 (folder / "train.csv") + " was changed while it was being read"));
  world.barrier();
  CHECK(names_in(settings.output).empty());  // Such work is not kept.
  world.barrier();
  run(world, settings);
}

TEST_CASE("run: keeps the work of earlier starts if it fails") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  folder.write("train.csv", many_values(2000, 8));
  std::string unknown;
  for (Index i = 0; i < 1000; ++i) unknown += "1,2,new,new\n0,2,new,new\n";
  folder.write("test.csv", unknown);
  Settings settings = settings_of("");
  settings.train = {folder / "train.csv"};
  settings.evaluate = {folder / "test.csv"};
  settings.output = folder / "out";
  const auto fails = [&] { return mentions(error_of([&] { run(world, settings); }), "max_unknown"); };
  CHECK(fails());
  world.barrier();
  CHECK(names_in(settings.output).empty());  // Work of a few seconds is not kept.
  interrupt(world, settings);
  CHECK(fails());
  world.barrier();
  CHECK(names_in(settings.output).size() == 2);  // the folder and its lock
  world.barrier();
  settings.max_unknown = 1;
  run(world, settings);
  on_first(world, [&] { CHECK(names_in(settings.output) == std::vector<std::string>{"evaluate.h5", "train.h5"}); });
}

TEST_CASE("run: stops at a bad row that an earlier start has left out") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  Settings settings = job_of(folder, many_values(1500, 9) + "bad\n" + many_values(1500, 10), "out");
  settings.bad_rows = BadRows::skip;
  interrupt(world, settings);
  settings.bad_rows = BadRows::stop;
  CHECK(mentions(error_of([&] { run(world, settings); }), (folder / "train.csv") + ":1501: "));
  world.barrier();
  const std::string first = scratch_of(settings.output) + "/" + names_in(scratch_of(settings.output)).front();
  if (world.size() > 1) {
    on_first(world, [&] { fs::remove(first); });
    const std::string message = error_of([&] { run(world, settings); });
    // The first of two ranks has read the bad row, the second of three.
    CHECK(mentions(message, world.size() == 2 ? ":1501: " : " from byte "));
    world.barrier();
  }
  settings.bad_rows = BadRows::skip;
  CHECK(run(world, settings).train.bad_rows() == 1);
  world.barrier();
}

TEST_CASE("run: refuses scratch files that hold a text twice, and a folder that a rank of another job still has") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  const Settings settings = job_of(folder, many_values(2000, 11), "out");
  interrupt(world, settings);
  const std::string scratch = scratch_of(settings.output);
  on_first(world, [&] {
    const std::string file = scratch + "/" + names_in(scratch).front();
    fs::copy_file(file, file + "0");
  });
  CHECK(mentions(error_of([&] { run(world, settings); }),
                 scratch + ": its files hold text of " + settings.train.front() + " twice"));
  world.barrier();

  std::optional<ScratchFolder> held(std::in_place, world, folder / ".", "held", 0);
  on_first(world, [&] { ScratchWriter(held->path("work")).seal(""); });
  held->keep();
  if (world.rank() == 0 && world.size() > 1) held.reset();
  world.barrier();
  CHECK(mentions(error_of([&] { ScratchFolder(world, folder / ".", "held", 0); }), "held.lock is in use by "));
  world.barrier();
}

TEST_CASE("ScratchWriter: says what to do if the disk is full") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  const std::string path = folder / ("file" + std::to_string(world.rank()));
  fs::create_symlink("/dev/full", path + ".tmp");
  ScratchWriter file(path);
  const std::string message = error_of([&] { file.seal("footer"); });
  CHECK(mentions(message, "No space left on device"));
  CHECK(mentions(message, "free space in preprocess.output and start the same command again"));
  world.barrier();
}

TEST_CASE("run: ignores scratch files of other raw files or settings") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  const std::string text = many_values(2000, 5);
  const Settings settings = job_of(folder, text, "out");
  {
    const Signals signals;
    std::raise(SIGTERM);
    REQUIRE_THROWS_AS(run(world, settings), Stopped);
  }
  world.barrier();
  CHECK(names_in(settings.output).empty());  // Nothing was done.
  world.barrier();
  interrupt(world, settings);
  REQUIRE(names_in(settings.output).size() == 2);  // the folder and its lock
  std::vector<RawFile> files = find_raw_files(world, settings.train, "preprocess.train");
  const std::string key = job_key(settings, files);
  Settings other = settings;
  other.columns[2].separator = "|";
  CHECK(job_key(other, files) != key);
  other = settings;
  other.memory = 5;
  other.bad_rows = BadRows::skip;
  other.max_unknown = 1;
  other.minimum_count = 3;
  other.evaluate = {"other.csv"};
  CHECK(job_key(other, files) == key);
  ++files.front().stamp.nanoseconds;
  CHECK(job_key(settings, files) != key);
  on_first(world, [&] { put_with_time(folder / "train.csv", 0, text.front() == '0' ? "1" : "0"); });
  files = find_raw_files(world, settings.train, "preprocess.train");
  CHECK(job_key(settings, files) != key);
  folder.write("train.csv", many_values(2000, 6));
  run(world, settings);
  world.barrier();
  CHECK(names_in(settings.output).size() == 3);  // train.h5 and what was ignored
  world.barrier();
}
