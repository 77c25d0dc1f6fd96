// SPDX-License-Identifier: Apache-2.0
#include "arrow_types.hpp"

namespace tesserec::parquet {
namespace {

const arrow::DataType& element_of(const arrow::DataType& list) {
  return *static_cast<const arrow::BaseListType&>(list).value_type();
}

/// Returns the type of values that may stand in a dictionary.
arrow::Type::type values_of(const arrow::DataType& type) {
  if (type.id() != arrow::Type::DICTIONARY) return type.id();
  return static_cast<const arrow::DictionaryType&>(type).value_type()->id();
}

bool is_text(arrow::Type::type id) {
  return arrow::is_binary_like(id) || arrow::is_large_binary_like(id) || arrow::is_binary_view_like(id);
}

bool is_number(arrow::Type::type id) {
  return arrow::is_integer(id) || id == arrow::Type::BOOL || id == arrow::Type::FLOAT || id == arrow::Type::DOUBLE ||
         arrow::is_decimal(id) || arrow::is_time(id) || id == arrow::Type::DURATION;
}

}  // namespace

bool is_list(const arrow::DataType& type) {
  return type.id() == arrow::Type::LIST || type.id() == arrow::Type::LARGE_LIST ||
         type.id() == arrow::Type::FIXED_SIZE_LIST;
}

ColumnType type_of(const arrow::DataType& type) {
  const arrow::Type::type id = values_of(is_list(type) ? element_of(type) : type);
  ColumnType found{type.ToString(), is_list(type)};
  found.texts = is_text(id);
  found.numbers = is_number(id);
  found.floats = id == arrow::Type::FLOAT || id == arrow::Type::DOUBLE;
  found.readable =
      found.texts || found.numbers || arrow::is_date(id) || id == arrow::Type::TIMESTAMP || id == arrow::Type::NA;
  return found;
}

bool is_list_of_structs(const arrow::DataType& type) {
  return is_list(type) && element_of(type).id() == arrow::Type::STRUCT;
}

}  // namespace tesserec::parquet
