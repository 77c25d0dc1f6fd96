// SPDX-License-Identifier: Apache-2.0
// Raw data that preprocessing refuses, on 1, 2 and 3 ranks of the world.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>

#include "catch.hpp"
#include "errors.hpp"
#include "raw_text.hpp"
#include "runs.hpp"
#include <tesserec/core/signals.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/store/hdf5.hpp>

using namespace tesserec;
using namespace tesserec::preprocess;

namespace {

std::string failure(const comm::Communicator& comm, const Settings& settings) {
  return error_of([&] { preprocess::run(comm, settings); });
}

}  // namespace

TEST_CASE("preprocess: throws if ranks read different bytes under one path") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  const std::string own = folder / ("of_rank_" + std::to_string(world.rank()));
  const std::filesystem::path before = std::filesystem::current_path(), out = before / (folder / "out");
  std::filesystem::create_directories(own);
  std::filesystem::current_path(own);
  std::ofstream("raw", std::ios::binary) << test::criteo_text(700, world.rank() == 0 ? 5 : 6);
  const std::string message = failure(world, criteo({"raw"}, out));
  std::filesystem::current_path(before);
  if (world.size() == 1) CHECK(message.empty());
  if (world.size() > 1) {
    CHECK(mentions(message, "rank 1: raw is "));
    CHECK(mentions(message, "all ranks must read the same files"));
    CHECK_FALSE(std::filesystem::exists(out / "train.h5"));
  }
}

TEST_CASE("preprocess: bad rows stop it with file and line unless bad_rows = skip counts them") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  const Random random(9, Purpose::test);
  std::string text;
  const std::map<Index, std::string> bad = {{1, "label\tI1"}, {1700, "2" + test::criteo_row(random, 0).substr(1)},
                                            {1701, ""},       {2350, test::criteo_row(random, 1) + "\t"},
                                            {2351, "x"},      {2352, "y"}};
  for (Index line = 1; line <= 2400; ++line) {
    const auto found = bad.find(line);
    text += (found != bad.end() ? found->second : test::criteo_row(random, line)) + "\n";
  }
  folder.write("good", test::criteo_text(700, 5));
  folder.write("bad", text);
  // The same text without the first bad line: the first bad line must be found on whichever rank reads it.
  const std::string later = test::criteo_row(random, 1) + text.substr(text.find('\n'));
  folder.write("later", later);

  for_each_rank_count(world, [&](const comm::Communicator& comm, const std::string& name) {
    auto settings = criteo({folder / "good", folder / "bad"}, folder / name);
    std::string message = failure(comm, settings);
    REQUIRE(mentions(message, folder / "bad:1: 2 fields, 40 expected"));
    REQUIRE(mentions(message, "preprocess.bad_rows = \"skip\""));
    settings.train = {folder / "good", folder / "later"};
    REQUIRE(mentions(failure(comm, settings), folder / "later:1700: label \"2\""));
    settings.train = {folder / "good"};
    settings.evaluate = {folder / "later"};
    REQUIRE(mentions(failure(comm, settings), folder / "later:1700: label \"2\""));
    comm.barrier();
    REQUIRE(std::filesystem::is_empty(folder / name));

    settings.train = {folder / "good", folder / "bad"};
    settings.evaluate.clear();
    settings.bad_rows = BadRows::skip;
    const auto report = preprocess::run(comm, settings);
    REQUIRE(report.train.rows == 700 + 2394);
    REQUIRE(report.train.bad_rows() == 6);
    REQUIRE(report.train.files[0].bad_rows == 0);
    REQUIRE(report.train.files[1].bad_rows == 6);
    REQUIRE(report.train.files[1].rows == 2394);
    const std::vector<std::string> lines = {":1: 2 fields", ":1700: label", ":1701: the line is empty",
                                            ":2350: 41 fields", ":2351: 1 field"};
    REQUIRE(report.train.files[1].bad.size() == lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i)
      REQUIRE(mentions(report.train.files[1].bad[i], folder / "bad" + lines[i]));
    const std::vector<std::string> reasons = {"1 field, 40 expected: 2", "2 fields, 40 expected: 1",
                                              "41 fields, 40 expected: 1", "label \"...\" is neither 0 nor 1: 1",
                                              "the line is empty: 1"};
    std::vector<std::string> counted_reasons;
    for (const auto& [reason, count] : report.train.files[1].reasons)
      counted_reasons.push_back(concat(reason, ": ", count));
    REQUIRE(counted_reasons == reasons);
    // The table of 39 columns, lines of two files with a headline, five reasons, and the examples.
    REQUIRE(summary(report).size() == 3 + 40 + 3 + reasons.size() + lines.size());
    comm.barrier();
    REQUIRE(store::File::open(folder / (name + "/train.h5")).attribute<std::int64_t>("/", "bad_rows") == 6);
    REQUIRE(std::filesystem::exists(folder / (name + "/train.h5")));
    REQUIRE_FALSE(std::filesystem::exists(folder / (name + "/train.h5.part")));
  });
  if (world.rank() == 0)
    for (int ranks = 2; ranks <= world.size(); ++ranks)
      REQUIRE(test::read_bytes(folder / (std::to_string(ranks) + "/train.h5")) ==
              test::read_bytes(folder / "1/train.h5"));
}

TEST_CASE("preprocess: unusable input throws the same error on every rank and keeps the old dataset") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  const std::string text = test::criteo_text(600, 6), packed = test::gzipped(text);
  folder.write("good", text);
  preprocess::run(world, criteo({folder / "good"}, folder / "out"));
  const std::string before = test::read_bytes(folder / "out/train.h5");
  const auto refuses = [&](const std::string& name, const std::string& bytes, const std::string& reason,
                           BadRows bad_rows = BadRows::stop) {
    folder.write(name, bytes);
    auto settings = criteo({folder / "good", folder / name}, folder / "out");
    settings.bad_rows = bad_rows;
    const std::string message = failure(world, settings);
    INFO(message);
    REQUIRE(mentions(message, name));
    REQUIRE(mentions(message, reason));
    world.barrier();
  };
  refuses("cut.gz", packed.substr(0, packed.size() / 2), "ends too early", BadRows::skip);
  refuses("cut.gz", packed.substr(0, packed.size() / 2), "ends too early");
  std::string wide = "\xFF\xFE", wide_plain;
  for (const char c : text) (wide += c) += '\0', (wide_plain += c) += '\0';
  std::string carriage = text;
  std::replace(carriage.begin(), carriage.end(), '\n', '\r');
  std::string tar(512, 'a');
  tar.replace(257, 5, "ustar");
  refuses("wide", wide, "UTF-16", BadRows::skip);
  refuses("wide", wide_plain, "UTF-16", BadRows::skip);
  refuses("wide.gz", test::gzipped(wide), "UTF-16", BadRows::skip);
  refuses("carriage", carriage, "carriage returns", BadRows::skip);
  refuses("x.xz",
          std::string("\xFD"
                      "7zXZ\0\0",
                      7),
          "xz", BadRows::skip);
  refuses("x.zip", "PK\x03\x04" + text, "zip", BadRows::skip);
  refuses("x.tar.gz", test::gzipped(tar), "tar archive", BadRows::skip);
  refuses("twice.gz", test::gzipped(packed), "gzip twice", BadRows::skip);
  refuses("empty", "", "empty");
  refuses("blank", "\n\r\n", "no rows");
  refuses("empty.gz", test::gzipped(""), "no rows", BadRows::skip);
  refuses("none*", "", "none*");
  refuses("long", std::string(std::size_t{2} << 20, '0'), "longer than 1 MiB");
  refuses("middle", text + "\n" + text, ":601: the line is empty");
  auto settings = criteo({folder / "long"}, folder / "out");
  settings.bad_rows = BadRows::skip;
  REQUIRE(mentions(failure(world, settings), "all rows of all files are bad"));
  settings = criteo({}, folder / "out");
  REQUIRE(mentions(failure(world, settings), "preprocess.train"));
  settings = criteo({folder / "good"}, "");
  REQUIRE(mentions(failure(world, settings), "preprocess.output"));
  settings = criteo({folder / "good"}, folder / "out");
  settings.minimum_count = 0;
  REQUIRE(mentions(failure(world, settings), "preprocess.minimum_count must be at least 1, not 0"));
  settings = criteo({folder / "good"}, folder / "good/inside");
  REQUIRE(
      mentions(failure(world, settings), "good: cannot create this folder: a file has its name; name another folder"));
  world.barrier();
  REQUIRE(test::read_bytes(folder / "out/train.h5") == before);
  for (const auto& entry : std::filesystem::directory_iterator(folder / "out"))
    REQUIRE(entry.path().filename() == "train.h5");
}

TEST_CASE("preprocess: a signal on one rank ends the reading on all and keeps the old dataset") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  folder.write("good", test::criteo_text(600, 6));
  preprocess::run(world, criteo({folder / "good"}, folder / "out"));
  const std::string before = test::read_bytes(folder / "out/train.h5");
  const Signals signals;
  if (world.rank() == world.size() - 1) std::raise(SIGTERM);
  REQUIRE_THROWS_AS(preprocess::run(world, criteo({folder / "good"}, folder / "out")), Stopped);
  world.barrier();
  REQUIRE(test::read_bytes(folder / "out/train.h5") == before);
  REQUIRE_FALSE(std::filesystem::exists(folder / "out/train.h5.part"));
}

TEST_CASE("preprocess: a number that does not fit after its transform is named with file and line") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  std::string train = "x,c,y\n", evaluate = "x,c,y\n1,a,0\n\n2,b,1\n";
  for (Index i = 0; i < 90; ++i) train += concat(i % 2 == 0 ? "0" : "1e-10", ",c", i % 5, ",", i % 2, "\n");
  for (Index i = 0; i < 20000; ++i) evaluate += concat("0,c", i % 5, ",", i % 2, "\n");
  Settings settings;
  settings.format = RawFormat::table;
  settings.header = true;
  settings.bad_rows = BadRows::skip;
  settings.columns = {{"x", ColumnKind::number, Transform::standardise},
                      {"c", ColumnKind::category},
                      {"y", ColumnKind::label, Transform::none, {"1"}, {"0"}}};
  settings.train = {folder.write("train.csv", train)};
  settings.evaluate = {folder.write("evaluate.csv", evaluate + "1e30,c1,1\n1e31,c1,1\n")};
  settings.output = folder / "out";
  for_each_rank_count(world, [&](const comm::Communicator& comm, const std::string&) {
    const std::string message = failure(comm, settings);
    CHECK(mentions(message, "evaluate.csv:20005: x: 1e+30 after the transform standardise mean="));
    CHECK(mentions(message, "correct or remove the row, which preprocess.bad_rows = \"skip\" does not leave out"));
  });
  // Rows of training that were kept for the second reading.
  settings.evaluate.clear();
  preprocess::run(world, settings);
  settings.vocabulary = folder / "out/train.h5";
  settings.extend = true;
  settings.train = {folder / "evaluate.csv"};
  settings.output = folder / "more";
  CHECK(mentions(failure(world, settings), "evaluate.csv:20005: x: 1e+30 after the transform"));
}
