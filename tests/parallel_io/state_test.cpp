// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>

#include "catch.hpp"
#include "store/scratch.hpp"
#include <tesserec/core/random.hpp>
#include <tesserec/parallel_io/state.hpp>
#include <tesserec/store/checksum.hpp>
#include <tesserec/store/state.hpp>

using namespace tesserec;
using store::Slab;
using store::StateItem;

namespace {

constexpr Index wide_rows = 1003, wide_columns = 20, tall_rows = 7000;

// Returns the expected value at one place of a dataset.
float value_at(const std::string& name, Index row, Index column) {
  return Random(name.size(), Purpose::test).uniform(row, column);
}

// One rank's slabs of a state, with storage of their own and padded rows.
struct Parts {
  std::deque<std::vector<float>> storage;
  std::vector<StateItem> items;

  void add(const std::string& name, Index rows, Index columns, Slab slab, bool owned = true) {
    const Index ld = slab.columns + (slab.first_row % 2);
    storage.emplace_back(static_cast<std::size_t>(slab.rows * ld), -1.0f);
    items.push_back({name, rows, columns, slab, store::placed_rows(storage.back().data(), ld), owned});
  }
  void fill() {
    for (const StateItem& item : items)
      for (Index r = 0; r < item.slab.rows; ++r)
        for (Index c = 0; c < item.slab.columns; ++c)
          item.source->in_place({r, r + 1})[c] =
              value_at(item.name, item.slab.first_row + r, item.slab.first_column + c);
  }
  void clear() {
    for (auto& values : storage) std::fill(values.begin(), values.end(), -1.0f);
  }
  bool right() const {
    for (const StateItem& item : items)
      for (Index r = 0; r < item.slab.rows; ++r)
        for (Index c = 0; c < item.slab.columns; ++c)
          if (item.source->in_place({r, r + 1})[c] !=
              value_at(item.name, item.slab.first_row + r, item.slab.first_column + c))
            return false;
    return true;
  }
};

// Returns a rank's slabs. Partition 0: runs of rows. 1: column blocks of the wide table, and runs of the tall table
// dealt round robin. 2: everything on the last rank. One rank owns the small replicated matrix.
Parts make_parts(const comm::Communicator& comm, int partition) {
  Parts parts;
  const Index rank = comm.rank(), size = comm.size();
  const bool last = rank == size - 1;
  if (partition == 0) {
    const Index a = wide_rows * rank / size, b = wide_rows * (rank + 1) / size;
    parts.add("tables/wide/weight", wide_rows, wide_columns, {a, b - a, 0, wide_columns});
    const Index c = tall_rows * rank / size, d = tall_rows * (rank + 1) / size;
    parts.add("tables/tall/sum", tall_rows, 1, {c, d - c, 0, 1});
  } else if (partition == 1) {
    for (Index block = 0; block < 5; ++block)
      if (block % size == rank) parts.add("tables/wide/weight", wide_rows, wide_columns, {0, wide_rows, 4 * block, 4});
    for (Index run = 0; run < 7; ++run)
      if ((run + 1) % size == rank) parts.add("tables/tall/sum", tall_rows, 1, {1000 * run, 1000, 0, 1});
  } else if (last) {
    parts.add("tables/wide/weight", wide_rows, wide_columns, {0, wide_rows, 0, wide_columns});
    parts.add("tables/tall/sum", tall_rows, 1, {0, tall_rows, 0, 1});
  }
  parts.add("dense/bottom.0.weight", 6, 3, {0, 6, 0, 3}, partition == 0 ? rank == 0 : last);
  return parts;
}

}  // namespace

TEST_CASE("read_state: reads a state written with one partition into any other") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Scratch folder(world);
  const Exec exec;
  const store::Attributes attributes = {{"format", std::string("test")},
                                        {"step", std::int64_t{12}},
                                        {"rate", 0.1},
                                        {"names", std::vector<std::string>{"a", "b"}},
                                        {"rows", std::vector<std::int64_t>{1, 2}}};
  const Index part_bytes = GENERATE(0, 40000, 1999);  // in 1, 3 and 56 files
  std::string first_bytes;
  for (int written = 0; written < 3; ++written) {
    Parts from = make_parts(world, written);
    from.fill();
    const std::string path = folder / "state.h5";
    const store::StateRecords records = parallel_io::write_state(exec, world, path, from.items, attributes, part_bytes);
    REQUIRE(records.size() == 3);
    REQUIRE(records.at("tables/tall/sum").rows == tall_rows);
    const store::PartedFile file = parallel_io::open_state(world, path);
    REQUIRE(file.parts() == (part_bytes == 0 ? 0 : part_bytes == 40000 ? 3 : 56));
    REQUIRE(store::list_state(file) == records);
    REQUIRE((store::read_attributes(file) == attributes));
    if (first_bytes.empty()) first_bytes = bytes_of(path);
    REQUIRE((bytes_of(path) == first_bytes));  // an index contains checksums of its parts, so its bytes cover them
    const auto checksums = parallel_io::state_checksums(exec, world, from.items);
    for (const auto& [name, record] : records) REQUIRE(record.checksum == checksums.at(name));
    for (int read = 0; read < 3; ++read) {
      Parts to = make_parts(world, read);
      parallel_io::read_state(exec, world, file, to.items);
      REQUIRE(to.right());
    }
    Parts alone = make_parts(comm::Communicator(MPI_COMM_SELF), 2);  // each rank also reads alone
    store::read_state(exec, store::PartedFile::open(path), alone.items, store::Extent::all);
    REQUIRE(alone.right());
  }
}

TEST_CASE("read_state: throws on every rank with the file name if a state file is damaged") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Scratch folder(world);
  const Exec exec;
  const std::string path = folder / "state.h5";
  Parts parts = make_parts(world, 1);
  parts.fill();
  parallel_io::write_state(exec, world, path, parts.items, {{"deck", std::string("lr = 0.125")}});
  const std::string whole = bytes_of(path);
  world.barrier();
  const auto damaged = [&](const std::string& bytes) {
    if (world.rank() == 0) put_bytes(path, bytes);
    world.barrier();
    parts.clear();
    const std::string error =
        error_of([&] { parallel_io::read_state(exec, world, parallel_io::open_state(world, path), parts.items); });
    world.barrier();
    return error;
  };
  REQUIRE(damaged(whole).empty());
  REQUIRE(parts.right());

  std::string flipped = whole;
  const float value = value_at("tables/tall/sum", 4321, 0), next = value_at("tables/tall/sum", 4322, 0);
  const std::string pair =
      std::string(reinterpret_cast<const char*>(&value), 4) + std::string(reinterpret_cast<const char*>(&next), 4);
  const std::size_t at = whole.find(pair);
  REQUIRE(at != std::string::npos);
  flipped[at] ^= 1;
  const std::string error = damaged(flipped);
  INFO(error);
  REQUIRE(mentions(error, path + " is damaged: its checksum is"));

  // The checksum in memory detects numbers that change after the file was verified, even if the file's time stays.
  REQUIRE(damaged(whole).empty());
  const store::PartedFile file = parallel_io::open_state(world, path);
  world.barrier();
  if (world.rank() == 0) {
    const auto written = std::filesystem::last_write_time(path);
    put_bytes(path, flipped);
    std::filesystem::last_write_time(path, written);
  }
  world.barrier();
  REQUIRE(mentions(error_of([&] { parallel_io::read_state(exec, world, file, parts.items); }),
                   "tables/tall/sum is damaged"));
  Parts alone = make_parts(comm::Communicator(MPI_COMM_SELF), 2);
  REQUIRE(mentions(error_of([&] { store::read_state(exec, file, alone.items); }), "tables/tall/sum is damaged"));
  world.barrier();

  REQUIRE(mentions(damaged(whole.substr(0, whole.size() - 1000)), "truncated"));
  if (world.rank() == 0) std::filesystem::remove(path);
  world.barrier();
  REQUIRE(mentions(error_of([&] { parallel_io::open_state(world, path); }), "no such file"));
}

TEST_CASE("read_state: throws with both sides if the file holds another state") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Scratch folder(world);
  const Exec exec;
  const std::string path = folder / "state.h5";
  Parts parts = make_parts(world, 0);
  parts.fill();
  parallel_io::write_state(exec, world, path, parts.items, {});
  // Only one rank wants a missing dataset; all ranks get the error.
  Parts other = make_parts(world, 0);
  if (world.rank() == world.size() - 1) other.add("tables/more/weight", 10, 4, {0, 10, 0, 4});
  std::string error =
      error_of([&] { parallel_io::read_state(exec, world, parallel_io::open_state(world, path), other.items); });
  INFO(error);
  REQUIRE(mentions(error, "tables/more/weight (10 x 4)"));
  REQUIRE(mentions(error, "dense/bottom.0.weight, tables/tall/sum"));
  Parts shape;
  shape.add("dense/bottom.0.weight", 6, 4, {0, 6, 0, 4});
  error = error_of([&] { parallel_io::read_state(exec, world, parallel_io::open_state(world, path), shape.items); });
  REQUIRE(mentions(error, "dense/bottom.0.weight is 6 x 3 in this file, but 6 x 4 is needed"));
  shape.items[0].slab.rows = 5;
  error = error_of([&] { parallel_io::write_state(exec, world, folder / "hole.h5", shape.items, {}); });
  REQUIRE(mentions(error, "elements of dense/bottom.0.weight"));
  error = error_of([&] { parallel_io::write_state(exec, world, folder / "no/state.h5", parts.items, {}); });
  REQUIRE(mentions(error, "no folder"));
}

TEST_CASE("write_state: writes no number whose square is not finite and names its place") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Scratch folder(world);
  constexpr float largest = 0x1.fffffep63f;
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity(), largest, -0x1p64f}) {
    Parts parts = make_parts(world, 1);
    parts.fill();
    for (const StateItem& item : parts.items)
      if (item.name == "tables/wide/weight" && item.slab.first_column == 16)
        item.source->in_place({1002, 1003})[3] = bad;
    const std::string path = folder / "state.h5";
    const std::string error = error_of([&] { parallel_io::write_state(Exec(), world, path, parts.items, {}); });
    INFO(error);
    if (bad == largest) {
      REQUIRE(error.empty());
      world.barrier();
      if (world.rank() == 0) std::filesystem::remove(path);
      world.barrier();
      continue;
    }
    REQUIRE(mentions(error, "tables/wide/weight is "));
    REQUIRE(mentions(error, std::isnan(bad) ? "not a number" : std::isinf(bad) ? "infinite" : "-1.84467e+19"));
    REQUIRE(mentions(error, "in row 1002, column 19"));
    REQUIRE(!std::filesystem::exists(path));
  }
}

TEST_CASE("bytes_of_write: parts that wait, rows that travel, and no more than the writer holds at once") {
  constexpr double mega = 1 << 20, beside = 12e6;
  CHECK(parallel_io::bytes_of_write(3 * mega, 0, 1) == 3 * mega + beside);      // one file
  CHECK(parallel_io::bytes_of_write(100 * mega, 0, 1) == 128 * mega + beside);  // two parts of 64 MiB
  CHECK(parallel_io::bytes_of_write(1e12, 0, 1) ==
        (256 + 256) * mega + beside);  // parts of 256 MiB, 256 MiB on their way
  CHECK(parallel_io::bytes_of_write(6 * mega, 2 * mega, 1) == 6 * mega + beside);  // parts of 2 MiB
  CHECK(parallel_io::bytes_of_write(200 * mega, 0, 2) ==
        (128 + 16) * mega + beside);  // two of four parts, slices of 16 MiB
  CHECK(parallel_io::bytes_of_write(8 * mega, 0, 4) == (8 + 1.5 * 2) * mega + beside);
}
