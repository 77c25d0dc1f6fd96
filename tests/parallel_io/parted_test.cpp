// SPDX-License-Identifier: Apache-2.0
// Logical files of several parts. Their layout places the rows, and any number of ranks writes the same bytes and reads
// them back.
#include <numeric>
#include <set>

#include <sys/resource.h>

#include "catch.hpp"
#include "store/scratch.hpp"
#include <tesserec/parallel_io/parted_writer.hpp>
#include <tesserec/store/parted_file.hpp>

using namespace tesserec;
using parallel_io::PartedWriter;
using store::DatasetShape;
using store::ElementType;
using store::PartedFile;
using store::PartsLayout;
namespace fs = std::filesystem;

namespace {

constexpr Index rows = 1000;

PartsLayout layout(Index part_bytes, Index some_rows = rows) {
  return PartsLayout({{{"labels", ElementType::u8, some_rows},
                       {"dense", ElementType::f32, some_rows, 3},
                       {"none", ElementType::f32, some_rows, 0},
                       {"sparse/ids", ElementType::i32, some_rows, 2}},
                      {{"tokens", ElementType::i64, 77}}},
                     part_bytes);
}

/// Test data: row i has the label i % 251, dense i + c / 4, ids 2i and 2i + 1; token k is k * k.
struct Rows {
  std::vector<std::uint8_t> labels;
  std::vector<float> dense;
  std::vector<std::int32_t> ids;
  std::vector<std::int64_t> tokens;

  Rows(Index first, Index count) {
    for (Index i = first; i < first + count; ++i) {
      labels.push_back(static_cast<std::uint8_t>(i % 251));
      for (int c = 0; c < 3; ++c) dense.push_back(static_cast<float>(i) + 0.25f * static_cast<float>(c));
      for (int c = 0; c < 2; ++c) ids.push_back(static_cast<std::int32_t>(2 * i + c));
    }
    for (std::int64_t k = 0; k < 77; ++k) tokens.push_back(k * k);
  }
};

/// Writes each rank's run of rows in steps of 30; the last rank also writes the tokens.
void write(const comm::Communicator& comm, PartedWriter& writer, Index some_rows = rows) {
  const Index begin = some_rows * comm.rank() / comm.size(), end = some_rows * (comm.rank() + 1) / comm.size();
  for (Index step = 0; step < 60; ++step) {
    const Index first = std::min(begin + 30 * step, end), count = std::min<Index>(30, end - first);
    const Rows own(first, count);
    std::vector<PartedWriter::SlabData> pieces = {{0, {first, count}, own.labels.data()},
                                                  {1, {first, count, 0, 1}, own.dense.data(), 3},
                                                  {1, {first, count, 1, 2}, own.dense.data() + 1, 3},
                                                  {3, {first, count}, own.ids.data()}};
    if (step == 3 && comm.rank() + 1 == comm.size()) pieces.push_back({4, {0, 77}, own.tokens.data()});
    writer.write(pieces);
  }
}

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) names.push_back(fs::relative(entry.path(), folder));
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

TEST_CASE("PartsLayout: fills parts with whole rows in order and as many as fit") {
  for (const Index part_bytes : {1, 21, 22, 100, 5000, 1 << 20}) {
    const PartsLayout parts = layout(part_bytes);
    const Index fit = std::max<Index>(1, part_bytes / 21);  // 1 + 3 * 4 + 2 * 4 bytes per row
    for (const std::size_t dataset : {0, 1, 3}) {
      Index next = 0;
      for (const PartsLayout::Run& run : parts.of_dataset(dataset)) {
        REQUIRE(run.first_row == next);
        REQUIRE(run.rows == std::min(fit, rows - next));
        next = run.end();
      }
      REQUIRE(next == rows);
    }
    REQUIRE(parts.of_dataset(2).empty());
    Index tokens = 0, bytes = 0;
    for (const PartsLayout::Run& run : parts.of_dataset(4)) tokens += run.rows;
    REQUIRE(tokens == 77);
    for (int part = 0; part < parts.parts(); ++part) bytes += parts.bytes_of_part(part);
    REQUIRE(bytes == 21 * rows + 8 * 77);
  }
  REQUIRE(layout(0).parts() == 1);
  REQUIRE(PartsLayout({}).parts() == 1);
  REQUIRE(PartsLayout::automatic(Index{256} << 30) == Index{64} << 20);
  REQUIRE(PartsLayout::automatic((Index{256} << 30) + 1) == Index{128} << 20);
}

TEST_CASE("PartsLayout: gives a row longer than a part a part of its own") {
  // The groups have long rows before short ones, and short rows between long ones, in groups of one or two datasets.
  const std::vector<std::vector<DatasetShape>> groups = {{{"a", ElementType::f64, 3, 5}, {"b", ElementType::f32, 3}},
                                                         {{"c", ElementType::u8, 50}},
                                                         {{"d", ElementType::i64, 4, 9}},
                                                         {{"e", ElementType::f32, 1, 3}},
                                                         {{"f", ElementType::i32, 7}}};
  for (const Index part_bytes : {1, 3, 8, 13, 44, 45, 71, 72, 73, 1000}) {
    const PartsLayout parts(groups, part_bytes);
    std::vector<Index> next(parts.datasets().size(), 0);
    for (int part = 0; part < parts.parts(); ++part) {
      std::set<std::size_t> present;
      for (const PartsLayout::Run& run : parts.of_part(part)) {
        INFO(part_bytes << " bytes, part " << part << ", " << parts.datasets()[run.dataset].name);
        REQUIRE(present.insert(run.dataset).second);  // the writer needs at most one run of each dataset in a part
        REQUIRE(run.first_row == next[run.dataset]);
        REQUIRE(run.rows > 0);
        next[run.dataset] = run.end();
      }
      const auto& first = parts.of_part(part).front();
      const bool one_row = first.rows == 1 && (present.size() == 1 || present == std::set<std::size_t>{0, 1});
      REQUIRE((parts.bytes_of_part(part) <= part_bytes || one_row));
    }
    for (std::size_t d = 0; d < next.size(); ++d) REQUIRE(next[d] == parts.datasets()[d].rows);
  }
}

TEST_CASE("PartedWriter: any number of ranks writes the same files and PartedFile reads them back") {
  const comm::Communicator world(MPI_COMM_WORLD), self(MPI_COMM_SELF);
  const Scratch folder(world);
  const Index part_bytes = GENERATE(0, 3000, 200);
  const std::string own = folder / std::to_string(world.rank());
  fs::remove_all(own);
  fs::create_directories(own);
  const auto make = [&](const comm::Communicator& comm, const std::string& path, std::vector<int> owners) {
    const Index memory = owners.empty() ? 0 : 1;  // bytes of parts that wait for the disk
    PartedWriter writer(comm, path, layout(part_bytes), std::move(owners), 0, {}, memory);
    write(comm, writer);
    writer.end({{"samples", rows}}, {{"labels", {{"unit", std::string("clicks")}}}});
    writer.prepare();
    if (path == own + "/x.h5") REQUIRE(!fs::exists(path));
    writer.publish();
  };
  fs::create_directories(folder / "all");
  world.barrier();
  make(self, own + "/x.h5", {});
  // First the last rank writes every part, although other ranks hold the rows.
  make(world, folder / "all/x.h5",
       std::vector<int>(static_cast<std::size_t>(layout(part_bytes).parts()), world.size() - 1));
  make(world, folder / "all/x.h5", {});
  const std::vector<std::string> names = files_in(own);
  REQUIRE(names == files_in(folder / "all"));
  REQUIRE(names.size() == (part_bytes == 0 ? 1 : 1 + static_cast<std::size_t>(layout(part_bytes).parts())));
  for (const std::string& name : names) REQUIRE((bytes_of(own + "/" + name) == bytes_of((folder / "all/") + name)));

  REQUIRE(PartedFile::open(own + "/x.h5", store::Trust::all).index().read_all<float>("dense") ==
          Rows(0, rows).dense);  // by HDF5 alone
  const PartedFile file = PartedFile::open(own + "/x.h5");
  REQUIRE(file.index().attribute<std::int64_t>("/", "samples") == rows);
  REQUIRE(file.index().attribute<std::string>("labels", "unit") == "clicks");
  REQUIRE(file.index().shape("none") == std::vector<Index>{rows, 0});
  const Rows all(0, rows);
  REQUIRE(file.read_all<std::uint8_t>("labels") == all.labels);
  REQUIRE(file.read_all<std::int64_t>("tokens") == all.tokens);
  REQUIRE(file.read_all<float>("dense") == all.dense);
  std::vector<std::int32_t> second(300);
  file.read("sparse/ids", {137, 300, 1, 1}, second.data());
  for (Index i = 0; i < 300; ++i) REQUIRE(second[static_cast<std::size_t>(i)] == 2 * (137 + i) + 1);
  if (part_bytes > 0)
    REQUIRE(mentions(error_of([&] { file.read("sparse/ids", {900, 101}, second.data()); }), "are out of range"));
  world.barrier();
}

TEST_CASE("PartedWriter: publish replaces a file with its parts and an unfinished file replaces nothing") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Scratch folder(world);
  const std::string path = folder / "x.h5";
  const auto make = [&](Index some_rows, Index part_bytes, bool all) {
    PartedWriter writer(world, path, layout(part_bytes, some_rows));
    if (all) write(world, writer, some_rows);
    writer.end({});
    writer.prepare();
    writer.publish();
  };
  const auto error = [&](Index some_rows, Index part_bytes) {
    return error_of([&] { make(some_rows, part_bytes, false); });
  };
  // Returns the files after rank 0 has finished one step and before it begins the next.
  const auto files = [&] {
    world.barrier();
    const std::vector<std::string> found = files_in(folder / "");
    world.barrier();
    return found;
  };
  make(rows, 3000, true);
  const std::vector<std::string> before = files();
  REQUIRE(before.size() == 9);
  REQUIRE(mentions(error(rows, 200), "no rank wrote part "));
  REQUIRE(mentions(error(rows, 0), " bytes of part 0"));
  REQUIRE(files() == before);
  make(rows, 3000, true);  // identical parts stay
  REQUIRE(files() == before);
  make(900, 3000, true);
  REQUIRE(files().size() == 8);
  REQUIRE(files().front() != before.front());
  make(900, 0, true);
  REQUIRE(files() == std::vector<std::string>{"x.h5"});
  REQUIRE(PartedFile::open(path).read_all<float>("dense") == Rows(0, 900).dense);
  world.barrier();
}

TEST_CASE("PartedFile: throws if a part is missing or damaged or belongs to another set") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Scratch folder(world);
  const std::string path = folder / "x.h5";
  {
    PartedWriter writer(world, path, layout(3000));
    write(world, writer);
    writer.end({});
    writer.prepare();
    writer.publish();
  }
  if (world.rank() != 0) return;
  const auto names = files_in(folder / "");
  const std::string part = folder / names[3], bytes = bytes_of(part);
  const auto errors = [&] {
    const PartedFile file = PartedFile::open(path);
    return std::pair(error_of([&] { file.verify_parts(); }), error_of([&] { file.read_all<float>("dense"); }));
  };
  fs::remove(part);
  REQUIRE(mentions(errors().first, part + ": cannot open it"));
  REQUIRE(mentions(errors().second, part + ": there is no such file"));
  put_bytes(part, bytes_of(folder / names[4]));
  REQUIRE(mentions(errors().first, part + " is damaged: its seal is"));
  REQUIRE(mentions(errors().second, "it belongs to another set"));
  std::string flipped = bytes;
  flipped[bytes.size() - 5] ^= 4;
  put_bytes(part, flipped);
  REQUIRE(mentions(errors().first, part + " is damaged: its checksum is"));
  put_bytes(part, bytes);
  REQUIRE(errors().first.empty());
  REQUIRE(errors().second.empty());
  fs::copy_file(part, path, fs::copy_options::overwrite_existing);  // a whole file, but only one part of x.h5
  REQUIRE(mentions(error_of([&] { PartedFile::open(path); }), path + ": this is part "));
}

TEST_CASE("PartedFile: may have more parts than a process may open files") {
  const comm::Communicator world(MPI_COMM_WORLD), self(MPI_COMM_SELF);
  const Scratch folder(world);
  if (world.rank() != 0) return;
  const std::string path = folder / "many.h5";
  constexpr Index many = 300;
  std::vector<std::int32_t> values(many);
  std::iota(values.begin(), values.end(), 7);
  PartedWriter writer(self, path, PartsLayout({{{"v", ElementType::i32, many}}}, 4));
  const PartedWriter::SlabData all[] = {{0, {0, many}, values.data()}};
  writer.write(all);
  writer.end({});
  writer.prepare();
  writer.publish();
  rlimit limit{}, few{};
  REQUIRE(getrlimit(RLIMIT_NOFILE, &limit) == 0);
  few = limit;
  few.rlim_cur = 200;
  REQUIRE(setrlimit(RLIMIT_NOFILE, &few) == 0);
  const PartedFile file = PartedFile::open(path);
  CHECK(file.parts() == many);
  CHECK(file.read_all<std::int32_t>("v") == values);
  REQUIRE(setrlimit(RLIMIT_NOFILE, &limit) == 0);
}
