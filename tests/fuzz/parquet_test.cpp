// SPDX-License-Identifier: Apache-2.0
// Mutations of Parquet files (those of tests/parquet). Each is read or refused with an Error that names the file.
#include <algorithm>
#include <optional>
#include <random>

#include "catch.hpp"
#include "source_dir.hpp"
#include "tests/fuzz/rounds.hpp"
#include "tests/preprocess/raw_text.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/parquet/reader.hpp>

using namespace tesserec;

namespace {

/// Returns `bytes` after a few edits that leave their number, so that the footer is found, or without their end.
std::string mutated_bytes(std::string bytes, std::mt19937& random) {
  const auto below = [&](std::size_t bound) { return std::size_t(random() % bound); };
  for (std::size_t edits = 1 + below(4); edits > 0; --edits) {
    const std::size_t at = below(bytes.size());
    // Half of the edits are in the last quarter, where the footer is.
    const std::size_t place = below(2) == 0 ? at : bytes.size() - 1 - at / 4;
    switch (below(8)) {
      case 0:
      case 1:
      case 2:
        bytes[place] = char(bytes[place] ^ (1u << below(8)));
        break;
      case 3:
      case 4:
        bytes[place] = char(below(256));
        break;
      case 5:
        bytes[place] = "\x7f\xff\x80\x01\xfe"[below(5)];
        break;
      case 6: {
        const std::size_t length = 1 + below(std::min<std::size_t>(40, bytes.size() - place));
        bytes.replace(place, length, bytes.substr(below(bytes.size() - length + 1), length));
        break;
      }
      default:
        if (below(8) == 0) bytes.resize(1 + at);
    }
  }
  return bytes;
}

/// Reads all rows of a file and returns their number, or nothing after an Error that names it.
std::optional<Index> rows_of(const std::string& path) {
  try {
    const parquet::FileShape shape = parquet::shape_of(path);
    std::vector<parquet::ColumnChoice> choices;
    for (const parquet::ColumnType& type : shape.types) choices.push_back({type.readable, type.list ? '|' : '\0'});
    const auto reader = parquet::open_rows(path, {0, shape.row_groups}, choices, "NA");
    Index rows = 0;
    std::size_t bytes = 0;
    for (std::vector<std::string_view> fields; reader->next(fields); ++rows)
      for (const std::string_view field : fields) bytes += std::size_t(std::count(field.begin(), field.end(), '|'));
    CHECK(bytes < std::size_t(1) << 40);
    return rows;
  } catch (const Error& error) {
    if (std::string(error.what()).find(path) != 0) FAIL(error.what());
    return std::nullopt;
  }
}

}  // namespace

TEST_CASE("RowReader: reads or refuses mutated Parquet files") {
  if (!parquet::is_built()) return;
  const comm::Communicator self(MPI_COMM_SELF);
  const test::Folder folder(self);
  std::vector<std::string> seeds;
  for (const char* const name :
       {"clicks", "clock", "decimals", "events", "far", "gaps", "packed", "pages", "times", "twins", "types"})
    seeds.push_back(test::read_bytes(concat(TESSEREC_SOURCE_DIR, "/tests/parquet/", name, ".parquet")));
  std::mt19937 random(test::fuzz_seed(43));
  int read = 0, refused = 0;
  for (test::Rounds left(1500); left.next();) {
    const std::string path = folder.write("mutated.parquet", mutated_bytes(seeds[random() % seeds.size()], random));
    if (rows_of(path))
      ++read;
    else
      ++refused;
  }
  CHECK(read > refused / 10);
  CHECK(refused > read / 10);
}
