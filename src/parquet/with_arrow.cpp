// SPDX-License-Identifier: Apache-2.0
// The reader over Arrow's C++ library. Each batch of rows becomes one text a column, so that rows are views.
#include <charconv>
#include <cstdint>
#include <utility>

#include <arrow/api.h>
#include <arrow/io/file.h>
#include <parquet/arrow/reader.h>
#include <parquet/exception.h>
#include <parquet/file_reader.h>
#include <parquet/schema.h>

#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/parquet/reader.hpp>

namespace tesserec::parquet {
namespace {

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

std::unique_ptr<::parquet::arrow::FileReader> open_file(const std::string& path) {
  return guarded(path, [&] {
    const auto file = checked(arrow::io::ReadableFile::Open(path), path);
    return checked(::parquet::arrow::OpenFile(file, arrow::default_memory_pool()), path);
  });
}

/// Texts of one column of a batch.
struct ColumnTexts {
  std::string bytes;
  std::vector<std::size_t> ends;

  std::string_view text(std::size_t row) const {
    const std::size_t begin = row == 0 ? 0 : ends[row - 1];
    return std::string_view(bytes).substr(begin, ends[row] - begin);
  }
};

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

template <class Array>
const Array& as(const arrow::Array& array) {
  return static_cast<const Array&>(array);
}

/// Appends a value that is not null. Returns false for a type that has no text.
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

/// Returns whether append_value() has texts for values of a type that is no list.
bool has_text(const arrow::DataType& type) {
  const auto id = type.id();
  if (id == arrow::Type::DICTIONARY) return has_text(*static_cast<const arrow::DictionaryType&>(type).value_type());
  return arrow::is_binary_like(id) || arrow::is_large_binary_like(id) || arrow::is_integer(id) ||
         id == arrow::Type::BOOL || id == arrow::Type::FLOAT || id == arrow::Type::DOUBLE ||
         id == arrow::Type::DATE32 || id == arrow::Type::TIMESTAMP;
}

ColumnType type_of(const arrow::DataType& type) {
  const bool list = type.id() == arrow::Type::LIST || type.id() == arrow::Type::LARGE_LIST;
  return {type.ToString(), list, has_text(list ? *static_cast<const arrow::BaseListType&>(type).value_type() : type)};
}

/// The reader of one file.
class ArrowRows final : public RowReader {
 public:
  ArrowRows(const std::string& path, Range groups, std::vector<ColumnChoice> columns, std::string null)
      : path_(path),
        groups_(groups),
        columns_(std::move(columns)),
        null_(std::move(null)),
        file_(open_file(path)),
        texts_(columns_.size()) {
    const ::parquet::SchemaDescriptor& schema = *file_->parquet_reader()->metadata()->schema();
    for (int leaf = 0; leaf < schema.num_columns(); ++leaf)
      if (columns_.at(schema.group_node()->FieldIndex(*schema.GetColumnRoot(leaf))).read) leaves_.push_back(leaf);
  }

  bool next(std::vector<std::string_view>& fields) override {
    if (row_ == rows_ && !guarded(path_, [&] { return next_batch(); })) return false;
    fields.assign(columns_.size(), {});
    for (std::size_t c = 0; c < fields.size(); ++c)
      if (columns_[c].read) fields[c] = texts_[c].text(std::size_t(row_));
    ++row_;
    return true;
  }
  Index row_group() const override { return group_; }

 private:
  bool next_batch();
  void append_list(const arrow::Array& values, std::int64_t first, std::int64_t count, std::size_t column);
  void take(const arrow::Array& array, std::size_t column);
  /// Returns the name of a column of the file.
  const std::string& name_of(std::size_t column) const {
    return file_->parquet_reader()->metadata()->schema()->group_node()->field(int(column))->name();
  }

  std::string path_;
  Range groups_;  ///< row groups that are still to be read
  std::vector<ColumnChoice> columns_;
  std::string null_;
  std::unique_ptr<::parquet::arrow::FileReader> file_;
  std::unique_ptr<arrow::RecordBatchReader> batches_;
  std::vector<int> leaves_;          ///< Parquet columns that are read
  std::vector<ColumnTexts> texts_;   ///< texts of the batch [columns]
  std::int64_t rows_ = 0, row_ = 0;  ///< rows of the batch, rows read of it
  Index group_ = -1;
};

/// Appends the elements of a list, without nulls, between separators.
void ArrowRows::append_list(const arrow::Array& values, std::int64_t first, std::int64_t count, std::size_t column) {
  std::string& out = texts_[column].bytes;
  const char separator = columns_[column].separator;
  bool any = false;
  for (std::int64_t i = first; i < first + count; ++i) {
    if (values.IsNull(i)) continue;
    if (any) out += separator;
    any = true;
    const std::size_t begin = out.size();
    if (!append_value(values, i, out))
      fail(path_, ": a list of ", values.type()->ToString(), " cannot be read; give its column kind = \"skip\"");
    if (out.find(separator, begin) != std::string::npos)
      fail(path_, ": an element \"", out.substr(begin), "\" of a list has the separator \"", separator,
           "\" in it; give the column another separator");
  }
}

/// Converts a column of a batch.
void ArrowRows::take(const arrow::Array& array, std::size_t column) {
  ColumnTexts& to = texts_[column];
  const bool list = array.type_id() == arrow::Type::LIST, large = array.type_id() == arrow::Type::LARGE_LIST;
  if ((list || large) && columns_[column].separator == 0)
    fail(path_, ": column ", name_of(column),
         " has lists; give it kind = \"category\" and a separator that its elements do not have");
  for (std::int64_t i = 0; i < array.length(); ++i) {
    const std::size_t begin = to.bytes.size();
    if (array.IsNull(i)) {
      to.bytes += null_;
    } else if (list) {
      const auto& lists = as<arrow::ListArray>(array);
      append_list(*lists.values(), lists.value_offset(i), lists.value_length(i), column);
    } else if (large) {
      const auto& lists = as<arrow::LargeListArray>(array);
      append_list(*lists.values(), lists.value_offset(i), lists.value_length(i), column);
    } else if (!append_value(array, i, to.bytes)) {
      fail(path_, ": column ", name_of(column), " has type ", array.type()->ToString(),
           ", which cannot be read; give it kind = \"skip\"");
    }
    if ((list || large) && to.bytes.size() == begin) to.bytes += null_;  // a list without elements is missing
    to.ends.push_back(to.bytes.size());
  }
}

/// Reads the next batch with rows. Returns false at the end of the row groups.
bool ArrowRows::next_batch() {
  while (true) {
    if (batches_ == nullptr) {
      if (groups_.begin == groups_.end) return false;
      group_ = groups_.begin++;
      batches_ = checked(file_->GetRecordBatchReader({int(group_)}, leaves_), path_);
    }
    const std::shared_ptr<arrow::RecordBatch> batch = checked(batches_->Next(), path_);
    if (batch == nullptr) {
      batches_.reset();
      continue;
    }
    for (ColumnTexts& column : texts_) {
      column.bytes.clear();
      column.ends.clear();
    }
    int number = 0;
    for (std::size_t c = 0; c < columns_.size(); ++c)
      if (columns_[c].read) take(*batch->column(number++), c);
    rows_ = batch->num_rows();
    row_ = 0;
    if (rows_ > 0) return true;
  }
}

}  // namespace

bool is_built() { return true; }

FileShape shape_of(const std::string& path) {
  const auto reader = open_file(path);
  const ::parquet::FileMetaData& data = *reader->parquet_reader()->metadata();
  FileShape shape;
  const ::parquet::schema::GroupNode& root = *data.schema()->group_node();
  for (int i = 0; i < root.field_count(); ++i) shape.columns.push_back(root.field(i)->name());
  shape.row_groups = data.num_row_groups();
  std::shared_ptr<arrow::Schema> schema;
  if (const arrow::Status status = reader->GetSchema(&schema); !status.ok())
    fail(path, ": cannot read the Parquet file: ", status.message());
  for (const auto& field : schema->fields()) shape.types.push_back(type_of(*field->type()));
  return shape;
}

std::unique_ptr<RowReader> open_rows(const std::string& path, Range groups, std::vector<ColumnChoice> columns,
                                     std::string null) {
  return std::make_unique<ArrowRows>(path, groups, std::move(columns), std::move(null));
}

}  // namespace tesserec::parquet
