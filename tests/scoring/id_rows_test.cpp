// SPDX-License-Identifier: Apache-2.0
// Rows of 64-bit ids, in memory beside a map while ids come and go, and in mapped files.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <random>

#include "catch.hpp"
#include "errors.hpp"
#include "mixed_ids.hpp"
#include "train/small_job.hpp"
#include <tesserec/core/text.hpp>
#include <tesserec/core/timer.hpp>
#include <tesserec/scoring/id_rows.hpp>

using namespace tesserec;
using scoring::IdRows;

namespace {

Index row_of(const IdRows& rows, Index id) {
  Index row = -2;
  rows.find({&id, 1}, &row);
  return row;
}

/// Writes the file of a table's ids.
void write_ids(const std::string& path, const std::vector<std::uint64_t>& slots, const std::vector<Index>& ids) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(slots.data()), std::ssize(slots) * 8);
  file.write(reinterpret_cast<const char*>(ids.data()), std::ssize(ids) * 8);
}

}  // namespace

TEST_CASE("IdRows: has the rows of a map after any inserts and erases") {
  std::vector<Index> all{0, -1, 1, std::numeric_limits<Index>::max(), std::numeric_limits<Index>::min()};
  for (std::uint64_t n = 0; n < 60; ++n)  // Many meet in few slots, some with one upper half of the hash.
    all.push_back(id_of(n / 4 << 40 | n % 4 << 20 | (n % 3 == 2 ? 0xFFF : n % 3)));
  std::mt19937_64 random{7};
  for (int i = 0; i < 100; ++i) all.push_back(Index(random()));
  const Index capacity = 90;
  IdRows rows(capacity);
  std::map<Index, Index> expected;
  Index most = 0, full = 0;
  for (int turn = 0; turn < 6000; ++turn) {
    const Index id = all[random() % all.size()];
    if (random() % 5 < 2) {
      CHECK(rows.erase(id) == (expected.erase(id) == 1));
    } else if (std::ssize(expected) == capacity && expected.count(id) == 0) {
      CHECK(error_of([&] { rows.insert(id); }) == "there are more than 90 ids");
      ++full;
    } else {
      const Index row = rows.insert(id);
      if (expected.count(id) == 0)
        for (const auto& [other, taken] : expected) REQUIRE(taken != row);
      else
        REQUIRE(expected[id] == row);
      REQUIRE(row >= 0);
      REQUIRE(row < capacity);
      expected[id] = row;
    }
    most = std::max(most, rows.size());
    REQUIRE(rows.size() == std::ssize(expected));
    if (turn % 50 != 0) continue;
    std::vector<Index> found(all.size());
    rows.find(all, found.data());
    for (std::size_t i = 0; i < all.size(); ++i)
      REQUIRE(found[i] == (expected.count(all[i]) == 0 ? IdRows::none : expected[all[i]]));
  }
  CHECK(most == capacity);
  CHECK(full > 0);
  IdRows copy(capacity);
  copy.copy(rows);
  for (const Index id : all) CHECK(row_of(copy, id) == row_of(rows, id));
  CHECK(copy.rows_end() == rows.rows_end());
  rows.clear(0);
  CHECK(rows.size() == 0);
  for (const Index id : all) CHECK(row_of(rows, id) == IdRows::none);
  CHECK(rows.insert(all[9]) == 0);
  IdRows large(Index{1} << 40);  // takes no memory yet
  CHECK(large.insert(all[9]) == 0);
}

TEST_CASE("IdRows: a mapped file has the rows that were written, and tells damage") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "id_rows");
  std::filesystem::create_directories(folder.path());
  const std::string path = folder.path() + "/ids";
  std::vector<Index> ids;
  std::mt19937_64 random{3};
  for (int i = 0; i < 1000; ++i) ids.push_back(Index(random()));
  std::vector<std::uint64_t> slots = scoring::id_row_slots(ids);
  write_ids(path, slots, ids);
  CHECK(scoring::id_rows_bytes(1000) == Index(std::filesystem::file_size(path)));
  const IdRows rows(path, 1000);
  std::vector<Index> found(ids.size());
  rows.find(ids, found.data());
  for (Index row = 0; row < 1000; ++row) CHECK(found[std::size_t(row)] == row);
  CHECK(row_of(rows, 12345) == IdRows::none);
  CHECK(mentions(error_of([&] { IdRows(path, 999); }), "bytes"));

  const auto slot = std::ranges::find_if(slots, [](std::uint64_t s) { return (s & 0xFFFFFFFF) == 8; });
  *slot = (*slot & ~std::uint64_t{0xFFFFFFFF}) | 2000;
  write_ids(path, slots, ids);
  CHECK(error_of([&] { row_of(rows, ids[7]); }) ==
        path + " is damaged: a slot has row 1999 of 1000; export the model again");
  ids[3] = ids[5];
  CHECK(error_of([&] { scoring::id_row_slots(ids); }) == concat("id ", ids[3], " has two rows"));
  write_ids(path, scoring::id_row_slots({}), {});
  CHECK(row_of(IdRows(path, 0), 0) == IdRows::none);
}

TEST_CASE("IdRows: seconds to open a file of 10 million ids, and nanoseconds to find one", "[.][speed]") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "id_rows_speed");
  std::filesystem::create_directories(folder.path());
  const Index count = 10000000, batch = 1 << 16;
  std::vector<Index> ids;
  std::mt19937_64 random{3};
  for (Index i = 0; i < count; ++i) ids.push_back(Index(random()));
  const Timer making;
  write_ids(folder.path() + "/ids", scoring::id_row_slots(ids), ids);
  const double made = making.seconds();
  const Timer opening;
  const IdRows mapped(folder.path() + "/ids", count);
  const double opened = opening.seconds();
  const Timer filling;
  IdRows memory(count);
  for (const Index id : ids) memory.insert(id);
  const double filled = filling.seconds();
  std::vector<Index> some(batch), found(batch);
  for (Index& id : some) id = random() % 2 == 0 ? ids[random() % ids.size()] : Index(random());
  const auto nanoseconds = [&](const IdRows& rows) {
    rows.find(some, found.data());  // its pages
    const Timer timer;
    for (int turn = 0; turn < 20; ++turn) rows.find(some, found.data());
    return timer.seconds() / 20 / double(batch) * 1e9;
  };
  WARN("written in " << made << " s, opened in " << opened * 1e3 << " ms, filled in memory in " << filled
                     << " s; found in " << nanoseconds(mapped) << " ns mapped, " << nanoseconds(memory)
                     << " ns in memory");
}
