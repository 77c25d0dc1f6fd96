// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "catch.hpp"
#include "errors.hpp"
#include "raw_text.hpp"
#include "src/preprocess/row_stream.hpp"
#include <tesserec/core/error.hpp>

using namespace tesserec;
using namespace tesserec::preprocess;

namespace {

std::string failure(const comm::Communicator& comm, const std::vector<std::string>& patterns) {
  return error_of([&] { find_raw_files(comm, patterns, "preprocess.train"); });
}

}  // namespace

TEST_CASE("find_raw_files: finds raw files and throws on every rank if one cannot be read") {
  const comm::Communicator comm(MPI_COMM_WORLD);
  const test::Folder folder(comm);
  folder.write("b.txt", "x");
  folder.write("a.txt", "xy");
  folder.write("c[1].txt", "xyz");
  folder.write("d.gz", test::gzipped("x"));
  folder.write("false.zst", "plain text");
  folder.write("empty.csv", "");
  folder.write("false.gz", "plain text");
  const auto files = find_raw_files(comm, {folder / "[ab].txt", folder / "c[1].txt", folder / "d.gz"}, "k");
  REQUIRE(files.size() == 4);
  REQUIRE(files[0].path == folder / "a.txt");
  REQUIRE(files[0].bytes == 2);
  REQUIRE(files[2].path == folder / "c[1].txt");
  REQUIRE(files[3].compression == Compression::gzip);
  REQUIRE(files[2].compression == Compression::none);
  REQUIRE(mentions(failure(comm, {folder / "none*"}), "preprocess.train: no file"));
  REQUIRE(mentions(failure(comm, {folder / "none.txt"}), "none.txt"));
  REQUIRE(mentions(failure(comm, {folder / "."}), "is a folder"));
  REQUIRE(mentions(failure(comm, {folder / "empty.csv"}), "is empty"));
  REQUIRE(mentions(failure(comm, {folder / "false.gz"}), "not a gzip file"));
  REQUIRE(mentions(failure(comm, {folder / "false.zst"}), "not a zstd file"));
  REQUIRE(mentions(failure(comm, {folder / "a.txt", folder / "[ab].txt"}), "names \"" + folder / "a.txt" + "\" twice"));
  REQUIRE(mentions(failure(comm, {"/dev/null"}), "not a regular file"));
}

TEST_CASE("deal_ranges: the ranges of all ranks are the whole text in order") {
  std::vector<RawFile> files = {{"a", 1, Compression::none},
                                {"b", 5 * text_block + 7, Compression::none},
                                {"c", 90000, Compression::gzip},
                                {"d", text_block, Compression::none},
                                {"e", 3, Compression::gzip}};
  for (int ranks = 1; ranks <= 12; ++ranks) {
    Index file = 0, at = 0;
    for (int rank = 0; rank < ranks; ++rank)
      for (const FileRange& range : deal_ranges(files, rank, ranks)) {
        if (range.file != file) {
          REQUIRE(range.file == file + 1);
          REQUIRE(at >= files[file].bytes);
          ++file;
          at = 0;
        }
        REQUIRE(range.bytes.begin == at);
        REQUIRE(at % text_block == 0);
        REQUIRE(range.bytes.size() > 0);
        at = range.bytes.end;
      }
    REQUIRE(file == 4);
    REQUIRE(at >= files[4].bytes);
  }
}

TEST_CASE("deal_ranges: packed files are balanced over ranks in their order") {
  const auto owners = [](const std::vector<Index>& sizes, int ranks) {
    std::vector<RawFile> files;
    for (const Index bytes : sizes)
      files.push_back({.path = "f", .bytes = bytes, .compression = Compression::gzip, .text = bytes});
    std::vector<int> owners(sizes.size());
    for (int rank = 0; rank < ranks; ++rank)
      for (const FileRange& range : deal_ranges(files, rank, ranks)) owners[range.file] = rank;
    return owners;
  };
  REQUIRE(owners({1000, 3000}, 2) == std::vector<int>{0, 1});
  REQUIRE(owners({3000, 1000, 1000, 1000}, 2) == std::vector<int>{0, 1, 1, 1});
  REQUIRE(owners({1000, 1000, 1000, 9000, 1000}, 3) == std::vector<int>{0, 0, 0, 1, 2});
  REQUIRE(owners({5, 5}, 4) == std::vector<int>{0, 1});
  for (int ranks = 1; ranks <= 24; ++ranks) {
    std::vector<int> files(ranks, 0);
    for (const int owner : owners(std::vector<Index>(24, 12345), ranks)) ++files[owner];
    REQUIRE(*std::max_element(files.begin(), files.end()) == (24 + ranks - 1) / ranks);
  }
}

TEST_CASE("deal_ranges: ranks share a large packed file, and each counts what it passes over as a quarter") {
  const RawFile file{.path = "f", .bytes = 1000, .compression = Compression::gzip, .text = 1000 * text_block + 9};
  double last = 0;
  for (const int ranks : {1, 2, 3, 7, 64}) {
    Index at = 0;
    double least = 1e9, most = 0;
    int readers = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      const std::vector<FileRange> ranges = deal_ranges(std::vector<RawFile>{file}, rank, ranks);
      if (ranges.empty()) continue;
      REQUIRE(ranges.size() == 1);
      ++readers;
      const Range& bytes = ranges[0].bytes;
      REQUIRE(bytes.begin == at);
      at = bytes.end;
      const double load = double(std::min(at, file.text) - bytes.begin) / double(text_block) +
                          0.25 * double(bytes.begin) / double(text_block);
      least = std::min(least, load), most = std::max(most, load);
    }
    CHECK(at == std::numeric_limits<Index>::max());  // whatever size the text turns out to have
    CHECK(readers == std::min(ranks, 6));            // the seventh would read next to nothing
    CHECK((ranks > 6 || least > most - 2 * ranks));
    CHECK((ranks == 1 || most < last + 2));
    last = most;
    if (ranks > 6) CHECK(most / 1000 == Approx(0.305).margin(0.002));
  }
  // Equal files are not cut where each rank gets as many.
  for (const int ranks : {4, 12, 24})
    for (int rank = 0; rank < ranks; ++rank)
      for (const FileRange& range : deal_ranges(std::vector<RawFile>(24, file), rank, ranks))
        REQUIRE(range.bytes.begin == 0);
  // Text that an earlier start has read is left out.
  const std::vector<FileRange> done = {{0, {0, 300 * text_block}}, {0, {500 * text_block, 700 * text_block}}};
  std::vector<Range> open;
  for (int rank = 0; rank < 2; ++rank)
    for (const FileRange& range : deal_ranges(std::vector<RawFile>{file}, rank, 2, false, done))
      open.push_back(range.bytes);
  REQUIRE(open.size() == 2);
  CHECK(open.front().begin == 300 * text_block);
  CHECK(open.front().end == 500 * text_block);
  CHECK(open.back().begin == 700 * text_block);
  CHECK(open.back().end == std::numeric_limits<Index>::max());
}

TEST_CASE("digests: returns XXH3 of the bytes on disk") {
  const comm::Communicator comm(MPI_COMM_WORLD);
  const test::Folder folder(comm);
  folder.write("a", "a");
  folder.write("b", "tesserec\n");
  folder.write("c", "tesserec\n");
  const auto files = find_raw_files(comm, {folder / "a", folder / "b", folder / "c"}, "k");
  const auto sums = digests(comm, files);
  REQUIRE(sums.size() == 3);
  REQUIRE(sums[0] == 0xe6c632b61e964e1fULL);  // digest of "a" as xxhsum -H3 prints it
  REQUIRE(sums[1] == sums[2]);

  // Ranges of a file that were read are compared.
  const auto digest = [&](Range range) {
    LineReader lines(files[1], range);
    for (Line line; lines.next(line);) continue;
    return lines.digest();
  };
  const std::vector<ReadText> read = {{{1, {0, 4}}, digest({0, 4})}, {{1, {4, 9}}, digest({4, 9})}};
  REQUIRE(read[0].digest != read[1].digest);
  REQUIRE(digests(comm, files, read) == sums);
  REQUIRE(digests(comm, files, std::span(read).subspan(1)) == sums);
  comm.barrier();
  folder.write("b", "tesserEc\n");
  Index found = 0;
  REQUIRE(
      mentions(error_of([&] { digests(comm, files, read, [&] { ++found; }); }), files[1].path + " was changed while"));
  REQUIRE(comm.sum(found) == 1);
  REQUIRE(digests(comm, files).size() == 3);
}

TEST_CASE("digests: a range of a packed file is compared by the bytes that make its text") {
  const comm::Communicator comm(MPI_COMM_SELF);
  const test::Folder folder(comm);
  std::string text;
  for (int seed = 0; seed < 9; ++seed) text += test::criteo_text(1000, std::uint64_t(seed));
  const std::string packed = test::gzipped(text), path = folder.write("day.gz", packed);
  const auto files = find_raw_files(comm, {path}, "k");
  CHECK(std::abs(double(files[0].text) / double(text.size()) - 1) < 0.1);
  std::vector<ReadText> read;
  const Index half = std::ssize(text) / 2;
  for (const Range range : {Range{0, 1000}, Range{1000, half}, Range{half, std::numeric_limits<Index>::max()}}) {
    LineReader lines(files[0], range);
    for (Line line; lines.next(line);) continue;
    read.push_back({{0, range}, lines.digest(), lines.digested()});
  }
  CHECK(read[0].digested < read[1].digested);
  CHECK(read[1].digested < std::ssize(packed));
  CHECK(read[2].digested == std::ssize(packed));
  CHECK(digests(comm, files, read)[0] == read[2].digest);
  // Ranks read at different times, so each range tells what it saw.
  const auto refused = [&](std::size_t count) {
    return !error_of([&] { digests(comm, files, std::span(read).first(count)); }).empty();
  };
  for (const auto& [place, first] :
       {std::pair(Index{20000}, 1), std::pair(read[0].digested + 5, 2), std::pair(read[1].digested + 5, 3)}) {
    std::string other = packed;
    other[std::size_t(place)] = char(other[std::size_t(place)] ^ 1);
    folder.write("day.gz", other);
    for (int count = 1; count <= 3; ++count) CHECK(refused(std::size_t(count)) == (count >= first));
  }
}

TEST_CASE("deal_ranges: each row group of a Parquet file goes to one rank in order") {
  RawFile text{"a", 3 * text_block, Compression::none}, table{"b", 4 * text_block, Compression::none};
  table.parquet = true;
  table.row_groups = 7;
  for (int ranks = 1; ranks <= 12; ++ranks) {
    const std::vector<RawFile> files = {text, table};
    Index at = 0;
    for (int rank = 0; rank < ranks; ++rank)
      for (const FileRange& range : deal_ranges(files, rank, ranks)) {
        if (range.file == 0) continue;
        REQUIRE(range.bytes.begin == at);
        REQUIRE(range.bytes.size() > 0);
        at = range.bytes.end;
      }
    REQUIRE(at == 7);
  }
}
