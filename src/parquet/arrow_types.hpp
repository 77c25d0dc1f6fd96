// SPDX-License-Identifier: Apache-2.0
/// Types of a file's columns.
#pragma once

#include <arrow/api.h>

#include <tesserec/parquet/reader.hpp>

namespace tesserec::parquet {

bool is_list(const arrow::DataType& type);

/// Returns the type of a column.
ColumnType type_of(const arrow::DataType& type);

/// Returns whether a column's type is a list of structs.
bool is_list_of_structs(const arrow::DataType& type);

}  // namespace tesserec::parquet
