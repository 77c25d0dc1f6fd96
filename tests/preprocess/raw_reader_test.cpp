// SPDX-License-Identifier: Apache-2.0
#include "catch.hpp"
#include "errors.hpp"
#include "raw_text.hpp"
#include "src/preprocess/checked_format.hpp"
#include "src/preprocess/row_stream.hpp"
#include <tesserec/core/error.hpp>

using namespace tesserec;
using namespace tesserec::preprocess;

namespace {

RawFile raw_file(const std::string& path, Compression compression = Compression::none) {
  return {path, static_cast<Index>(std::filesystem::file_size(path)), compression};
}

std::vector<std::string> lines_of(const RawFile& file, Range bytes) {
  LineReader reader(file, bytes);
  std::vector<std::string> lines;
  for (Line line; reader.next(line);)
    lines.push_back(std::to_string(line.begin) + ":" + (line.too_long ? "LONG" : std::string(line.text)));
  return lines;
}

std::string message_of(const RawFile& file) {
  return error_of([&] { lines_of(file, {0, Index{1} << 40}); });
}

std::string failure(const comm::Communicator& comm, const std::vector<std::string>& patterns) {
  return error_of([&] { find_raw_files(comm, patterns, "preprocess.train"); });
}

}  // namespace

TEST_CASE("LineReader: reads every line once wherever the text is divided") {
  const comm::Communicator comm(MPI_COMM_SELF);
  const test::Folder folder(comm);
  for (const std::string text : {"a\nbb\n\r\nccc\r\n\nd", "a\n", "\n", "a", "\xEF\xBB\xBFx\ny\n"}) {
    const RawFile file = raw_file(folder.write("lines.txt", text));
    const RawFile packed = raw_file(folder.write("lines.gz", test::gzipped(text)), Compression::gzip);
    const auto expected = lines_of(file, {0, file.bytes});
    REQUIRE(lines_of(packed, {0, Index{1} << 62}) == expected);
    for (Index a = 0; a <= file.bytes; ++a)
      for (Index b = a; b <= file.bytes; ++b) {
        auto lines = lines_of(file, {0, a});
        for (const Range range : {Range{a, b}, Range{b, file.bytes}})
          for (auto& line : lines_of(file, range)) lines.push_back(line);
        REQUIRE(lines == expected);
      }
  }
  const RawFile file = raw_file(folder.write("lines.txt", "a\nbb\n\r\nccc\r\n\nd"));
  REQUIRE(lines_of(file, {0, file.bytes}) == std::vector<std::string>{"0:a", "2:bb", "5:", "7:ccc", "12:", "13:d"});
  const RawFile marked = raw_file(folder.write("lines.txt", "\xEF\xBB\xBFx\n\xEF\xBB\xBFy"));
  REQUIRE(lines_of(marked, {0, marked.bytes}) == std::vector<std::string>{"0:x", "5:\xEF\xBB\xBFy"});
}

TEST_CASE("LineReader: skips a line that is too long and reads the next one whole") {
  const comm::Communicator comm(MPI_COMM_SELF);
  const test::Folder folder(comm);
  const auto longest = static_cast<std::size_t>(LineReader::longest_line);
  for (const std::size_t length : {longest, longest + 1, 2 * longest, 5 * longest + 3}) {
    const RawFile file = raw_file(folder.write("long.txt", "a\n" + std::string(length, 'x') + "\nb\n"));
    const auto lines = lines_of(file, {0, file.bytes});
    REQUIRE(lines.size() == 3);
    REQUIRE((lines[1] == "2:LONG") == (length > longest));
    REQUIRE(lines[2] == std::to_string(length + 3) + ":b");
    REQUIRE(lines_of(file, {5, file.bytes}) == std::vector<std::string>{lines[2]});
  }
}

TEST_CASE("LineReader: reads gzip members and padding and throws on truncation and damage") {
  const comm::Communicator comm(MPI_COMM_SELF);
  const test::Folder folder(comm);
  const std::string text = test::criteo_text(400, 1);
  const std::string member = test::gzipped(text);
  const auto gz = [&](const std::string& bytes) { return raw_file(folder.write("x.gz", bytes), Compression::gzip); };
  const auto lines = lines_of(raw_file(folder.write("x.txt", text + text)), {0, Index{1} << 40});
  REQUIRE(lines.size() == 800);
  REQUIRE(lines_of(gz(member + member), {0, Index{1} << 40}) == lines);
  REQUIRE(lines_of(gz(member + test::gzipped("") + member), {0, Index{1} << 40}) == lines);
  REQUIRE(lines_of(gz(member + member + std::string(600000, '\0')), {0, Index{1} << 40}) == lines);
  for (const std::size_t cut :
       {std::size_t{3}, std::size_t{11}, member.size() / 2, member.size() - 4, member.size() - 1}) {
    REQUIRE(mentions(message_of(gz(member.substr(0, cut))), "x.gz: the gzip file ends too early"));
    REQUIRE(mentions(message_of(gz(member + member.substr(0, cut))), "x.gz: the gzip file ends too early"));
  }
  std::string flipped = member;
  flipped[member.size() / 2] = static_cast<char>(flipped[member.size() / 2] ^ 0x10);
  REQUIRE(mentions(message_of(gz(flipped)), "x.gz: the gzip file "));
  flipped = member;
  flipped[member.size() - 6] = static_cast<char>(flipped[member.size() - 6] ^ 0x10);  // checksum
  REQUIRE(mentions(message_of(gz(flipped)), "is damaged"));
  REQUIRE(mentions(message_of(gz(member + "garbage")), "is damaged"));
}

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
    for (const Index bytes : sizes) files.push_back({"f", bytes, Compression::gzip});
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

TEST_CASE("RowStream: empty lines are bad rows except at the end of a file") {
  const comm::Communicator comm(MPI_COMM_SELF);
  const test::Folder folder(comm);
  Settings settings;
  settings.format = RawFormat::table;
  settings.columns = {{"y", ColumnKind::label, Transform::none, {"1"}, {"0"}},
                      {"c", ColumnKind::category, Transform::none, {}, {}}};
  const auto format = make_row_format(settings);
  const std::string text = "1,a\n\n\n0,b\n\n";  // lines 2 and 3 are bad, line 5 is not a row
  const std::vector<RawFile> files = {raw_file(folder.write("lines.txt", text))};
  for (Index cut = 0; cut <= files[0].bytes; ++cut) {
    std::vector<Index> bad;
    Index before = 0, rows = 0;
    for (const Range bytes : {Range{0, cut}, Range{cut, files[0].bytes}}) {
      const std::vector<FileRange> ranges = {{0, bytes}};
      RowStream stream(files, ranges, *format, BadRows::skip);
      for (Row row; stream.next(row);) ++rows;
      for (const BadRow& row : stream.counts()[0].bad) bad.push_back(before + row.line);
      before += stream.counts()[0].lines;
    }
    INFO("cut at byte " << cut);
    REQUIRE(rows == 2);
    REQUIRE(bad == std::vector<Index>{2, 3});
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
