// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "catch.hpp"
#include "store/scratch.hpp"
#include <tesserec/parallel_io/checkpoint_folder.hpp>
#include <tesserec/parallel_io/state.hpp>

using namespace tesserec;
using parallel_io::CheckpointFolder;
using store::Checkpoint;
namespace fs = std::filesystem;

namespace {

constexpr Index rows = 64;

Checkpoint write(const comm::Communicator& comm, const CheckpointFolder& folder, Index step) {
  std::vector<float> values(rows, static_cast<float>(step));
  std::vector<store::StateItem> items;
  if (comm.rank() == 0)
    items.push_back({"weight", rows, 1, {0, rows, 0, 1}, store::placed_rows(values.data(), 1), true});
  const Checkpoint begun = folder.begin(step);
  return folder.commit(begun, parallel_io::write_state(Exec(), comm, begun.state_file(), items, {{"step", step}}));
}

std::vector<Index> steps(const CheckpointFolder& folder) {
  std::vector<Index> found;
  for (const Checkpoint& checkpoint : folder.list()) found.push_back(checkpoint.step);
  return found;
}

}  // namespace

TEST_CASE("CheckpointFolder: lists whole checkpoints newest first and prunes to the newest") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Scratch scratch(world);
  const CheckpointFolder folder(world, scratch / "run/checkpoints");
  REQUIRE(folder.list().empty());
  for (const Index step : {7, 1234567890, 30}) write(world, folder, step);
  REQUIRE(steps(folder) == std::vector<Index>{1234567890, 30, 7});
  const Checkpoint newest = folder.list().front();
  REQUIRE(newest.folder == scratch / "run/checkpoints/step_1234567890");
  REQUIRE(folder.list().back().folder == scratch / "run/checkpoints/step_000000007");
  const store::OpenCheckpoint open = parallel_io::open_checkpoint(world, newest.folder);
  REQUIRE(open.manifest.step == 1234567890);
  REQUIRE(open.manifest.datasets == store::list_state(open.state));
  write(world, folder, 30);
  REQUIRE(steps(folder) == std::vector<Index>{1234567890, 30, 7});
  folder.prune(newest, {});
  folder.prune(newest, {.checkpoints = 5});
  REQUIRE(steps(folder).size() == 3);
  REQUIRE(std::distance(fs::directory_iterator(folder.path()), {}) == 3);  // the older step 30 was removed
  world.barrier();
  folder.prune({30, ""}, {.checkpoints = 1});  // 30 is the newest step of a run that replaced the run with 1234567890
  REQUIRE(steps(folder) == std::vector<Index>{30});
  REQUIRE(std::distance(fs::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("CheckpointFolder: lists no remains of a killed run and hides no whole checkpoint") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Scratch scratch(world);
  const CheckpointFolder folder(world, scratch / "c");
  const std::string ten = write(world, folder, 10).folder, twenty = write(world, folder, 20).folder;
  const bool first = world.rank() == 0;
  if (first) {
    // States after a kill: while writing, before the rename, while removing, and between the two renames of a
    // replacement.
    fs::create_directories(scratch / "c/step_000000030.tmp");
    fs::copy(twenty, scratch / "c/step_000000040.tmp");
    fs::copy(twenty, scratch / "c/step_000000005.trash");
    fs::create_directories(scratch / "c/step_000000050");
    fs::rename(ten, ten + ".old");
    put_bytes(scratch / "c/step_notes.txt", "mine");
  }
  world.barrier();
  REQUIRE(steps(folder) == std::vector<Index>{20, 10});
  REQUIRE(folder.list().back().folder == ten + ".old");
  parallel_io::open_checkpoint(world, ten + ".old");
  folder.begin(60);
  world.barrier();
  REQUIRE(steps(folder) == std::vector<Index>{20, 10});
  REQUIRE(!fs::exists(scratch / "c/step_000000040.tmp"));
  REQUIRE(!fs::exists(scratch / "c/step_000000005.trash"));
  REQUIRE(fs::exists(scratch / "c/step_notes.txt"));
  world.barrier();
  REQUIRE(write(world, folder, 10).folder == ten);
  write(world, folder, 50);
  REQUIRE(steps(folder) == std::vector<Index>{50, 20, 10});
  REQUIRE(!fs::exists(ten + ".old"));
}

TEST_CASE("open_checkpoint: throws on every rank with the reason if a checkpoint cannot be read") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Scratch scratch(world);
  const CheckpointFolder folder(world, scratch / "c");
  const Checkpoint checkpoint = write(world, folder, 1);
  const std::string manifest = checkpoint.folder + "/manifest.json", text = bytes_of(manifest),
                    state = bytes_of(checkpoint.state_file());
  const auto error_with = [&](const std::string& path, const std::string& bytes) {
    world.barrier();
    if (world.rank() == 0) put_bytes(path, bytes);
    world.barrier();
    return error_of([&] { parallel_io::open_checkpoint(world, checkpoint.folder); });
  };
  REQUIRE(error_with(manifest, text).empty());
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    return changed.replace(changed.find(from), from.size(), to);
  };
  REQUIRE(mentions(error_with(manifest, with("\"version\": 2", "\"version\": 3")), "has format version 3"));
  REQUIRE(mentions(error_with(manifest, with("\"rows\": 64", "\"rows\": 65")), "its digest does not fit"));
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, text.size() / 2, text.size() - 2})
    REQUIRE(mentions(error_with(manifest, text.substr(0, size)), "is damaged or not a manifest"));
  REQUIRE(folder.list().empty());
  error_with(manifest, text);
  REQUIRE(mentions(error_with(checkpoint.state_file(), state.substr(0, state.size() - 1)), "truncated"));
  REQUIRE(
      mentions(error_of([&] { parallel_io::open_checkpoint(world, scratch / "none"); }), "no such checkpoint folder"));
  // A folder cannot be made if a file has its name.
  if (world.rank() == 0) put_bytes(scratch / "file", "");
  world.barrier();
  REQUIRE(!error_of([&] { CheckpointFolder(world, scratch / "file/c").begin(1); }).empty());
}

TEST_CASE("open_checkpoint: throws with the file name for a flipped byte or another checkpoint's file") {
  const comm::Communicator alone(MPI_COMM_SELF), world(MPI_COMM_WORLD);
  const Scratch scratch(world);
  if (world.rank() != 0) return;
  const CheckpointFolder folder(alone, scratch / "c");
  std::vector<float> table(60), bias(3);
  std::iota(table.begin(), table.end(), 1.0f);
  const std::vector<store::StateItem> items = {
      {"tables/one/weight", 10, 6, {0, 10}, store::placed_rows(table.data(), 6), true},
      {"dense/top.0.bias/value", 3, 1, {0, 3}, store::placed_rows(bias.data(), 1), true}};
  const auto save = [&](Index step, Index part_bytes) {
    const Checkpoint begun = folder.begin(step);
    return folder.commit(begun, parallel_io::write_state(Exec(), alone, begun.state_file(), items,
                                                         {{"deck", std::string("lr = 0.125")}}, part_bytes));
  };
  for (const Index part_bytes : {0, 100}) {
    const Checkpoint whole = save(1, part_bytes);
    table[7] += 1;
    const Checkpoint other = save(2, part_bytes);
    const auto error_of_open = [&] { return error_of([&] { parallel_io::open_checkpoint(alone, whole.folder); }); };
    REQUIRE(error_of_open().empty());
    std::vector<std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(whole.folder))
      if (entry.is_regular_file()) files.push_back(entry.path());
    REQUIRE(files.size() == (part_bytes == 0 ? 2 : 5));
    for (const std::string& path : files) {
      const std::string bytes = bytes_of(path), name = fs::path(path).filename();
      for (std::size_t at = 0; at < bytes.size(); at += part_bytes == 0 ? 3 : 61) {
        std::string flipped = bytes;
        flipped[at] = static_cast<char>(flipped[at] ^ (1 << (at % 8)));
        put_bytes(path, flipped);
        const std::string error = error_of_open();
        INFO("byte " << at << " of " << bytes.size() << " of " << path << ": " << error);
        REQUIRE(mentions(error, name));
        REQUIRE(mentions(error, "damaged"));
      }
      put_bytes(path, bytes);
    }
    for (const auto& entry : fs::recursive_directory_iterator(other.folder)) {
      // The other checkpoint's parts have other names; its first parts are the same in both.
      const std::string name = entry.path().filename();
      if (!entry.is_regular_file() || name == "00000.h5") continue;
      const auto place = std::find_if(files.begin(), files.end(),
                                      [&](const std::string& file) { return fs::path(file).filename() == name; });
      const std::string bytes = bytes_of(*place);
      if (bytes == bytes_of(entry.path())) continue;
      put_bytes(*place, bytes_of(entry.path()));
      INFO(name << ": " << error_of_open());
      REQUIRE(!error_of_open().empty());
      put_bytes(*place, bytes);
    }
    REQUIRE(error_of_open().empty());
    table[7] -= 1;
  }
}
