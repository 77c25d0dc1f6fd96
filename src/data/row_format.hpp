// SPDX-License-Identifier: Apache-2.0
/// One line of raw text -> one row, whatever the format.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tesserec/data/settings.hpp>

namespace tesserec::data {

/// A raw row: nothing counted or measured yet.
struct Row {
  std::uint8_t label = 0;
  float weight = 1;
  std::vector<double> numbers;                          ///< [K] finite; NaN = missing
  std::vector<std::optional<std::string_view>> tokens;  ///< [F] valid until the next row; none = missing
  std::vector<std::string_view> fields;                 ///< scratch of the parser
  std::string text;                                     ///< scratch of the parser
};

/// What the columns of a data set are.
struct RowLayout {
  std::vector<std::string> dense_features;  ///< [K]
  std::vector<Transform> transforms;        ///< [K]
  std::vector<std::optional<double>> fill;  ///< [K] what stands for a missing number, where the deck says
  std::vector<bool> indicator;              ///< [K] whether it is the missing_indicator of the number before it
  std::vector<std::string> features;        ///< [F]
  std::string labels;                       ///< which texts of the label are 1, and which 0
  bool weighted = false;                    ///< rows have weights
  bool header = false;                      ///< the first line of each file is not a row
};

class RowFormat {
 public:
  virtual ~RowFormat() = default;
  const RowLayout& layout() const { return layout_; }
  /// Fills `row`; returns why the line is bad, or an empty text.
  virtual std::string parse(std::string_view line, Row& row) const = 0;
  /// Why the header line does not fit, or an empty text.
  virtual std::string check_header(std::string_view line) const = 0;

 protected:
  /// Adds a dense feature and, where asked for, the indicator behind it. Error: a name that is taken.
  void add_number(const std::string& name, Transform transform, std::optional<double> fill, bool indicator);
  /// Adds the number to the row, NaN where it is missing, and its indicator.
  void put_number(double value, Row& row) const {
    row.numbers.push_back(value);
    if (row.numbers.size() < layout_.indicator.size() && layout_.indicator[row.numbers.size()])
      row.numbers.push_back(std::isnan(value) ? 1.0 : 0.0);
  }

  RowLayout layout_;
};

/// Checks [preprocess] and makes the format it asks for.
std::unique_ptr<RowFormat> make_row_format(const PreprocessSettings& settings);
std::unique_ptr<RowFormat> make_criteo_format(const PreprocessSettings& settings);
std::unique_ptr<RowFormat> make_table_format(const PreprocessSettings& settings);

/// Cuts a line at each delimiter.
void split(std::string_view line, char delimiter, std::vector<std::string_view>& fields);

/// Fits the number of fields to `columns`: short rows are padded or refused. Why it is bad, or an empty text.
std::string fit_fields(std::vector<std::string_view>& fields, std::size_t columns, ShortRows short_rows);

}  // namespace tesserec::data
