// SPDX-License-Identifier: Apache-2.0
#include "arrow_columns.hpp"

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>

#include <parquet/schema.h>
#include <parquet/types.h>

#include "arrow_texts.hpp"
#include <tesserec/core/text.hpp>
#include <tesserec/core/utf8.hpp>

namespace tesserec::parquet {
namespace {

constexpr std::int64_t batch_levels = 1024;
/// Texts of a leaf of physical type Type, by a function from a value and a buffer for its text.
template <class Type, class Text>
class LeafTexts : public TextColumn {
 public:
  LeafTexts(std::shared_ptr<::parquet::ColumnReader> reader, const ColumnUse& use, Text text)
      : use_(use),
        most_def_(reader->descr()->max_definition_level()),
        defs_(batch_levels, 0),
        reps_(batch_levels, 0),
        reader_(std::move(reader)),
        text_of_(text),
        values_(new Value[batch_levels]),
        numbers_(most_rows * number_bytes) {}

  void take(Index rows, std::string_view* to, std::size_t stride) override {
    const std::int16_t* const defs = defs_.data() + next_;
    for (Index r = 0; r < rows; ++r, to += stride)
      *to = defs[r] == most_def_ ? next_text(r) : std::string_view(use_.null);
    next_ += rows;
  }

 protected:
  /// Makes each value or null a row.
  bool fill() override {
    const Index levels = read_levels();
    next_ = 0;
    rows_ = levels;
    if (use_.place.row_rep == 0) return levels > 0;
    rows_ = 0;
    for (Index i = 0; i < levels; ++i)
      if (begin_row(i)) defs_[std::size_t(rows_++)] = defs_[std::size_t(i)];
    return levels > 0;
  }

  /// Reads levels and values. Returns the number of levels, 0 at the end.
  Index read_levels() {
    begun_.clear();
    value_ = 0;
    std::int64_t values = 0;
    Index levels = 0;
    auto& reader = static_cast<::parquet::TypedColumnReader<Type>&>(*reader_);
    if (reader.HasNext()) levels = reader.ReadBatch(batch_levels, defs_.data(), reps_.data(), values_.get(), &values);
    levels_left_ -= levels;
    const bool lacks_levels = levels == 0 && levels_left_ != 0;
    if (lacks_levels || values != std::count(defs_.begin(), defs_.begin() + levels, most_def_))
      refuse_count(use_.path, use_.group, use_.place);
    return levels;
  }

  /// Counts the row of the file that begins at a level, if one does. Returns whether an element of it does.
  bool begin_row(Index level) {
    const bool exists = defs_[std::size_t(level)] >= use_.place.row_def;
    if (use_.place.row_rep == 0) return exists;
    if (reps_[std::size_t(level)] == 0) ++unseen_rows_;
    if (exists) begun_.push_back(std::exchange(unseen_rows_, 0));
    return exists;
  }

  /// Returns the text of the next value, which may use the buffer of a row.
  std::string_view next_text(Index row) {
    return text_of_(values_[value_++], numbers_.data() + number_bytes * std::size_t(row));
  }

  const ColumnUse use_;
  const std::int16_t most_def_;            ///< definition level of a value that is not null
  std::vector<std::int16_t> defs_, reps_;  ///< levels of the batch

 private:
  using Value = typename Type::c_type;

  std::shared_ptr<::parquet::ColumnReader> reader_;
  const Text text_of_;
  std::unique_ptr<Value[]> values_;  ///< values of the batch that are not null
  std::size_t value_ = 0;            ///< values that were taken
  std::vector<char> numbers_;        ///< texts of numbers
  Index levels_left_ = use_.levels;  ///< levels that were not read
};

/// Texts of a column of lists: elements that are not null, with separators between.
template <class Type, class Text>
class ListTexts final : public LeafTexts<Type, Text> {
 public:
  ListTexts(std::shared_ptr<::parquet::ColumnReader> reader, const ColumnUse& use, Text text)
      : LeafTexts<Type, Text>(std::move(reader), use, text),
        searches_(std::is_same_v<Text, BytesText> || number_letters.find(use.separator) != std::string_view::npos) {}

  void take(Index rows, std::string_view* to, std::size_t stride) override {
    for (const Index end = this->next_ + rows; this->next_ < end; ++this->next_, to += stride) {
      const std::size_t begin = this->next_ == 0 ? 0 : ends_[std::size_t(this->next_ - 1)];
      *to = std::string_view(lists_).substr(begin, ends_[std::size_t(this->next_)] - begin);
    }
  }

 private:
  /// Makes each list a row, once the next one begins.
  bool fill() override {
    const auto& place = this->use_.place;
    lists_.erase(0, ends_.empty() ? 0 : ends_.back());
    ends_.clear();
    std::optional<Index> begun_open;
    if (open_ && !this->begun_.empty()) begun_open = this->begun_.back();
    const Index levels = this->read_levels();
    if (begun_open) this->begun_.push_back(*begun_open);
    for (Index i = 0; i < levels; ++i) {
      if (this->reps_[std::size_t(i)] <= place.row_rep) {
        end_list();
        open_ = this->begin_row(i);
      }
      if (this->defs_[std::size_t(i)] == this->most_def_) append(this->next_text(0));
    }
    if (levels == 0) end_list();
    this->next_ = 0;
    this->rows_ = std::ssize(ends_);
    return levels > 0 || this->rows_ > 0;
  }

  void end_list() {
    if (!open_) return;
    if (lists_.size() == (ends_.empty() ? 0 : ends_.back())) lists_ += this->use_.null;  // without elements: missing
    ends_.push_back(lists_.size());
    open_ = any_ = false;
  }

  void append(std::string_view element) {
    const ColumnUse& use = this->use_;
    if (searches_ && element.find(use.separator) != std::string_view::npos)
      fail(use.path, ": column ", use.place.name, ": the element ", shown(element), " of a list has the separator ",
           shown({&use.separator, 1}), " in it; give the column another separator");
    if (std::exchange(any_, true)) lists_ += use.separator;
    lists_ += element;
  }

  static constexpr std::string_view number_letters = "+-.0123456789aefint";  // nan and inf, too

  const bool searches_;              ///< true if an element may have the separator
  std::string lists_;                ///< texts of lists, one after the other; the last one may lack its end
  std::vector<std::size_t> ends_;    ///< ends of the lists
  bool open_ = false, any_ = false;  ///< true if a list lacks its end; true if that one has an element
};

/// Returns the units in a second of a timestamp or a time of a day.
std::int64_t units_per_second(const ::parquet::LogicalType& type) {
  using Unit = ::parquet::LogicalType::TimeUnit;
  const Unit::unit unit = type.is_time() ? static_cast<const ::parquet::TimeLogicalType&>(type).time_unit()
                                         : static_cast<const ::parquet::TimestampLogicalType&>(type).time_unit();
  if (unit == Unit::MILLIS) return 1000;
  return unit == Unit::MICROS ? 1000000 : 1000000000;
}

}  // namespace

void refuse_count(const std::string& path, Index group, const ColumnPlace& place) {
  fail(path, ": cannot read the Parquet file: row group ", group, " has too few or too many values in column ",
       place.name);
}

std::unique_ptr<TextColumn> make_column(std::shared_ptr<::parquet::ColumnReader> reader, const ColumnUse& use) {
  using namespace ::parquet;
  const Type::type stored = reader->type();
  const auto logical = reader->descr()->logical_type();
  const auto texts = [&]<class Stored>(Stored, auto text) -> std::unique_ptr<TextColumn> {
    if (use.place.type.list) return std::make_unique<ListTexts<Stored, decltype(text)>>(std::move(reader), use, text);
    return std::make_unique<LeafTexts<Stored, decltype(text)>>(std::move(reader), use, text);
  };
  const auto* const integer = logical->is_int() ? static_cast<const IntLogicalType*>(logical.get()) : nullptr;
  const bool has_sign = integer == nullptr || integer->is_signed();
  if (logical->is_decimal()) {
    constexpr std::int32_t most_digits = 76;  // of 32 bytes
    if (const std::int32_t scale = reader->descr()->type_scale(); scale < 0 || scale > most_digits)
      fail(use.path, ": column ", use.place.name, " has decimals with ", scale, " digits behind the point; correct it");
    const DecimalText text{reader->descr()->type_scale(), reader->descr()->type_length(),
                           concat(use.path, ": column ", use.place.name)};
    if (stored == Type::INT32) return texts(Int32Type(), text);
    if (stored == Type::INT64) return texts(Int64Type(), text);
    if (stored == Type::BYTE_ARRAY) return texts(ByteArrayType(), text);
    return texts(FLBAType(), text);
  }
  switch (stored) {
    case Type::BOOLEAN:
      return texts(BooleanType(), TruthText());
    case Type::INT32:
      if (logical->is_date()) return texts(Int32Type(), DayText());
      if (logical->is_time()) return texts(Int32Type(), TimeText{units_per_second(*logical)});
      if (has_sign) return texts(Int32Type(), NumberText<std::int32_t>());
      return texts(Int32Type(), NumberText<std::uint32_t>());
    case Type::INT64:
      if (logical->is_timestamp() || logical->is_time())
        return texts(Int64Type(), TimeText{units_per_second(*logical)});
      if (has_sign) return texts(Int64Type(), NumberText<std::int64_t>());
      return texts(Int64Type(), NumberText<std::uint64_t>());
    case Type::INT96:
      return texts(Int96Type(), LongTimeText());
    case Type::FLOAT:
      return texts(FloatType(), NumberText<float>());
    case Type::DOUBLE:
      return texts(DoubleType(), NumberText<double>());
    case Type::BYTE_ARRAY:
      return texts(ByteArrayType(), BytesText());
    default:
      fail(use.path, ": column ", use.place.name, " is stored as ", TypeToString(stored), ", which cannot be read; ",
           "give it kind = \"skip\"");
  }
}

}  // namespace tesserec::parquet
