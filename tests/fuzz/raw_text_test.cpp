// SPDX-License-Identifier: Apache-2.0
// Damaged raw text. Any bytes are read without a crash, every line counts once, and the borders between ranks change
// nothing.
#include "tests/preprocess/raw_text.hpp"

#include "catch.hpp"
#include "src/preprocess/checked_format.hpp"
#include "src/preprocess/row_stream.hpp"
#include "tests/fuzz/rounds.hpp"
#include "tests/preprocess/packed_text.hpp"
#include <tesserec/core/error.hpp>

using namespace tesserec;
using namespace tesserec::preprocess;

namespace {

/// Returns the whole reading as one text: good rows, and bad ones with their line in the file.
std::string reading(const RawFile& file, const std::vector<Index>& cuts, const RowFormat& format) {
  std::string out;
  Index lines = 0, bad = 0;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    const FileRange range{0, {cuts[i], cuts[i + 1]}};
    RowStream stream({&file, 1}, {&range, 1}, format, BadRows::skip);
    Row row;
    while (stream.next(row)) {
      out += row.label ? "\n1" : "\n0";
      for (const double x : row.numbers) out += " " + std::to_string(x);
      for (const auto& token : row.tokens) out += " " + (token ? "'" + std::string(*token) + "'" : "-");
    }
    if (!stream.counts().empty()) {
      lines += stream.counts()[0].lines;
      bad += stream.counts()[0].bad_rows;
    }
    if (stream.stopped()) return "stopped: " + stream.counts()[0].bad.back().reason;
  }
  return out + "\nlines " + std::to_string(lines) + " bad " + std::to_string(bad);
}

struct Mutator {
  Random random{test::fuzz_seed(2026), Purpose::test};
  Index draws = 0;

  Index below(std::size_t bound) { return static_cast<Index>(random.below(bound, draws++, 0)); }

  std::string mutated(std::string text) {
    static const std::string nasty[] = {"\n",
                                        "\r\n",
                                        "\t",
                                        "\n\n",
                                        ",",
                                        "\"",
                                        std::string(1, '\0'),
                                        "\xff",
                                        "-",
                                        "9223372036854775808",
                                        "1e400",
                                        "\xEF\xBB\xBF",
                                        "0",
                                        " ",
                                        "nan",
                                        "\t\t\t\t\t\t\t\t\t\t\t\t\t\t"};
    for (Index edits = 1 + below(6); edits > 0; --edits) {
      const auto at = static_cast<std::size_t>(below(text.size() + 1));
      switch (below(4)) {
        case 0:
          if (at < text.size()) text[at] = static_cast<char>(below(256));
          break;
        case 1:
          text.insert(at, nasty[below(std::size(nasty))]);
          break;
        case 2:
          text.erase(at, static_cast<std::size_t>(below(20)));
          break;
        default:
          text.insert(
              at, text.substr(static_cast<std::size_t>(below(text.size() + 1)), static_cast<std::size_t>(below(120))));
      }
    }
    return text;
  }
};

Settings table_settings() {
  Settings settings;
  settings.format = RawFormat::table;
  settings.header = true;
  settings.columns = {{"a", ColumnKind::number, Transform::none, {}, {}},
                      {"b", ColumnKind::category, Transform::none, {}, {}},
                      {"y", ColumnKind::label, Transform::none, {"1"}, {"0"}}};
  return settings;
}

void fuzz(const std::string& seed_text, const RowFormat& format, int rounds) {
  const bool whole_files = format.layout().text.quoted_newlines;
  const comm::Communicator comm(MPI_COMM_SELF);
  const test::Folder folder(comm);
  Mutator mutator;
  Index survivors = 0;
  int round = 0;
  for (test::Rounds left(rounds); left.next(); ++round) {
    const std::string text = mutator.mutated(seed_text);
    if (text.empty()) continue;
    const RawFile file{folder.write("raw", text), static_cast<Index>(text.size())};
    const std::string whole = reading(file, {0, file.bytes}, format);
    INFO("round " << round);
    std::vector<Index> cuts = {0, mutator.below(text.size() + 1), mutator.below(text.size() + 1), file.bytes};
    std::sort(cuts.begin(), cuts.end());
    if (!whole_files) REQUIRE(reading(file, cuts, format) == whole);
    survivors += whole.find("\n0") != std::string::npos || whole.find("\n1") != std::string::npos;
    if (round % 8 != 0) continue;

    cuts.back() = Index{1} << 62;  // a packed file tells its size late
    for (const Compression compression : {Compression::gzip, Compression::zstd}) {
      if (compression == Compression::zstd && zstd_decompressor() == nullptr) continue;
      const bool gzip = compression == Compression::gzip;
      const std::string packed = gzip ? test::gzipped(text) : test::zstd_stored(text);
      const RawFile whole_file{folder.write("raw.packed", packed), std::ssize(packed), compression};
      REQUIRE(reading(whole_file, {0, Index{1} << 62}, format) == whole);
      if (!whole_files) REQUIRE(reading(whole_file, cuts, format) == whole);
      const std::string damaged = mutator.mutated(packed);
      const RawFile torn{folder.write("raw.packed", damaged), std::ssize(damaged), compression};
      try {
        reading(torn, {0, Index{1} << 62}, format);
      } catch (const Error& error) {
        const std::string expected = gzip ? "raw.packed: the gzip file" : "raw.packed: the zstd file";
        REQUIRE(std::string(error.what()).find(expected) != std::string::npos);
      }
    }
  }
  REQUIRE(survivors > round / 4);  // enough mutations leave good rows to compare
}

}  // namespace

TEST_CASE("RowStream: reads mutated Criteo text alike for any cuts and compressed") {
  fuzz(test::criteo_text(6, 7), *make_row_format(Settings()), 1000);
  Settings padded;
  padded.short_rows = ShortRows::pad;
  fuzz(test::criteo_text(3, 8, "\r\n"), *make_row_format(padded), 700);
}

TEST_CASE("RowStream: reads a mutated table with a header alike for any cuts and compressed") {
  fuzz("a,b,y\n1.5,x,0\n-2,,1\n ?, long token ,0\n3e8,z,1\n0,q,0\n\n", *make_row_format(table_settings()), 1000);
}

TEST_CASE("RowStream: reads mutated quotes and comments alike for any cuts and compressed") {
  Settings settings = table_settings();
  settings.comment = "#";
  const std::string text = "# \"\n\"a\",b,y\n1.5,\"x,\"\"y\"\"\",0\n#\n-2,\"\",\"1\"\n\"?\", \" long\" ,0\n0,q,0\n";
  fuzz(text, *make_row_format(settings), 1000);
  settings.quoted_newlines = true;
  fuzz(text + "1,\"two\nlines\",0\n2,\"\n\n\",1\n", *make_row_format(settings), 1000);
}
