// SPDX-License-Identifier: Apache-2.0
#include "arrow_texts.hpp"

#include <charconv>
#include <cstdint>

namespace tesserec::parquet {
namespace {

template <class T>
void append_number(T value, std::string& out) {
  char text[32];
  out.append(text, std::to_chars(text, text + sizeof text, value).ptr);
}

/// Appends whole units since 1970 as seconds. `per_second`: units in a second.
void append_seconds(std::int64_t value, std::int64_t per_second, std::string& out) {
  if (value % per_second == 0)
    append_number(value / per_second, out);
  else
    append_number(double(value) / double(per_second), out);
}

std::int64_t per_second(arrow::TimeUnit::type unit) {
  if (unit == arrow::TimeUnit::SECOND) return 1;
  if (unit == arrow::TimeUnit::MILLI) return 1000;
  return unit == arrow::TimeUnit::MICRO ? 1000000 : 1000000000;
}

/// Returns whether append_value() has texts for values of a type that is no list.
bool has_text(const arrow::DataType& type) {
  const auto id = type.id();
  if (id == arrow::Type::DICTIONARY) return has_text(*static_cast<const arrow::DictionaryType&>(type).value_type());
  return arrow::is_binary_like(id) || arrow::is_large_binary_like(id) || arrow::is_integer(id) ||
         id == arrow::Type::BOOL || id == arrow::Type::FLOAT || id == arrow::Type::DOUBLE ||
         id == arrow::Type::DATE32 || id == arrow::Type::TIMESTAMP;
}

}  // namespace

bool append_value(const arrow::Array& array, std::int64_t row, std::string& out) {
  switch (array.type_id()) {
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
      out += as<arrow::BinaryArray>(array).GetView(row);
      return true;
    case arrow::Type::LARGE_STRING:
    case arrow::Type::LARGE_BINARY:
      out += as<arrow::LargeBinaryArray>(array).GetView(row);
      return true;
    case arrow::Type::BOOL:
      out += as<arrow::BooleanArray>(array).Value(row) ? '1' : '0';
      return true;
    case arrow::Type::INT8:
      append_number(int(as<arrow::Int8Array>(array).Value(row)), out);
      return true;
    case arrow::Type::INT16:
      append_number(as<arrow::Int16Array>(array).Value(row), out);
      return true;
    case arrow::Type::INT32:
      append_number(as<arrow::Int32Array>(array).Value(row), out);
      return true;
    case arrow::Type::INT64:
      append_number(as<arrow::Int64Array>(array).Value(row), out);
      return true;
    case arrow::Type::UINT8:
      append_number(int(as<arrow::UInt8Array>(array).Value(row)), out);
      return true;
    case arrow::Type::UINT16:
      append_number(as<arrow::UInt16Array>(array).Value(row), out);
      return true;
    case arrow::Type::UINT32:
      append_number(as<arrow::UInt32Array>(array).Value(row), out);
      return true;
    case arrow::Type::UINT64:
      append_number(as<arrow::UInt64Array>(array).Value(row), out);
      return true;
    case arrow::Type::FLOAT:
      append_number(as<arrow::FloatArray>(array).Value(row), out);
      return true;
    case arrow::Type::DOUBLE:
      append_number(as<arrow::DoubleArray>(array).Value(row), out);
      return true;
    case arrow::Type::DATE32:
      append_number(std::int64_t{86400} * as<arrow::Date32Array>(array).Value(row), out);
      return true;
    case arrow::Type::TIMESTAMP: {
      const auto& type = static_cast<const arrow::TimestampType&>(*array.type());
      append_seconds(as<arrow::TimestampArray>(array).Value(row), per_second(type.unit()), out);
      return true;
    }
    case arrow::Type::DICTIONARY: {
      const auto& dictionary = as<arrow::DictionaryArray>(array);
      return append_value(*dictionary.dictionary(), dictionary.GetValueIndex(row), out);
    }
    default:
      return false;
  }
}

bool is_list(const arrow::DataType& type) {
  return type.id() == arrow::Type::LIST || type.id() == arrow::Type::LARGE_LIST;
}

ColumnType type_of(const arrow::DataType& type) {
  const bool list = is_list(type);
  return {type.ToString(), list, has_text(list ? *static_cast<const arrow::BaseListType&>(type).value_type() : type)};
}

const arrow::StructType* struct_of(const arrow::DataType& type) {
  if (!is_list(type)) return nullptr;
  const arrow::DataType& element = *static_cast<const arrow::BaseListType&>(type).value_type();
  return element.id() == arrow::Type::STRUCT ? static_cast<const arrow::StructType*>(&element) : nullptr;
}

}  // namespace tesserec::parquet
