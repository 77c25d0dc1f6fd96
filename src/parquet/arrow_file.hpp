// SPDX-License-Identifier: Apache-2.0
/// A Parquet file opened by Arrow, and its columns.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <arrow/api.h>
#include <parquet/arrow/reader.h>
#include <parquet/exception.h>

#include <tesserec/core/error.hpp>
#include <tesserec/parquet/reader.hpp>

namespace tesserec::parquet {

/// Returns an Arrow result. Throws Error, naming the file, if it is a fault.
template <class T>
T checked(arrow::Result<T> result, const std::string& path) {
  if (!result.ok()) fail(path, ": cannot read the Parquet file: ", result.status().message());
  return std::move(result).ValueUnsafe();
}

/// Calls f and turns Arrow's exceptions into an Error that names the file.
template <class F>
auto guarded(const std::string& path, const F& f) {
  try {
    return f();
  } catch (const ::parquet::ParquetException& error) {
    fail(path, ": cannot read the Parquet file: ", error.what());
  }
}

std::unique_ptr<::parquet::arrow::FileReader> open_file(const std::string& path);

/// Place of a column of a file: a field of its schema, or of the struct that this field has a list of.
struct ColumnPlace {
  std::string name;
  ColumnType type;
  int root = 0;
  int child = -1;  ///< field of the struct; -1 = the column is the root
};

/// Returns the columns of a file. A list of structs has a column for each field of the struct.
std::vector<ColumnPlace> places_of(::parquet::arrow::FileReader& reader, const std::string& path);

}  // namespace tesserec::parquet
