// SPDX-License-Identifier: Apache-2.0
// Quoted fields and comments: as fields, as records, and in whole runs on 1, 2 and 3 ranks of the world.
#include "catch.hpp"
#include "errors.hpp"
#include "raw_text.hpp"
#include "runs.hpp"
#include "src/preprocess/row_stream.hpp"
#include <tesserec/core/text.hpp>
#include <tesserec/preprocess/settings.hpp>
#include <tesserec/raw/fields.hpp>
#include <tesserec/store/hdf5.hpp>

using namespace tesserec;
using namespace tesserec::preprocess;

namespace {

const TextRules comma{',', true, false, true};

/// Returns the fields of a record between bars, or why its quotes are wrong.
std::string fields_of(const std::string& record, const TextRules& rules = comma) {
  Fields fields;
  const std::string reason = split(record, rules, fields);
  return reason.empty() ? join(fields.texts, "|") : concat(reason, " on line ", fields.line);
}

std::vector<std::string> records_of(const test::Folder& folder, const std::string& text, const TextRules& rules) {
  const RawFile file{folder.write("records", text), std::ssize(text)};
  LineReader reader(file, {0, file.bytes}, rules);
  std::vector<std::string> records;
  for (Line line; reader.next(line);)
    records.push_back(concat(line.begin, "+", line.lines, line.comment ? "#" : ":", line.text));
  return records;
}

Settings clicks(const std::string& train, const std::string& output) {
  Settings settings = criteo({train}, output);
  settings.format = RawFormat::table;
  settings.header = true;
  settings.columns = {{"y", ColumnKind::label, Transform::none, {"1"}, {"0"}},
                      {"price", ColumnKind::number, Transform::standardise},
                      {"title", ColumnKind::category},
                      {"row", ColumnKind::key}};
  return settings;
}

std::string title(Index i, bool newlines) {
  const std::string rest = std::to_string(i % 97);
  if (i % 3 == 0) return "\"a, \"\"b\"\" " + rest + '"';
  return i % 3 == 1 ? "plain " + rest : (newlines ? "\"two\n\"\"lines\"\"\r\n, " : "\"#, ") + rest + '"';
}

std::string clicks_text(Index first, Index rows, bool newlines) {
  std::string text = "# 1 \"mark\ny,\"price\",title,\"row\"\n";
  for (Index i = first; i < first + rows; ++i) {
    if (i % 50 == 7) text += "# comment \" " + std::to_string(i) + "\n";
    text += concat(i % 4 == 0 ? "\"1\"" : "0", ",\"", i % 13, ".5\",", title(i, newlines), ", \"r", i, "\" \n");
  }
  return text;
}

}  // namespace

TEST_CASE("split: quoted fields hold delimiters and doubled quotes") {
  CHECK(fields_of("") == "");
  CHECK(fields_of("\"\"") == "");
  CHECK(fields_of("\"\",\"\"") == "|");
  CHECK(fields_of(R"("a,b",c,"d")") == "a,b|c|d");
  CHECK(fields_of(R"("say ""no"", please","""",""""""  )") == R"(say "no", please|"|"")");
  CHECK(fields_of(R"(x,  "  kept  "  ,  dropped  ,)") == "x|  kept  |dropped|");
  CHECK(fields_of(R"(5" pipe,a"b",c)") == R"(5" pipe|a"b"|c)");
  CHECK(fields_of(R"( "a")", {',', true, false, false}) == R"( "a")");
  CHECK(fields_of(R"("a,b")", {',', false, false, true}) == R"("a|b")");
  CHECK(fields_of("\t\"a\tb\"\t", {'\t', true, false, true}) == "|a\tb|");
  CHECK(fields_of("\"a\nb\",c") == "a\nb|c");
}

TEST_CASE("split: wrong quotes give the place") {
  CHECK(mentions(fields_of("a,\"b"), "the quote at character 3 (field 2) is never closed; preprocess.quoted_newlines"));
  CHECK(mentions(fields_of("\xC3\xA9,\"b\"\""), "character 3 (field 2) is never closed"));
  CHECK_FALSE(mentions(fields_of("\"b", {',', true, true, true}), "quoted_newlines"));
  CHECK(mentions(fields_of("\"a\"b,c"), "\"b,c\" at character 4 (field 1) follows a closing quote"));
  CHECK(mentions(fields_of("a,\"b\" \"c\""), "at character 7 (field 2) follows a closing quote"));
  CHECK(mentions(fields_of("\"a\n\nbc\"d,e"), "at character 4 (field 1) follows a closing quote; quotes inside"));
  CHECK(mentions(fields_of("\"a\n\nbc\"d,e"), " on line 2"));
}

TEST_CASE("LineReader: a record with quoted line breaks is one line") {
  const comm::Communicator comm(MPI_COMM_SELF);
  const test::Folder folder(comm);
  const TextRules rules{',', true, true, true, "#"};
  using Records = std::vector<std::string>;
  CHECK(records_of(folder, "\xEF\xBB\xBF\"a\nb\",c\r\nd\n", rules) == Records{"0+2:\"a\nb\",c", "12+1:d"});
  CHECK(records_of(folder, "#\"\nx, \"\n\n\"\n\"\"\"\n\"\n", rules) ==
        Records{"0+1##\"", "3+3:x, \"\n\n\"", "11+2:\"\"\"\n\""});
  CHECK(records_of(folder, "5\" a\n\"b\"\"\n#\"\nc", rules) == Records{"0+1:5\" a", "5+2:\"b\"\"\n#\"", "13+1:c"});
  CHECK(records_of(folder, "a\n\"b\nc\nd", rules) == Records{"0+1:a", "2+1:\"b", "5+1:c", "7+1:d"});
  CHECK(records_of(folder, "\"b\nc\n", {',', true}) == Records{"0+1:\"b", "3+1:c"});
  const std::string longest(std::size_t(LineReader::longest_line) - 4, 'x');
  CHECK(records_of(folder, "\"" + longest + "\n\"\nb\n", rules).size() == 2);
  CHECK(records_of(folder, "\"" + longest + "\nx\"\nb\n", rules).size() == 3);
  CHECK(records_of(folder, "\"a\n\"b\n\"\n" + longest + longest, rules).size() == 3);
}

TEST_CASE("preprocess: quoted fields give the same bytes from any ranks and as the fields without quotes") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  folder.write("lines.csv", clicks_text(0, 6000, false));
  for (int file = 0; file < 4; ++file)
    folder.write(concat("newlines", file, ".csv"), clicks_text(1500 * file, 1500, true));
  for_each_rank_count(world, [&](const comm::Communicator& comm, const std::string& name) {
    Settings settings = clicks(folder / "lines.csv", folder / (name + "l"));
    settings.comment = "#";
    settings.evaluate = settings.train;
    PreprocessReport report = preprocess::run(comm, settings);
    REQUIRE(report.train.rows == 6000);
    REQUIRE(report.values == std::vector<Index>{3 * 97});
    settings.quoted_newlines = true;
    settings.train = settings.evaluate = {folder / "newlines?.csv"};
    settings.output = folder / (name + "n");
    report = preprocess::run(comm, settings);
    REQUIRE(report.train.rows == 6000);
    REQUIRE(report.values == std::vector<Index>{3 * 97});
  });
  // A field over all cuts between ranks, each of whose lines would be a row.
  std::string longer = "y,price,title,row\n0,1,\"";
  while (std::ssize(longer) < 4 * text_block) longer += "0,2,inner,k\n";
  folder.write("long.csv", longer + "\",k\n1,3,outer,k\n");
  for_each_rank_count(world, [&](const comm::Communicator& comm, const std::string& name) {
    Settings settings = clicks(folder / "long.csv", folder / (name + "o"));
    settings.quoted_newlines = true;
    const PreprocessReport report = preprocess::run(comm, settings);
    CHECK(report.train.rows == 2);
    CHECK(report.values == std::vector<Index>{2});
  });
  if (world.rank() != 0) return;
  for (int ranks = 2; ranks <= world.size(); ++ranks)
    for (const std::string file : {"l/train.h5", "l/evaluate.h5", "n/train.h5", "n/evaluate.h5"})
      CHECK(test::read_bytes(folder / (std::to_string(ranks) + file)) == test::read_bytes(folder / ("1" + file)));
  const store::File lines = store::File::open(folder / "1l/evaluate.h5"),
                    train = store::File::open(folder / "1l/train.h5");
  const store::File newlines = store::File::open(folder / "1n/train.h5");
  CHECK(newlines.read_all<float>("/dense") == lines.read_all<float>("/dense"));
  CHECK(newlines.read_all<std::uint8_t>("/labels") == lines.read_all<std::uint8_t>("/labels"));
  const auto keys = lines.read_all<std::uint8_t>("/keys/row");
  CHECK(std::string(keys.end() - 5, keys.end()) == "r5999");
  const auto text_of = [](const store::File& file) {
    const auto bytes = file.read_all<std::uint8_t>("/vocabulary/title/tokens");
    return std::string(bytes.begin(), bytes.end());
  };
  CHECK(mentions(text_of(train), "a, \"b\" 1a, \"b\" "));
  CHECK(mentions(text_of(newlines), "two\n\"lines\"\r\n, 1two"));
}

TEST_CASE("preprocess: wrong quotes stop it with file and line and place, or are counted") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  const std::string good = clicks_text(0, 3000, true);
  folder.write("bad.csv", good + "0,1,\"one\ntwo\nthree\"x,k\n0,1,never \"closed\",k\n0,1,\"closed\n0,2,z,k\n");
  Settings settings = clicks(folder / "bad.csv", folder / "out");
  settings.comment = "#";
  const std::string unclosed = error_of([&] { preprocess::run(world, settings); });
  CHECK(
      mentions(unclosed, "bad.csv:5: the quote at character 9 (field 3) is never closed; preprocess.quoted_newlines"));
  settings.quoted_newlines = true;
  const Index lines = std::count(good.begin(), good.end(), '\n');
  const std::string follows = error_of([&] { preprocess::run(world, settings); });
  CHECK(mentions(follows, concat("bad.csv:", lines + 3, ": \"x,k\" at character 7 (field 3) follows")));
  settings.bad_rows = BadRows::skip;
  const PreprocessReport report = preprocess::run(world, settings);
  CHECK(report.train.rows == 3002);
  CHECK(report.train.bad_rows() == 2);
  CHECK(
      mentions(report.train.files[0].bad.at(1), concat("bad.csv:", lines + 5, ": the quote at character 5 (field 3)")));
  settings.quotes = false;
  CHECK(mentions(error_of([&] { preprocess::run(world, settings); }), "preprocess.quoted_newlines needs quotes"));
  settings.quoted_newlines = false;
  settings.comment = ",x";
  CHECK(mentions(error_of([&] { preprocess::run(world, settings); }), "preprocess.comment cannot be \",x\""));
  Settings other = criteo({folder / "bad.csv"}, folder / "out");
  other.quotes = false;
  CHECK(mentions(error_of([&] { preprocess::run(world, other); }), "preprocess.quotes applies only"));
}
