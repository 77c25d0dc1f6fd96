// SPDX-License-Identifier: Apache-2.0
/// A Parquet file opened by Arrow, and its columns.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <parquet/column_reader.h>
#include <parquet/exception.h>
#include <parquet/file_reader.h>

#include <tesserec/core/error.hpp>
#include <tesserec/parquet/reader.hpp>

namespace tesserec::parquet {

/// Calls f and turns Arrow's exceptions into an Error that names the file.
template <class F>
auto guarded(const std::string& path, const F& f) {
  try {
    return f();
  } catch (const ::parquet::ParquetException& error) {
    fail(path, ": cannot read the Parquet file: ", error.what());
  }
}

/// Opens a file. Readers of its pages compare them with their checksums, if they have some.
std::unique_ptr<::parquet::ParquetFileReader> open_file(const std::string& path);

/// Place of a column in a file, and the levels that say what a value of it belongs to (Dremel's encoding).
struct ColumnPlace {
  std::string name;
  ColumnType type;
  int leaf = -1;             ///< Parquet column; -1 if the type is not readable
  std::int16_t row_rep = 0;  ///< a row begins at each repetition level up to this one
  std::int16_t row_def = 0;  ///< least definition level of a row; below it an unrolled list has no element
};

/// Opens a column of a row group. Its pages without values, which would end Arrow's reader, are passed by.
std::shared_ptr<::parquet::ColumnReader> open_column(::parquet::RowGroupReader& group, int leaf);

/// Returns the columns of a file. A list of structs has a column for each field of the struct.
std::vector<ColumnPlace> places_of(::parquet::ParquetFileReader& file, const std::string& path);

}  // namespace tesserec::parquet
