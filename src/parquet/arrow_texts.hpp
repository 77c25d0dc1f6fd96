// SPDX-License-Identifier: Apache-2.0
/// Values of Arrow's arrays as texts.
#pragma once

#include <string>

#include <arrow/api.h>

#include <tesserec/parquet/reader.hpp>

namespace tesserec::parquet {

template <class Array>
const Array& as(const arrow::Array& array) {
  return static_cast<const Array&>(array);
}

/// Appends a value that is not null. Returns false for a type that has no text.
bool append_value(const arrow::Array& array, std::int64_t row, std::string& out);

bool is_list(const arrow::DataType& type);

/// Returns the type of a column.
ColumnType type_of(const arrow::DataType& type);

/// Returns the struct that a column's type is a list of, or null.
const arrow::StructType* struct_of(const arrow::DataType& type);

}  // namespace tesserec::parquet
