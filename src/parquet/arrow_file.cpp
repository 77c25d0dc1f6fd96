// SPDX-License-Identifier: Apache-2.0
#include "arrow_file.hpp"

#include <parquet/arrow/schema.h>
#include <parquet/properties.h>

#include "arrow_types.hpp"

namespace tesserec::parquet {
namespace {

using ::parquet::arrow::SchemaField;

ColumnPlace place_of(const SchemaField& field) {
  ColumnPlace place{field.field->name(), type_of(*field.field->type())};
  if (!place.type.readable) return place;
  const SchemaField& leaf = place.type.list ? field.children.at(0) : field;
  place.leaf = leaf.column_index;
  place.item_def = leaf.level_info.repeated_ancestor_def_level;
  return place;
}

}  // namespace

std::unique_ptr<::parquet::ParquetFileReader> open_file(const std::string& path) {
  ::parquet::ReaderProperties properties;
  properties.enable_buffered_stream();  // a column chunk may be larger than the memory
  properties.set_buffer_size(256 << 10);
  properties.set_page_checksum_verification(true);
  return guarded(path, [&] { return ::parquet::ParquetFileReader::OpenFile(path, false, properties); });
}

std::vector<ColumnPlace> places_of(::parquet::ParquetFileReader& file, const std::string& path) {
  const auto data = file.metadata();
  ::parquet::arrow::SchemaManifest manifest;
  guarded(path, [&] {
    PARQUET_THROW_NOT_OK(::parquet::arrow::SchemaManifest::Make(data->schema(), data->key_value_metadata(),
                                                                ::parquet::ArrowReaderProperties(), &manifest));
  });
  std::vector<ColumnPlace> places;
  for (const SchemaField& root : manifest.schema_fields) {
    if (!is_list_of_structs(*root.field->type())) {
      places.push_back(place_of(root));
      continue;
    }
    const SchemaField& element = root.children.at(0);
    for (const SchemaField& field : element.children) {
      ColumnPlace& place = places.emplace_back(place_of(field));
      place.type.unrolled = int(&root - manifest.schema_fields.data());
      place.row_rep = element.level_info.rep_level;
      place.row_def = element.level_info.repeated_ancestor_def_level;
    }
  }
  return places;
}

FileShape shape_of(const std::string& path) {
  const auto file = open_file(path);
  const ::parquet::FileMetaData& data = *file->metadata();
  FileShape shape;
  shape.row_groups = data.num_row_groups();
  shape.rows = data.num_rows();
  const ColumnPlace* unrolled = nullptr;
  const std::vector<ColumnPlace> places = places_of(*file, path);
  for (const ColumnPlace& place : places) {
    shape.columns.push_back(place.name);
    shape.types.push_back(place.type);
    if (unrolled == nullptr && place.type.unrolled >= 0 && place.leaf >= 0 && !place.type.list) unrolled = &place;
  }
  if (unrolled == nullptr) return shape;
  shape.rows = 0;
  for (int group = 0; group < data.num_row_groups(); ++group)
    shape.rows += data.RowGroup(group)->ColumnChunk(unrolled->leaf)->num_values();
  return shape;
}

}  // namespace tesserec::parquet
