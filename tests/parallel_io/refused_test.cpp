// SPDX-License-Identifier: Apache-2.0
// Refusal of bytes that differ from those written, and of files whose content disagrees with their name.
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "catch.hpp"
#include "store/scratch.hpp"
#include <tesserec/parallel_io/checkpoint_folder.hpp>
#include <tesserec/parallel_io/parted_writer.hpp>
#include <tesserec/parallel_io/state.hpp>
#include <tesserec/store/disk.hpp>

using namespace tesserec;
using parallel_io::PartedWriter;
using store::PartedFile;
namespace fs = std::filesystem;

namespace {

constexpr Index rows = 300;

/// Writes a file of three parts with 100 numbers each.
void write_three_parts(const comm::Communicator& comm, const std::string& path, float first) {
  std::vector<float> values(rows);
  std::iota(values.begin(), values.end(), first);
  PartedWriter writer(comm, path, store::PartsLayout({{{"v", store::ElementType::f32, rows}}}, 400));
  const PartedWriter::SlabData all[] = {{0, {0, rows}, values.data()}};
  writer.write(all);
  writer.end({});
  writer.prepare();
  writer.publish();
}

std::vector<std::string> parts_of(const std::string& path) {
  return store::File::open(path).attribute<std::vector<std::string>>("/", "parts");
}

/// Writes an index of the parts of `path` whose dataset v has these runs: part, first row, rows.
void write_index(const std::string& to, const std::string& path, const std::vector<std::int64_t>& runs) {
  store::File file = store::File::create(to);
  file.set_attribute("/", "parts", parts_of(path));
  file.create_dataset<float>("v", {rows});
  file.set_attribute("v", "parts", runs);
  file.close();
}

store::StateItem item(const std::string& name, store::Slab slab, std::vector<float>& values, Index columns = 4) {
  return {name, 20, columns, slab, store::placed_rows(values.data(), columns), true};
}

}  // namespace

TEST_CASE("PartedWriter: keeps an existing part of the same name only if it is whole") {
  const comm::Communicator world(MPI_COMM_WORLD), self(MPI_COMM_SELF);
  const Scratch folder(world);
  if (world.rank() != 0) return;
  const std::string path = folder / "x.h5";
  write_three_parts(self, path, 1);
  const std::vector<std::string> parts = parts_of(path);
  const std::string part = folder / parts[1].substr(0, parts[1].find(' '));
  std::string damaged = bytes_of(part);
  damaged.back() ^= 1;
  put_bytes(part, damaged);
  write_three_parts(self, path, 1);
  CHECK(error_of([&] { PartedFile::open(path).verify_parts(); }).empty());
  fs::remove(part);
  write_three_parts(self, path, 1);
  CHECK(error_of([&] { PartedFile::open(path).verify_parts(); }).empty());
}

TEST_CASE("PartedFile: read throws if the runs of the index leave rows out") {
  const comm::Communicator world(MPI_COMM_WORLD), self(MPI_COMM_SELF);
  const Scratch folder(world);
  if (world.rank() != 0) return;
  const std::string path = folder / "x.h5", index = folder / "y.h5";
  write_three_parts(self, path, 1);
  const auto first_rows = [&](const std::vector<std::int64_t>& runs) {
    write_index(index, path, runs);
    return error_of([&] {
      std::vector<float> some(50);
      PartedFile::open(index).read("v", {0, 50}, some.data());
    });
  };
  CHECK(first_rows({0, 0, 100, 1, 100, 100, 2, 200, 100}).empty());
  CHECK(mentions(first_rows({0, 0, 100, 2, 200, 100}), "v: attribute parts has an invalid run (part "));
  CHECK(mentions(first_rows({0, 0, 100, 1, 100, 100, 7, 200, 100}), "v: attribute parts has an invalid run (part "));
  CHECK(mentions(first_rows({0, 0, 100, 1, 100, 100, 2, 200, 0}), "v: attribute parts has an invalid run (part "));
  CHECK(mentions(first_rows({0, 0, 100, 1, 100, 100}), "v: attribute parts covers 200 of "));
  CHECK(mentions(first_rows({0, 0, 100, 1, 100, 100, 2, 200, 100, 3}),
                 "v: attribute parts has 10 numbers, not 3 per part"));
}

TEST_CASE("CheckpointFolder: skips a checkpoint under the name of another step and removes a failed one") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Scratch scratch(world);
  const parallel_io::CheckpointFolder folder(world, scratch / "c");
  std::vector<float> values(80);
  std::vector<store::StateItem> items;
  if (world.rank() == 0) items.push_back(item("weight", {0, 20, 0, 4}, values));
  const auto write = [&](Index step) {
    return folder.write(step, [&](const std::string& path) {
      return parallel_io::write_state(Exec(), world, path, items, {{"step", step}});
    });
  };
  const std::string ten = write(10).folder;
  write(20);
  world.barrier();
  if (world.rank() == 0) fs::rename(ten, scratch / "c/step_000000030");
  world.barrier();
  REQUIRE(folder.list().size() == 1);
  CHECK(folder.list()[0].step == 20);
  world.barrier();
  if (!items.empty()) values[3] = std::nanf("");
  CHECK(mentions(error_of([&] { write(40); }), "weight is not a number in row 0, column 3"));
  world.barrier();
  CHECK_FALSE(fs::exists(scratch / "c/step_000000040.tmp"));
  CHECK_FALSE(fs::exists(scratch / "c/step_000000040"));
  world.barrier();
}

TEST_CASE("write_state: names a number that is not finite by its row and names both shapes that differ") {
  const comm::Communicator world(MPI_COMM_WORLD), self(MPI_COMM_SELF);
  const Scratch folder(world);
  if (world.rank() != 0) return;
  std::vector<float> upper(48), lower(32), wide(160);
  const auto error = [&](const std::vector<store::StateItem>& items) {
    return error_of([&] { parallel_io::write_state(Exec(), self, folder / "state.h5", items, {}); });
  };
  std::vector<store::StateItem> items = {item("w", {0, 12, 0, 4}, upper), item("w", {12, 8, 0, 4}, lower)};
  CHECK(error(items).empty());
  lower[4 * 5 + 2] = std::numeric_limits<float>::infinity();
  CHECK(mentions(error(items), "w is infinite in row 17, column 2"));
  lower.assign(32, 0);
  items.push_back(item("w", {0, 20, 0, 8}, wide, 8));
  items.back().owned = false;
  CHECK(mentions(error(items), "the ranks disagree on the shape of w: 20 x 4 and 20 x 8"));
  items.back().columns = 4, items.back().rows = 21, items.back().slab.columns = 4;
  CHECK(mentions(error(items), "the ranks disagree on the shape of w: 20 x 4 and 21 x 4"));
}
