// SPDX-License-Identifier: Apache-2.0
// Rate of the reader. Hidden: `PARQUET_FILES="a.parquet b.parquet" test_parquet "[speed]"` prints a line for each file.
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <sstream>

#include "catch.hpp"
#include <tesserec/core/text.hpp>
#include <tesserec/parquet/reader.hpp>

using namespace tesserec;

namespace {

/// Returns the time that this process has computed, which other programs disturb less than the time of day.
double computed_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

/// Returns the sum of the texts' first bytes.
Index touch(const std::vector<std::string_view>& fields) {
  Index sum = 0;
  for (const std::string_view text : fields) sum += text.empty() ? 0 : text[0];
  return sum;
}

/// Reads all rows and touches each text. Returns the number of rows.
Index read(const std::string& path) {
  const parquet::FileShape shape = parquet::shape_of(path);
  std::vector<parquet::ColumnChoice> choices;
  for (const parquet::ColumnType& type : shape.types) choices.push_back({true, type.list ? '|' : '\0'});
  const auto reader = parquet::open_rows(path, {0, shape.row_groups}, choices, "");
  Index rows = 0, first_bytes = 0;
  for (std::vector<std::string_view> fields; reader->next(fields); ++rows) first_bytes += touch(fields);
  REQUIRE(first_bytes > 0);
  return rows;
}

}  // namespace

TEST_CASE("RowReader: rows a second of a core", "[.][speed]") {
  const char* const files = std::getenv("PARQUET_FILES");
  REQUIRE(files != nullptr);
  std::istringstream list{std::string(files)};
  for (std::string path; list >> path;) {
    double least = 1e9;
    Index rows = 0;
    for (int trial = 0; trial < 5; ++trial) {
      const double begin = computed_seconds();
      rows = read(path);
      least = std::min(least, computed_seconds() - begin);
    }
    std::cout << path << ": " << rows << " rows, " << fixed(1e-6 * double(rows) / least, 2) << " M rows/s of a core\n";
  }
}
