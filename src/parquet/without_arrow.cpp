// SPDX-License-Identifier: Apache-2.0
// Reader and writer of a build without Arrow, which refuse every file.
#include <tesserec/core/error.hpp>
#include <tesserec/parquet/reader.hpp>
#include <tesserec/parquet/writer.hpp>

namespace tesserec::parquet {
namespace {

[[noreturn]] void refuse(const std::string& path) {
  fail(path,
       ": it is a Parquet file, but this build has no Arrow to read it; configure with -DTESSEREC_PARQUET=ON "
       "(docs/installing.md), or write it as delimited text");
}

}  // namespace

bool is_built() { return false; }

FileShape shape_of(const std::string& path) { refuse(path); }

std::unique_ptr<RowReader> open_rows(const std::string& path, Range, std::vector<ColumnChoice>, std::string) {
  refuse(path);
}

std::unique_ptr<GroupWriter> open_writer(const std::string& path, const WrittenColumns&,
                                         std::function<void(std::string_view)>) {
  fail(path, ": this build has no Arrow to write a Parquet file; configure with -DTESSEREC_PARQUET=ON ",
       "(docs/installing.md), or write it as text");
}

}  // namespace tesserec::parquet
