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

}  // namespace

TEST_CASE("LineReader: reads every line once wherever the text is divided") {
  const comm::Communicator comm(MPI_COMM_SELF);
  const test::Folder folder(comm);
  for (const std::string text : {"a\nbb\n\r\nccc\r\n\nd", "a\n", "\n", "a", "\xEF\xBB\xBFx\ny\n"}) {
    const RawFile file = raw_file(folder.write("lines.txt", text));
    const RawFile packed = raw_file(folder.write("lines.gz", test::gzipped(text)), Compression::gzip);
    const auto expected = lines_of(file, {0, file.bytes});
    REQUIRE(lines_of(packed, {0, Index{1} << 62}) == expected);
    for (const RawFile& cut : {file, packed})
      for (Index a = 0; a <= file.bytes; ++a)
        for (Index b = a; b <= file.bytes; ++b) {
          auto lines = lines_of(cut, {0, a});
          for (const Range range : {Range{a, b}, Range{b, file.bytes}})
            for (auto& line : lines_of(cut, range)) lines.push_back(line);
          REQUIRE(lines == expected);
        }
    // A packed file may be cut behind its end, for it tells its size late.
    REQUIRE(lines_of(packed, {file.bytes + 1, file.bytes + 9}).empty());
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
