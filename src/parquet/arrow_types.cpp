// SPDX-License-Identifier: Apache-2.0
#include "arrow_types.hpp"

namespace tesserec::parquet {
namespace {

const arrow::DataType& element_of(const arrow::DataType& list) {
  return *static_cast<const arrow::BaseListType&>(list).value_type();
}

/// Returns whether TextColumn has texts for values of a type that is no list.
bool has_text(const arrow::DataType& type) {
  const auto id = type.id();
  if (id == arrow::Type::DICTIONARY) return has_text(*static_cast<const arrow::DictionaryType&>(type).value_type());
  return arrow::is_binary_like(id) || arrow::is_large_binary_like(id) || arrow::is_binary_view_like(id) ||
         arrow::is_integer(id) || id == arrow::Type::BOOL || id == arrow::Type::FLOAT || id == arrow::Type::DOUBLE ||
         id == arrow::Type::DATE32 || id == arrow::Type::TIMESTAMP || id == arrow::Type::NA;
}

}  // namespace

bool is_list(const arrow::DataType& type) {
  return type.id() == arrow::Type::LIST || type.id() == arrow::Type::LARGE_LIST;
}

ColumnType type_of(const arrow::DataType& type) {
  const bool list = is_list(type);
  return {type.ToString(), list, has_text(list ? element_of(type) : type)};
}

bool is_list_of_structs(const arrow::DataType& type) {
  return is_list(type) && element_of(type).id() == arrow::Type::STRUCT;
}

}  // namespace tesserec::parquet
