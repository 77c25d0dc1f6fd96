// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include <sys/stat.h>

#include "catch.hpp"
#include "scratch.hpp"
#include "source_dir.hpp"
#include "src/store/page_buffer.hpp"
#include <tesserec/core/text.hpp>
#include <tesserec/store/hdf5.hpp>

using namespace tesserec;
using store::ElementType;
using store::File;
using store::Slab;

namespace {

void write_sample(const std::string& path) {
  constexpr Index rows = 1001, columns = 5;
  File file = File::create(path);
  file.set_attribute<std::string>("/", "format", "tesserec-test");
  file.create_dataset<float>("/tables/one/weight", {rows, columns});
  file.set_attribute<std::string>("tables/one/weight", "checksum", "0123456789abcdef");
  file.create_dataset<std::int64_t>("tables/one/offsets", {rows});
  file.set_attribute("/", "names", std::vector<std::string>(5000, "ein längerer Name"));  // more than 64 KiB, as in an
  file.set_attribute("/", "numbers", std::vector<std::int64_t>(15000, 3));                // index of many parts
  file.set_attribute<std::string>("/tables", "deck", std::string(100000, 'd'));
  std::vector<float> weight(static_cast<std::size_t>(rows * columns));
  std::iota(weight.begin(), weight.end(), 0.0f);
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(rows));
  std::iota(offsets.begin(), offsets.end(), 0);
  file.write("tables/one/weight", Slab{0, 500}, weight.data());
  file.write("tables/one/weight", Slab{500, rows - 500}, weight.data() + 500 * columns);
  file.write("tables/one/offsets", Slab{0, rows}, offsets.data());
  const std::vector<std::uint8_t> labels = {1, 0, 1};
  file.write_all("labels", {3}, labels.data());
  file.create_dataset<float>("empty", {0, 4});
  file.set_attribute<std::int64_t>("empty", "count", 7);
  file.close();
}

}  // namespace

TEST_CASE("File: reads back as written with the same bytes each time and exists only after close") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Scratch folder(world);
  const std::string path = folder / ("sample" + std::to_string(world.rank()));
  write_sample(path);
  write_sample(path + "again");
  REQUIRE((bytes_of(path) == bytes_of(path + "again")));
  { File::create(path + "dropped").create_dataset<float>("m", {3}); }
  REQUIRE(!std::filesystem::exists(path + "dropped"));

  const File file = File::open(path);
  REQUIRE(file.shape("tables/one/weight") == std::vector<Index>{1001, 5});
  REQUIRE(file.type("tables/one/weight") == ElementType::f32);
  REQUIRE(file.type("labels") == ElementType::u8);
  REQUIRE(file.names("/") == std::vector<std::string>{"empty", "labels", "tables"});
  REQUIRE(file.names("tables/one") == std::vector<std::string>{"offsets", "weight"});
  REQUIRE(file.read_all<double>("tables/one/weight")[5004] == 5004);
  REQUIRE(file.read_all<std::int64_t>("tables/one/offsets")[1000] == 1000);
  REQUIRE(file.read_all<float>("empty").empty());
  REQUIRE(file.attribute<std::int64_t>("empty", "count") == 7);
  REQUIRE(file.attribute<std::vector<std::string>>("/", "names").at(299) == "ein längerer Name");
  REQUIRE(file.attribute<std::string>("tables", "deck").size() == 100000);
  REQUIRE(file.exists("/tables/one"));
  REQUIRE(!file.exists("tables/two/weight"));
  REQUIRE(!file.exists("labels/one"));
}

TEST_CASE("File: the bytes do not depend on the number of writes") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Scratch folder(world);
  constexpr Index rows = 5000, sets = 12;
  const std::vector<std::int32_t> values(std::size_t(rows), 7);
  const auto write = [&](const std::string& name, Index step) {
    const std::string path = folder / (name + std::to_string(world.rank()));
    File file = File::create(path);
    for (Index set = 0; set < sets; ++set) file.create_dataset<std::int32_t>(concat("set", set), {rows});
    for (Index row = 0; row < rows; row += step)
      for (Index set = 0; set < sets; ++set) file.write(concat("set", set), Slab{row, step}, values.data());
    for (Index i = 0; i < 24; ++i) file.set_attribute("/", concat("names", i), std::vector<std::string>(20, "a name"));
    file.close();
    return bytes_of(path);
  };
  CHECK((write("once", rows) == write("often", 1)));
}

TEST_CASE("File: has no byte of a file before, whose memory it uses") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Scratch folder(world);
  const std::string path = folder / ("memory" + std::to_string(world.rank()));
  constexpr Index rows = Index{3} << 20, most = 4 * rows + (Index{64} << 10);  // bytes of a file
  const auto image = [&](File& file) {
    file.create_dataset<std::int32_t>("m", {rows});
    const std::vector<std::int32_t> some(10, 5);
    file.write("m", Slab{rows - 10, 10}, some.data());  // HDF5 has memory for the others, too
    const std::span<const std::byte> bytes = file.image();
    return std::vector<std::byte>(bytes.begin(), bytes.end());
  };
  std::vector<std::byte> expected;
  {
    File fresh = File::create(path, most);
    expected = image(fresh);
  }
  const File other = File::create(path + "other");
  const std::byte* place = nullptr;
  {
    File before = File::create(path, most);
    const std::vector<std::int32_t> full(std::size_t(rows), -1);
    before.write_all("full", {rows}, full.data());
    place = before.image().data();
  }
  const auto taken = store::page_buffer(std::size_t(most), std::size_t{2} << 20);  // what is free
  File next = File::create(path, most);
  CHECK((image(next) == expected));
  CHECK(next.image().data() == place);
}

TEST_CASE("File: reads and writes slabs of columns") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Scratch folder(world);
  const std::string path = folder / ("columns" + std::to_string(world.rank()));
  {
    File file = File::create(path);
    file.create_dataset<std::int32_t>("m", {4, 6});
    const std::vector<std::int32_t> left(4 * 2, 1), right(4 * 4, 2);
    file.write("m", Slab{0, 4, 0, 2}, left.data());
    file.write("m", Slab{0, 4, 2, 4}, right.data());
    file.close();
  }
  const File file = File::open(path);
  std::vector<double> some(2 * 3);
  file.read("m", Slab{1, 2, 1, 3}, some.data());
  REQUIRE(some == std::vector<double>{1, 2, 2, 1, 2, 2});
  std::vector<float> rest(2 * 2);
  file.read("m", Slab{2, 2, 4}, rest.data());
  REQUIRE(rest == std::vector<float>{2, 2, 2, 2});
  REQUIRE(mentions(error_of([&] { file.read("m", Slab{3, 2}, some.data()); }), "[4, 6]: the rows are out of range"));
  REQUIRE(mentions(error_of([&] { file.read("m", Slab{0, 1, 5, 2}, some.data()); }), "the columns are out of range"));
  REQUIRE(mentions(error_of([&] { file.read("n", Slab{0, 1}, some.data()); }), "there is no dataset n"));
  REQUIRE(mentions(error_of([&] { file.read_all<float>("/"); }), "is a group"));
  REQUIRE(mentions(error_of([&] { file.attribute<double>("m", "unit"); }), "m has no attribute unit"));
}

TEST_CASE("File: read throws if the file is replaced while it is open") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Scratch folder(world);
  const std::string path = folder / ("replaced" + std::to_string(world.rank()));
  const auto write = [&](std::uint8_t label) {
    File file = File::create(path);
    const std::vector<std::uint8_t> labels(3, label);
    file.write_all("labels", {3}, labels.data());
    file.close();
  };
  write(1);
  const File file = File::open(path);
  std::vector<std::uint8_t> some(2);
  file.read("labels", Slab{0, 2}, some.data());
  REQUIRE(file.read_all<std::uint8_t>("labels") == std::vector<std::uint8_t>(3, 1));
  write(0);
  const char* const refused = " while it was being read; leave the files of a run alone";
  CHECK(mentions(error_of([&] { file.read("labels", Slab{0, 2}, some.data()); }), refused));
  CHECK(mentions(error_of([&] { file.read_all<std::uint8_t>("labels"); }), refused));
}

TEST_CASE("File: attributes keep their values and a second setting replaces the first") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Scratch folder(world);
  const std::string path = folder / ("attributes" + std::to_string(world.rank()));
  {
    File file = File::create(path);
    file.set_attribute<std::int64_t>("/", "a", std::int64_t{1} << 40);
    file.set_attribute<double>("/", "b", 0.1);
    file.set_attribute<std::string>("/", "c", "");
    file.set_attribute("/", "d", std::vector<double>{1.5, -2});
    file.set_attribute("/", "e", std::vector<std::int64_t>{});
    file.set_attribute("/", "f", std::vector<std::string>{"x", ""});
    file.set_attribute("/", "f", std::vector<std::string>{"y"});
    file.close();
  }
  const File file = File::open(path);
  REQUIRE(file.attribute<std::int64_t>("/", "a") == std::int64_t{1} << 40);
  REQUIRE(file.attribute<double>("/", "a") == 0x1p40);
  REQUIRE(file.attribute<double>("/", "b") == 0.1);
  REQUIRE(file.attribute<std::string>("/", "c").empty());
  REQUIRE(file.attribute<std::vector<double>>("/", "d") == std::vector<double>{1.5, -2});
  REQUIRE(file.attribute<std::vector<std::int64_t>>("/", "e").empty());
  REQUIRE(file.attribute<std::vector<std::string>>("/", "f") == std::vector<std::string>{"y"});
  REQUIRE(mentions(error_of([&] { file.attribute<std::int64_t>("/", "b"); }), "attribute b is not an integer"));
  REQUIRE(mentions(error_of([&] { file.attribute<std::string>("/", "a"); }), "is not a string"));
  REQUIRE(mentions(error_of([&] { file.attribute<double>("/", "d"); }), "holds 2 values instead of one"));
}

TEST_CASE("File: reads files written by h5py") {
  const File file = File::open(TESSEREC_SOURCE_DIR "/tests/golden/data/h5py.h5");
  REQUIRE(file.attribute<std::string>("/", "text") == "naïve");
  REQUIRE(file.attribute<std::string>("/", "fixed") == "abc");
  REQUIRE(file.attribute<std::string>("/", "nothing").empty());
  REQUIRE(file.attribute<std::vector<std::string>>("/", "texts") == std::vector<std::string>{"one", "zwei"});
  REQUIRE(file.attribute<std::vector<std::string>>("/", "fixed_texts") == std::vector<std::string>{"a", "bcd"});
  REQUIRE(file.attribute<std::int64_t>("/", "int16") == -5);
  REQUIRE(file.attribute<std::int64_t>("/", "yes") == 1);
  REQUIRE(file.attribute<double>("/", "float32") == 0.5);
  REQUIRE(file.attribute<std::vector<std::int64_t>>("/", "int32s") == std::vector<std::int64_t>{1, 2, 3});
  REQUIRE(file.read_all<float>("int64") == std::vector<float>{1, 2, 3});
  REQUIRE(file.read_all<std::uint8_t>("bools") == std::vector<std::uint8_t>{1, 0, 1});
  REQUIRE(file.read_all<double>("scalar") == std::vector<double>{2.5});
  REQUIRE(file.shape("cube") == std::vector<Index>{2, 3, 4});
  std::vector<std::int32_t> second(12);
  file.read("cube", Slab{1, 1}, second.data());
  REQUIRE(second.front() == 12);
  REQUIRE(file.type("int64") == ElementType::i64);
  REQUIRE(file.type("bools") == ElementType::other);
  REQUIRE(mentions(error_of([&] { file.read_all<float>("words"); }), "does not hold numbers"));
}

TEST_CASE("File: open throws with the reason if the file is not a whole HDF5 file") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Scratch folder(world);
  const std::string mine = std::to_string(world.rank());
  const auto open_error = [](const std::string& path) { return error_of([&] { File::open(path); }); };
  REQUIRE(mentions(open_error(folder / "missing"), "there is no such file"));
  REQUIRE(mentions(open_error(folder / ""), "this is a folder"));
  REQUIRE(::mkfifo((folder / ("pipe" + mine)).c_str(), 0600) == 0);
  REQUIRE(mentions(open_error(folder / ("pipe" + mine)), "not a regular file"));
  put_bytes(folder / ("empty" + mine), "");
  REQUIRE(mentions(open_error(folder / ("empty" + mine)), "is empty"));
  put_bytes(folder / ("text" + mine), std::string(5000, 'x'));
  REQUIRE(mentions(open_error(folder / ("text" + mine)), "not an HDF5 file"));
  const std::string path = folder / ("cut" + mine);
  write_sample(path);
  const std::string whole = bytes_of(path);
  for (const std::size_t size : {whole.size() - 1, whole.size() / 2, std::size_t{520}, std::size_t{400}}) {
    put_bytes(path, whole.substr(0, size));
    INFO(size << " of " << whole.size() << " bytes: " << open_error(path));
    REQUIRE(mentions(open_error(path), "truncated"));
  }
  put_bytes(path, whole.substr(0, 30));
  REQUIRE(mentions(open_error(path), "the seal in its first 512 bytes cannot be read"));
  std::string bad_seal = whole;
  bad_seal[300] = 'x';
  put_bytes(path, bad_seal);
  REQUIRE(mentions(open_error(path), "the seal in its first 512 bytes cannot be read"));
  REQUIRE(mentions(error_of([&] { File::create(folder / "no/file").close(); }), "No such file or directory"));
}
