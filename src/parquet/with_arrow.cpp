// SPDX-License-Identifier: Apache-2.0
// The reader over Arrow's C++ library. Each column goes on at its own pace, page by page.
#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "arrow_columns.hpp"
#include "arrow_file.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/parquet/reader.hpp>

namespace tesserec::parquet {
namespace {

/// The reader of one file.
class ArrowRows final : public RowReader {
 public:
  ArrowRows(const std::string& path, Range groups, std::vector<ColumnChoice> columns, std::string null)
      : path_(path),
        groups_(groups),
        columns_(std::move(columns)),
        null_(std::move(null)),
        file_(open_file(path)),
        places_(places_of(*file_, path)) {
    for (std::size_t c = 0; c < columns_.size(); ++c)
      if (columns_[c].read) require_readable(c);
    texts_.resize(std::size_t(TextColumn::most_rows) * columns_.size());
  }

  bool next(std::vector<std::string_view>& fields) override {
    if (row_ == rows_ && !guarded(path_, [&] { return next_slice(); })) return false;
    const auto row = texts_.begin() + row_ * std::ssize(columns_);
    fields.assign(row, row + std::ssize(columns_));
    ++row_;
    return true;
  }
  Index row_group() const override { return group_; }
  void begin(Range groups) override {
    groups_ = groups;
    rows_left_ = rows_ = row_ = 0;
  }

 private:
  /// A column that is read.
  struct ReadColumn {
    std::size_t column;
    std::unique_ptr<TextColumn> texts;
    bool element;                          ///< true if the column is a field of the unrolled list
    std::vector<std::string_view> rows{};  ///< texts of the rows of the file that begin in the slice
    std::string last{};                    ///< text of the row of the file before the slice
  };

  void require_readable(std::size_t column);
  bool open_group();
  bool next_slice();
  Index slice_of_rows();
  Index slice_of_elements();
  Index available(ReadColumn& read);

  std::string path_;
  Range groups_;  ///< row groups that are still to be read
  std::vector<ColumnChoice> columns_;
  std::string null_;
  std::unique_ptr<::parquet::ParquetFileReader> file_;
  std::vector<ColumnPlace> places_;  ///< places of the columns
  int unrolled_ = -1;                ///< list of structs that is unrolled; -1 = a row of the file is a row
  std::vector<ReadColumn> reads_;    ///< columns of the row group that are read, elements first
  Index rows_left_ = 0;              ///< rows of the file that are left in the row group
  Index rows_begun_ = 0;             ///< rows of the file that began with elements of the unrolled list
  Index group_ = -1;
  std::vector<std::string_view> texts_;  ///< texts of the slice [rows, columns]
  Index rows_ = 0, row_ = 0;             ///< rows of the slice; those that were read
};

/// Throws Error if the choice of a column does not fit its type. Finds the list of structs that is unrolled.
void ArrowRows::require_readable(std::size_t column) {
  const ColumnPlace& place = places_.at(column);
  if (place.leaf < 0)
    fail(path_, ": column ", place.name, " has type ", place.type.text, ", which cannot be read; ",
         "give it kind = \"skip\"");
  if (place.type.list && columns_[column].separator == 0)
    fail(path_, ": column ", place.name,
         " has lists; give it kind = \"category\" and a separator that its elements do not have");
  if (place.type.unrolled < 0) return;
  if (unrolled_ >= 0 && unrolled_ != place.type.unrolled)
    fail(path_, ": ", place.name, " is in another list of structs than the columns before it, but the rows can ",
         "be the elements of one list alone; give its column kind = \"skip\"");
  unrolled_ = place.type.unrolled;
}

/// Opens the next row group. Returns false if there is none.
bool ArrowRows::open_group() {
  if (groups_.begin == groups_.end) return false;
  group_ = groups_.begin++;
  const auto group = file_->RowGroup(int(group_));
  rows_left_ = group->metadata()->num_rows();
  rows_begun_ = 0;
  reads_.clear();
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (!columns_[c].read) continue;
    const ColumnPlace& place = places_[c];
    const Index levels = group->metadata()->ColumnChunk(place.leaf)->num_values();
    const ColumnUse use{path_, place, group_, levels, columns_[c].separator, null_};
    reads_.push_back({c, make_column(open_column(*group, place.leaf), use), place.type.unrolled >= 0});
  }
  std::stable_partition(reads_.begin(), reads_.end(), [](const ReadColumn& read) { return read.element; });
  return true;
}

/// Takes the next rows. Returns false at the end of the row groups.
bool ArrowRows::next_slice() {
  row_ = rows_ = 0;
  while (rows_ == 0) {
    if (rows_left_ > 0) rows_ = unrolled_ < 0 ? slice_of_rows() : slice_of_elements();
    if (rows_ == 0 && !open_group()) return false;
  }
  return true;
}

/// Returns the rows of a column that can be taken. Throws Error if there are none.
Index ArrowRows::available(ReadColumn& read) {
  const Index rows = read.texts->available();
  if (rows == 0) refuse_count(path_, group_, places_[read.column]);
  return rows;
}

/// Takes rows of the file. Returns their number.
Index ArrowRows::slice_of_rows() {
  Index rows = std::min(rows_left_, TextColumn::most_rows);
  for (ReadColumn& read : reads_) rows = std::min(rows, available(read));
  for (ReadColumn& read : reads_) read.texts->take(rows, &texts_[read.column], columns_.size());
  rows_left_ -= rows;
  return rows;
}

/// Takes elements of the unrolled list. Returns their number.
Index ArrowRows::slice_of_elements() {
  const auto parents = std::find_if(reads_.begin(), reads_.end(), [](const ReadColumn& r) { return !r.element; });
  const std::span<ReadColumn> elements(reads_.begin(), parents);
  const std::span<ReadColumn> repeated(parents, reads_.end());
  for (ReadColumn& parent : repeated)
    if (!parent.rows.empty()) parent.last = parent.rows.back();
  TextColumn& guide = *reads_.front().texts;
  Index most = std::min(guide.available(), TextColumn::most_rows);
  if (most == 0) {
    for (ReadColumn& element : elements)
      if (element.texts->available() > 0 || rows_begun_ + element.texts->unseen_rows() != rows_left_)
        refuse_count(path_, group_, places_[element.column]);
    return rows_left_ = 0;
  }
  for (ReadColumn& element : elements) most = std::min(most, available(element));
  const Index* const begun = guide.begun();
  Index rows = 0, parent_rows = 0, passed = 0;
  while (rows == 0) {  // rows of the file without elements are passed by
    passed += parent_rows;
    parent_rows = repeated.empty() ? begun[0] : TextColumn::most_rows;
    const bool begins = begun[0] > passed;  // else the parents may be at their end
    for (ReadColumn& parent : repeated)
      parent_rows = std::min(parent_rows, begins ? available(parent) : parent.texts->available());
    Index fitting = -passed;
    for (; rows < most && (repeated.empty() || fitting + begun[rows] <= parent_rows); ++rows) fitting += begun[rows];
    if (rows > 0) parent_rows = fitting;
    for (ReadColumn& parent : repeated) {
      parent.rows.resize(std::size_t(parent_rows));
      parent.texts->take(parent_rows, parent.rows.data(), 1);
    }
  }
  for (ReadColumn& element : elements)
    if (!std::equal(begun, begun + rows, element.texts->begun())) refuse_count(path_, group_, places_[element.column]);
  rows_begun_ = std::accumulate(begun, begun + rows, rows_begun_);
  for (ReadColumn& element : elements) element.texts->take(rows, &texts_[element.column], columns_.size());
  for (ReadColumn& parent : repeated) {
    Index at = -1 - passed;
    for (Index row = 0; row < rows; ++row) {
      at += begun[row];
      texts_[std::size_t(row) * columns_.size() + parent.column] = at < 0 ? parent.last : parent.rows[std::size_t(at)];
    }
  }
  return rows;
}

}  // namespace

bool is_built() { return true; }

std::unique_ptr<RowReader> open_rows(const std::string& path, Range groups, std::vector<ColumnChoice> columns,
                                     std::string null) {
  return std::make_unique<ArrowRows>(path, groups, std::move(columns), std::move(null));
}

}  // namespace tesserec::parquet
