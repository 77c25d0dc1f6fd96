// SPDX-License-Identifier: Apache-2.0
/// Parsing of a line of raw text into a row, for any format.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tesserec/raw/feature_form.hpp>
#include <tesserec/raw/fields.hpp>
#include <tesserec/raw/settings.hpp>
#include <tesserec/raw/side_columns.hpp>

namespace tesserec::raw {

/// Use of a row's targets, label and weight: required in rows to learn from, unread in rows to score.
enum class Targets { required, unread };

/// Label that a row lacks.
inline constexpr std::uint8_t lacking_label = 2;

/// Parsed row, before its encoding.
struct Row {
  std::uint8_t label = 0;                    ///< 0, 1 or lacking_label
  std::vector<std::uint8_t> further_labels;  ///< those behind the first [T - 1]
  bool has_label = false;                    ///< true if the label's field has a text
  bool label_missing = false;                ///< true for a bad row that lacks its label
  Index fault_line = 0;                      ///< line of the record, from 0, in which a bad row's quotes are wrong
  float weight = 1;
  Index time = 0;               ///< time of the stored column, microseconds since 1970 in UTC
  std::vector<double> numbers;  ///< dense features [K], finite; NaN = missing
  /// Values of all features, in order, valid until the next row. Those of feature f end at ends[f]. A feature that may
  /// not be empty has one value, none if it is missing.
  std::vector<std::optional<std::string_view>> tokens;
  std::vector<std::size_t> ends;       ///< ends of the features' values in tokens [F]
  std::vector<float> value_weights;    ///< weights of the values, if a feature has any
  std::vector<Index> cut;              ///< values that Column::max_values cut [F]
  std::vector<std::string_view> keys;  ///< texts [keys], valid until the next row
  Fields fields;                       ///< scratch of the parser
  std::string text;                    ///< scratch of the parser
  std::vector<std::string> made;       ///< storage of values made from others
  std::vector<bool> unjoined;          ///< true for each join whose side table lacks the row's key [joins]
  std::vector<std::string> join_keys;  ///< keys of the joins [joins]
};

/// Maximum length of a key, bytes.
inline constexpr std::size_t longest_key = 1000;

/// Columns of a dataset.
struct RowLayout {
  std::vector<Column> columns;                     ///< columns of the files, in order, then those of side tables
  std::size_t sequences = 0;                       ///< number of the last features that are sequences
  std::vector<JoinedTable> joins;                  ///< side tables
  std::vector<std::string> dense_features;         ///< names of the dense features [K]
  std::vector<Transform> transforms;               ///< transforms of the dense features [K]
  std::vector<std::optional<double>> fill;         ///< substitutes for missing numbers [K], if the deck gives any
  std::vector<bool> indicator;                     ///< true for the missing_indicator of the number before [K]
  std::vector<std::string> features;               ///< names of the sparse features [F]
  std::vector<FeatureForm> forms;                  ///< forms of the sparse features [F]
  std::vector<std::string> borders;                ///< borders_text() of the features with quantiles, else "" [F]
  std::map<std::string, std::string> definitions;  ///< FeatureForm::definition of each cross, by its name
  std::vector<std::string> keys;                   ///< key columns, which are not learned but written beside scores
  std::string labels;                              ///< raw labels that are 1 and that are 0
  std::vector<std::string> tasks;                  ///< names of the labels [T] if there are several
  bool optional_labels = false;                    ///< true if rows may lack some of them
  bool weighted = false;                           ///< true if rows have weights
  std::string time;                                ///< column whose times are stored; empty = none
  bool header = false;                             ///< true if the first line of each file is a header
  bool ascii = false;                              ///< true if all characters of a row with its targets are ASCII
  TextRules text;

  /// Returns the index of a column that is read. Throws Error that begins with `key` if there is none of this name.
  std::size_t column(const std::string& name, const std::string& key) const;
  /// Returns the index of a feature with one value. Throws Error that begins with `key` if there is none of this name.
  std::size_t single_feature(const std::string& name, const std::string& key) const;
  /// Returns whether ids are stored as bags, because a feature may be empty or have several values.
  bool jagged() const;
  /// Returns the labels of a row T.
  Index label_count() const { return std::max<Index>(1, std::ssize(tasks)); }
};

/// Places of a format's columns in the rows of one file.
struct FileColumns {
  Targets targets = Targets::required;
  ShortRows short_rows = ShortRows::stop;
  std::size_t fields = 0;     ///< number of fields in a row
  std::vector<Index> places;  ///< field of each column of the format; -1 if the file lacks the column
};

/// Column that was found in a file that has typed columns instead of text.
struct FoundColumn {
  std::string name;
  std::string type;     ///< as messages name it
  bool text = false;    ///< true if its values are texts
  bool number = false;  ///< true if its values are integers, floats or truths
};

/// Use of a column of such a file by a format.
struct TypedColumn {
  bool read = false;   ///< false = the column's texts are empty
  char separator = 0;  ///< character between the elements of a list; 0 = lists are refused
};

/// Typed columns of a file that a format reads.
struct TypedColumns {
  std::vector<TypedColumn> columns;  ///< of the file
  std::string null;                  ///< text of a missing value
};

/// Format of raw files: its columns, and the parser of its lines.
class RowFormat {
 public:
  virtual ~RowFormat() = default;
  const RowLayout& layout() const { return layout_; }
  /// Sets the ascending borders of a column with quantiles, whose values are missing until then.
  void set_borders(std::size_t column, std::vector<double> borders);
  /// Finds the columns of a file by its header, or by the number of fields in its first lines. `head`: these lines,
  /// which may be empty unless needs_head(). Returns why the file does not fit, or an empty text.
  std::string find_columns(std::span<const std::string> head, Targets targets, FileColumns& columns) const;
  /// Finds the columns of a file with typed columns, `found`, by their names. Returns why the file does not fit, or an
  /// empty text.
  std::string find_columns(const std::vector<FoundColumn>& found, Targets targets, FileColumns& columns,
                           TypedColumns& read) const;
  /// Returns whether find_columns() reads the first lines of the file.
  bool needs_head(Targets targets) const { return layout_.header || targets == Targets::unread; }
  /// Parses a line, or a record of several lines, into `row`. Returns why it is bad, or an empty text.
  std::string parse(std::string_view line, const FileColumns& columns, Row& row) const;
  /// Returns the text of a column in a row that was parsed, without spaces around it.
  std::string_view field(const FileColumns& columns, const Row& row, std::size_t column) const;
  /// Parses row.fields, which the caller has set, into `row`. Returns why they are bad, or an empty text.
  std::string parse_fields(const FileColumns& columns, Row& row) const;

 protected:
  /// Adds a dense feature to the layout, followed by its indicator if `indicator`. Throws Error for a name that is
  /// taken or a fill value that does not fit.
  void add_number(const std::string& name, Transform transform, std::optional<double> fill, bool indicator);
  /// Adds a sparse feature to the layout.
  void add_feature(const std::string& name, const FeatureForm& form);
  /// Appends a value to those of the row's next feature.
  void put_value(std::optional<std::string_view> token, Row& row, float weight = 1) const {
    row.tokens.push_back(token);
    if (weighted_values_) row.value_weights.push_back(weight);
  }
  /// Ends the values of the row's next feature.
  static void end_feature(Row& row, Index cut = 0) {
    row.ends.push_back(row.tokens.size());
    row.cut.push_back(cut);
  }
  /// Removes the row's values.
  static void clear_values(Row& row);
  /// Appends a number to the row, NaN if it is missing, and its indicator if the layout has one.
  void put_number(double value, Row& row) const {
    row.numbers.push_back(value);
    if (row.numbers.size() < layout_.indicator.size() && layout_.indicator[row.numbers.size()])
      row.numbers.push_back(std::isnan(value) ? 1.0 : 0.0);
  }

  /// Returns whether the field of a column is still to be trimmed. Those of side tables are trimmed already.
  bool trims_field(std::size_t column, const Row& row) const {
    return layout_.text.trim && !row.fields.quoted && column + joined_ < layout_.columns.size();
  }

  /// Parses a line into `row` and returns as parse() does.
  virtual std::string read(std::string_view line, const FileColumns& columns, Row& row) const = 0;
  /// Parses row.fields into `row` and returns as parse_fields() does.
  virtual std::string read_fields(const FileColumns& columns, Row& row) const = 0;
  /// Finds typed columns by their names and returns as find_columns() does.
  virtual std::string find_typed(const std::vector<FoundColumn>& found, FileColumns& columns,
                                 TypedColumns& read) const = 0;
  /// Finds the columns of a file by its header `line`. Returns why it does not fit, or an empty text.
  virtual std::string read_header(std::string_view line, FileColumns& columns) const = 0;
  /// Makes the columns those of a file without labels.
  void remove_labels(FileColumns& columns) const;
  RowLayout layout_;
  std::vector<std::vector<std::string>> bucket_texts_;  ///< texts of each column's buckets
  std::vector<std::size_t> label_columns_ = {0};        ///< indices of the labels' columns [T]
  std::size_t joined_ = 0;                              ///< number of columns that side tables bring
  ShortRows short_rows_ = ShortRows::stop;
  bool weighted_values_ = false;  ///< true if a feature has weights

 private:
  FileColumns in_order(Targets targets, bool labelled) const;
  std::string find_in_padded(std::span<const std::string> head, std::size_t max_fields, FileColumns& columns) const;
  std::string without_label(std::string_view line, const FileColumns& columns, Row& row) const;
};

/// Checks the settings and makes the format that they name. `side`: columns of side tables, for tables; null = none.
/// Throws Error, naming the key.
std::unique_ptr<RowFormat> make_row_format(const RowSettings& settings, std::shared_ptr<SideColumns> side = nullptr);

/// Advice of messages about rows that lack their label.
inline constexpr const char* rows_to_score = "rows to score belong in preprocess.predict";

/// Pads a short row with empty fields to `columns` if `short_rows` says pad. Returns why the row does not fit, or "".
std::string fit_fields(std::vector<std::string_view>& fields, std::size_t columns, ShortRows short_rows);

}  // namespace tesserec::raw
