// SPDX-License-Identifier: Apache-2.0
#include "arrow_file.hpp"

#include <utility>

#include <parquet/arrow/schema.h>
#include <parquet/column_page.h>
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
  return place;
}

/// Pages of a column that have values.
class FilledPages final : public ::parquet::PageReader {
 public:
  using Page = ::parquet::Page;

  explicit FilledPages(std::unique_ptr<::parquet::PageReader> pages) : pages_(std::move(pages)) {}

  std::shared_ptr<Page> NextPage() override {
    std::shared_ptr<Page> page = pages_->NextPage();
    while (page != nullptr && is_empty(*page)) page = pages_->NextPage();
    return page;
  }
  void set_max_page_header_size(std::uint32_t bytes) override { pages_->set_max_page_header_size(bytes); }

 private:
  static bool is_empty(const Page& page) {
    using ::parquet::PageType;
    if (page.type() != PageType::DATA_PAGE && page.type() != PageType::DATA_PAGE_V2) return false;
    return static_cast<const ::parquet::DataPage&>(page).num_values() == 0;
  }

  std::unique_ptr<::parquet::PageReader> pages_;
};

}  // namespace

std::unique_ptr<::parquet::ParquetFileReader> open_file(const std::string& path) {
  ::parquet::ReaderProperties properties;
  properties.enable_buffered_stream();  // a column chunk may be larger than the memory
  properties.set_buffer_size(256 << 10);
  properties.set_page_checksum_verification(true);
  return guarded(path, [&] { return ::parquet::ParquetFileReader::OpenFile(path, false, properties); });
}

std::shared_ptr<::parquet::ColumnReader> open_column(::parquet::RowGroupReader& group, int leaf) {
  return ::parquet::ColumnReader::Make(group.metadata()->schema()->Column(leaf),
                                       std::make_unique<FilledPages>(group.GetColumnPageReader(leaf)));
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
  return guarded(path, [&] {
    const auto file = open_file(path);
    const ::parquet::FileMetaData& data = *file->metadata();
    FileShape shape;
    shape.row_groups = data.num_row_groups();
    int list = -1, leaf = -1;
    for (const ColumnPlace& place : places_of(*file, path)) {
      shape.columns.push_back(place.name);
      shape.types.push_back(place.type);
      if (list < 0) list = place.type.unrolled;
      if (leaf < 0 && list >= 0 && place.type.unrolled == list && !place.type.list) leaf = place.leaf;
    }
    for (int group = 0; group < shape.row_groups; ++group) {
      const auto rows = data.RowGroup(group);
      shape.rows += leaf < 0 ? rows->num_rows() : rows->ColumnChunk(leaf)->num_values();
    }
    return shape;
  });
}

}  // namespace tesserec::parquet
