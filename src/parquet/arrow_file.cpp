// SPDX-License-Identifier: Apache-2.0
#include "arrow_file.hpp"

#include <arrow/io/file.h>
#include <parquet/file_reader.h>
#include <parquet/schema.h>

#include "arrow_texts.hpp"

namespace tesserec::parquet {

std::unique_ptr<::parquet::arrow::FileReader> open_file(const std::string& path) {
  return guarded(path, [&] {
    const auto file = checked(arrow::io::ReadableFile::Open(path), path);
    return checked(::parquet::arrow::OpenFile(file, arrow::default_memory_pool()), path);
  });
}

std::vector<ColumnPlace> places_of(::parquet::arrow::FileReader& reader, const std::string& path) {
  std::shared_ptr<arrow::Schema> schema;
  if (const arrow::Status status = reader.GetSchema(&schema); !status.ok())
    fail(path, ": cannot read the Parquet file: ", status.message());
  std::vector<ColumnPlace> places;
  for (int root = 0; root < schema->num_fields(); ++root) {
    const arrow::Field& field = *schema->field(root);
    const arrow::StructType* const element = struct_of(*field.type());
    if (element == nullptr) places.push_back({field.name(), type_of(*field.type()), root});
    for (int child = 0; element != nullptr && child < element->num_fields(); ++child)
      places.push_back({element->field(child)->name(), type_of(*element->field(child)->type()), root, child});
    for (ColumnPlace& place : places)
      if (place.child >= 0) place.type.unrolled = place.root;
  }
  return places;
}

FileShape shape_of(const std::string& path) {
  const auto reader = open_file(path);
  const ::parquet::FileMetaData& data = *reader->parquet_reader()->metadata();
  FileShape shape;
  shape.row_groups = data.num_row_groups();
  shape.rows = data.num_rows();
  int unrolled = -1;
  for (const ColumnPlace& place : places_of(*reader, path)) {
    shape.columns.push_back(place.name);
    shape.types.push_back(place.type);
    if (unrolled < 0) unrolled = place.type.unrolled;
  }
  const ::parquet::SchemaDescriptor& schema = *data.schema();
  for (int leaf = 0; unrolled >= 0 && leaf < schema.num_columns(); ++leaf) {
    if (schema.group_node()->FieldIndex(*schema.GetColumnRoot(leaf)) != unrolled) continue;
    shape.rows = 0;
    for (int group = 0; group < data.num_row_groups(); ++group)
      shape.rows += data.RowGroup(group)->ColumnChunk(leaf)->num_values();
    break;
  }
  return shape;
}

}  // namespace tesserec::parquet
