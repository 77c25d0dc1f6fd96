// SPDX-License-Identifier: Apache-2.0
/// One line of raw text -> one row, whatever the format.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tesserec/data/settings.hpp>

namespace tesserec::data {

/// Targets (labels and weights) of rows: required to learn from them, unread to score them.
enum class Targets { required, unread };

/// A raw row: nothing counted or measured yet.
struct Row {
  std::uint8_t label = 0;
  bool label_there = false;  ///< a text stands where the label belongs
  bool label_lacks = false;  ///< of a bad row: it has no label
  float weight = 1;
  std::vector<double> numbers;                          ///< [K] finite; NaN = missing
  std::vector<std::optional<std::string_view>> tokens;  ///< [F] valid until the next row; none = missing
  std::vector<std::string_view> keys;                   ///< [keys] valid until the next row
  std::vector<std::string_view> fields;                 ///< scratch of the parser
  std::string text;                                     ///< scratch of the parser
};

/// Bytes of a key.
inline constexpr std::size_t longest_key = 1000;

/// Columns of a data set.
struct RowLayout {
  std::vector<std::string> dense_features;  ///< [K]
  std::vector<Transform> transforms;        ///< [K]
  std::vector<std::optional<double>> fill;  ///< [K] what stands for a missing number, where the deck says
  std::vector<bool> indicator;              ///< [K] whether it is the missing_indicator of the number before it
  std::vector<std::string> features;        ///< [F]
  std::vector<std::string> keys;            ///< columns that are not learnt and go with the scores
  std::string labels;                       ///< which texts of the label are 1, and which 0
  bool weighted = false;                    ///< rows have weights
  bool header = false;                      ///< the first line of each file is not a row
};

/// Places of a format's columns in the rows of one file.
struct FileColumns {
  Targets targets = Targets::required;
  ShortRows short_rows = ShortRows::stop;
  std::size_t fields = 0;     ///< of a row
  std::vector<Index> places;  ///< [columns of the format] number of the field; -1: the file lacks it
};

class RowFormat {
 public:
  virtual ~RowFormat() = default;
  const RowLayout& layout() const { return layout_; }
  /// Finds the columns of a file by the names in its header, or by the number of fields in its first lines, `head`,
  /// which are not needed where `needs_head` says so. Returns why the file does not fit, or an empty text.
  std::string find_columns(std::span<const std::string> head, Targets targets, FileColumns& columns) const;
  bool needs_head(Targets targets) const { return layout_.header || targets == Targets::unread; }
  /// Fills `row`; returns why the line is bad, or an empty text.
  std::string parse(std::string_view line, const FileColumns& columns, Row& row) const;

 protected:
  /// Adds a dense feature and, where asked for, the indicator behind it. Error: a name that is taken.
  void add_number(const std::string& name, Transform transform, std::optional<double> fill, bool indicator);
  /// Adds the number to the row, NaN where it is missing, and its indicator.
  void put_number(double value, Row& row) const {
    row.numbers.push_back(value);
    if (row.numbers.size() < layout_.indicator.size() && layout_.indicator[row.numbers.size()])
      row.numbers.push_back(std::isnan(value) ? 1.0 : 0.0);
  }

  /// Fills `row`, as parse() does.
  virtual std::string read(std::string_view line, const FileColumns& columns, Row& row) const = 0;
  /// Finds the columns that a header names. Returns why it does not fit, or an empty text.
  virtual std::string read_header(std::string_view line, FileColumns& columns) const = 0;
  RowLayout layout_;
  std::size_t all_columns_ = 0;   ///< of the format
  std::size_t label_column_ = 0;  ///< which of them is the label
  char delimiter_ = '\t';
  ShortRows short_rows_ = ShortRows::stop;

 private:
  FileColumns in_order(Targets targets, bool labelled) const;
  std::string without_label(std::string_view line, const FileColumns& columns, Row& row) const;
};

/// Checks [preprocess] and makes the format it asks for.
std::unique_ptr<RowFormat> make_row_format(const PreprocessSettings& settings);
std::unique_ptr<RowFormat> make_criteo_format(const PreprocessSettings& settings);
std::unique_ptr<RowFormat> make_table_format(const PreprocessSettings& settings);

/// Advice of messages on rows that lack their label.
inline constexpr const char* rows_to_score = "rows to score belong in preprocess.predict";

/// Cuts a line at each delimiter.
void split(std::string_view line, char delimiter, std::vector<std::string_view>& fields);

/// Fits the number of fields to `columns`: short rows are padded or refused. Why it is bad, or an empty text.
std::string fit_fields(std::vector<std::string_view>& fields, std::size_t columns, ShortRows short_rows);

}  // namespace tesserec::data
