// SPDX-License-Identifier: Apache-2.0
// The reader over Arrow's C++ library. Each batch of rows becomes one text a column, so that rows are views.
#include <algorithm>
#include <cstdint>
#include <utility>

#include <arrow/api.h>
#include <parquet/file_reader.h>
#include <parquet/schema.h>

#include "arrow_file.hpp"
#include "arrow_texts.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/parquet/reader.hpp>

namespace tesserec::parquet {
namespace {

/// Texts of one column of a batch.
struct ColumnTexts {
  std::string bytes;
  std::vector<std::size_t> ends;

  std::string_view text(std::size_t row) const {
    const std::size_t begin = row == 0 ? 0 : ends[row - 1];
    return std::string_view(bytes).substr(begin, ends[row] - begin);
  }
};

/// The reader of one file.
class ArrowRows final : public RowReader {
 public:
  ArrowRows(const std::string& path, Range groups, std::vector<ColumnChoice> columns, std::string null)
      : path_(path),
        groups_(groups),
        columns_(std::move(columns)),
        null_(std::move(null)),
        file_(open_file(path)),
        places_(places_of(*file_, path)),
        texts_(columns_.size()) {
    find_unrolled();
    find_leaves();
  }

  bool next(std::vector<std::string_view>& fields) override {
    if (row_ == rows_ && !guarded(path_, [&] { return next_slice(); })) return false;
    fields.assign(columns_.size(), {});
    for (std::size_t c = 0; c < fields.size(); ++c) {
      if (!columns_[c].read) continue;
      const bool repeats = unrolled_ >= 0 && places_[c].child < 0;
      fields[c] = texts_[c].text(repeats ? parents_[std::size_t(row_)] : std::size_t(row_));
    }
    ++row_;
    return true;
  }
  Index row_group() const override { return group_; }

 private:
  void find_unrolled();
  void find_leaves();
  bool next_slice();
  bool next_batch();
  void append_list(const arrow::Array& values, std::int64_t first, std::int64_t count, std::size_t column);
  void take(const arrow::Array& array, std::size_t column);
  void take_rows(std::int64_t first, std::int64_t end);
  template <class List>
  std::shared_ptr<arrow::Array> unroll(const arrow::Array& array);

  std::string path_;
  Range groups_;  ///< row groups that are still to be read
  std::vector<ColumnChoice> columns_;
  std::string null_;
  std::unique_ptr<::parquet::arrow::FileReader> file_;
  std::vector<ColumnPlace> places_;  ///< places of the columns
  int unrolled_ = -1;                ///< root whose lists are unrolled; -1 = a row of the file is a row
  std::vector<int> leaves_;          ///< Parquet columns that are read
  std::vector<int> roots_;           ///< roots that are read, ascending
  std::unique_ptr<arrow::RecordBatchReader> batches_;
  std::shared_ptr<arrow::RecordBatch> batch_;
  std::int64_t converted_ = 0;        ///< rows of the batch that were converted
  std::vector<ColumnTexts> texts_;    ///< texts of the slice [columns]
  std::vector<std::size_t> parents_;  ///< row of the slice that each unrolled row repeats
  std::int64_t rows_ = 0, row_ = 0;   ///< rows of the slice, rows read of it
  Index group_ = -1;
};

/// Finds the list of structs that is read.
void ArrowRows::find_unrolled() {
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (!columns_[c].read || places_.at(c).child < 0) continue;
    if (unrolled_ >= 0 && unrolled_ != places_[c].root)
      fail(path_, ": ", places_[c].name, " is in another list of structs than the columns before it, but the rows can ",
           "be the elements of one list alone; give its column kind = \"skip\"");
    unrolled_ = places_[c].root;
  }
}

/// Finds the leaves of the columns that are read. The leaves of a column, or of a struct's field, are consecutive.
void ArrowRows::find_leaves() {
  const ::parquet::SchemaDescriptor& schema = *file_->parquet_reader()->metadata()->schema();
  for (std::size_t c = 0; c < columns_.size(); ++c)
    if (columns_[c].read) roots_.push_back(places_[c].root);
  roots_.erase(std::unique(roots_.begin(), roots_.end()), roots_.end());
  for (int leaf = 0; leaf < schema.num_columns(); ++leaf) {
    const int root = schema.group_node()->FieldIndex(*schema.GetColumnRoot(leaf));
    const std::vector<std::string> path = schema.Column(leaf)->path()->ToDotVector();
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const ColumnPlace& place = places_[c];
      if (!columns_[c].read || place.root != root) continue;
      if (place.child >= 0 && std::find(path.begin() + 1, path.end(), place.name) == path.end()) continue;
      leaves_.push_back(leaf);
      break;
    }
  }
}

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
    fail(path_, ": column ", places_[column].name,
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
      fail(path_, ": column ", places_[column].name, " has type ", array.type()->ToString(),
           ", which cannot be read; give it kind = \"skip\"");
    }
    if ((list || large) && to.bytes.size() == begin) to.bytes += null_;  // a list without elements is missing
    to.ends.push_back(to.bytes.size());
  }
}

/// Returns the elements of all lists as structs, and lets each row of the slice be an element.
template <class List>
std::shared_ptr<arrow::Array> ArrowRows::unroll(const arrow::Array& array) {
  const auto& lists = as<List>(array);
  for (std::int64_t i = 0; i < lists.length(); ++i)
    if (!lists.IsNull(i)) parents_.insert(parents_.end(), std::size_t(lists.value_length(i)), std::size_t(i));
  return checked(lists.Flatten(), path_);
}

/// Converts rows [first, end) of the batch.
void ArrowRows::take_rows(std::int64_t first, std::int64_t end) {
  for (ColumnTexts& column : texts_) {
    column.bytes.clear();
    column.ends.clear();
  }
  parents_.clear();
  std::vector<std::shared_ptr<arrow::Array>> roots;
  std::shared_ptr<arrow::Array> elements;
  for (std::size_t r = 0; r < roots_.size(); ++r) {
    roots.push_back(batch_->column(int(r))->Slice(first, end - first));
    if (roots_[r] != unrolled_) continue;
    elements = roots.back()->type_id() == arrow::Type::LIST ? unroll<arrow::ListArray>(*roots.back())
                                                            : unroll<arrow::LargeListArray>(*roots.back());
  }
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (!columns_[c].read) continue;
    const auto root = std::lower_bound(roots_.begin(), roots_.end(), places_[c].root) - roots_.begin();
    if (places_[c].child < 0) {
      take(*roots[std::size_t(root)], c);
      continue;
    }
    const auto& structs = as<arrow::StructArray>(*elements);
    const int field = structs.struct_type()->GetFieldIndex(places_[c].name);
    if (field < 0)
      fail(path_, ": several fields of a struct have the name ", places_[c].name,
           "; write the file with another name for each");
    take(*checked(structs.GetFlattenedField(field), path_), c);
  }
  rows_ = elements == nullptr ? end - first : elements->length();
  row_ = 0;
}

/// Converts the next rows of the file. Returns false at the end of the row groups.
bool ArrowRows::next_slice() {
  constexpr std::int64_t slice_rows = 1024;  // a slice of long lists must not fill the memory with texts
  do {
    if ((batch_ == nullptr || converted_ == batch_->num_rows()) && !next_batch()) return false;
    const std::int64_t rows = batch_->num_rows() - converted_, first = converted_;
    converted_ += unrolled_ < 0 ? rows : std::min(rows, slice_rows);
    take_rows(first, converted_);
  } while (rows_ == 0);
  return true;
}

/// Reads the next batch with rows. Returns false at the end of the row groups.
bool ArrowRows::next_batch() {
  while (true) {
    if (batches_ == nullptr) {
      if (groups_.begin == groups_.end) return false;
      group_ = groups_.begin++;
      batches_ = checked(file_->GetRecordBatchReader({int(group_)}, leaves_), path_);
    }
    batch_ = checked(batches_->Next(), path_);
    converted_ = 0;
    if (batch_ != nullptr && batch_->num_rows() > 0) return true;
    if (batch_ == nullptr) batches_.reset();
  }
}

}  // namespace

bool is_built() { return true; }

std::unique_ptr<RowReader> open_rows(const std::string& path, Range groups, std::vector<ColumnChoice> columns,
                                     std::string null) {
  return std::make_unique<ArrowRows>(path, groups, std::move(columns), std::move(null));
}

}  // namespace tesserec::parquet
