// SPDX-License-Identifier: Apache-2.0
// The writer over Arrow's C++ library.
#include <utility>

#include <arrow/io/interfaces.h>
#include <parquet/column_writer.h>
#include <parquet/exception.h>
#include <parquet/file_writer.h>
#include <parquet/properties.h>
#include <parquet/schema.h>

#include <tesserec/core/error.hpp>
#include <tesserec/parquet/writer.hpp>

namespace tesserec::parquet {
namespace {

/// Arrow's stream into a function.
class FunctionStream final : public arrow::io::OutputStream {
 public:
  explicit FunctionStream(std::function<void(std::string_view)> sink) : sink_(std::move(sink)) {}

  using arrow::io::OutputStream::Write;
  arrow::Status Write(const void* data, std::int64_t size) override {
    sink_({static_cast<const char*>(data), std::size_t(size)});
    bytes_ += size;
    return arrow::Status::OK();
  }
  arrow::Result<std::int64_t> Tell() const override { return bytes_; }
  arrow::Status Close() override {
    closed_ = true;
    return arrow::Status::OK();
  }
  bool closed() const override { return closed_; }

 private:
  std::function<void(std::string_view)> sink_;
  std::int64_t bytes_ = 0;
  bool closed_ = false;
};

class ArrowWriter final : public GroupWriter {
 public:
  ArrowWriter(const std::string& path, const WrittenColumns& columns, std::function<void(std::string_view)> sink)
      : path_(path), columns_(columns.numbers.size() + columns.texts.size()) {
    using namespace ::parquet;
    schema::NodeVector nodes;
    for (const std::string& name : columns.numbers)
      nodes.push_back(schema::PrimitiveNode::Make(name, Repetition::REQUIRED, Type::INT32));
    for (const std::string& name : columns.texts)
      nodes.push_back(schema::PrimitiveNode::Make(name, Repetition::REQUIRED, LogicalType::String(), Type::BYTE_ARRAY));
    const auto root = schema::GroupNode::Make("schema", Repetition::REQUIRED, nodes);
    guarded([&] {
      const auto properties =
          WriterProperties::Builder().compression(Compression::ZSTD)->enable_page_checksum()->build();
      file_ = ParquetFileWriter::Open(std::make_shared<FunctionStream>(std::move(sink)),
                                      std::static_pointer_cast<schema::GroupNode>(root), properties);
    });
  }

  void write(std::span<const std::int32_t> numbers) override {
    write<::parquet::Int32Type>(numbers.data(), numbers.size());
  }
  void write(std::span<const std::string_view> texts) override {
    values_.assign(texts.begin(), texts.end());
    write<::parquet::ByteArrayType>(values_.data(), values_.size());
  }
  void end() override {
    guarded([&] { file_->Close(); });
  }

 private:
  template <class F>
  void guarded(const F& f) const {
    try {
      f();
    } catch (const ::parquet::ParquetException& error) {
      fail(path_, ": cannot write the Parquet file: ", error.what());
    }
  }

  template <class Type>
  void write(const typename Type::c_type* values, std::size_t count) {
    guarded([&] {
      if (column_++ % columns_ == 0) group_ = file_->AppendRowGroup();
      ::parquet::ColumnWriter* const column = group_->NextColumn();
      if (column->type() != Type::type_num)
        fail(path_, ": column ", column->descr()->name(), " was written with values of another type");
      auto* const writer = static_cast<::parquet::TypedColumnWriter<Type>*>(column);
      writer->WriteBatch(std::int64_t(count), nullptr, nullptr, values);
      writer->Close();
    });
  }

  std::string path_;
  std::size_t columns_, column_ = 0;  ///< columns of a row group; columns written so far
  std::unique_ptr<::parquet::ParquetFileWriter> file_;
  ::parquet::RowGroupWriter* group_ = nullptr;
  std::vector<::parquet::ByteArray> values_;
};

}  // namespace

std::unique_ptr<GroupWriter> open_writer(const std::string& path, const WrittenColumns& columns,
                                         std::function<void(std::string_view)> sink) {
  return std::make_unique<ArrowWriter>(path, columns, std::move(sink));
}

}  // namespace tesserec::parquet
