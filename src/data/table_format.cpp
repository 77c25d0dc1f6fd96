// SPDX-License-Identifier: Apache-2.0
// Row format of any delimited text, by the columns of [[preprocess.column]].
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "header.hpp"
#include "row_format.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/core/utf8.hpp>
#include <tesserec/data/column_fault.hpp>
#include <tesserec/data/dataset.hpp>

namespace tesserec::data {
namespace {

bool contains(const std::vector<std::string>& texts, std::string_view text) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

/// Lists the distinct texts in quotes, sorted.
std::string listed(std::vector<std::string> texts) {
  std::sort(texts.begin(), texts.end());
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
  return join(texts, " or ", [](const std::string& text) { return '"' + text + '"'; });
}

void check_columns(const PreprocessSettings& settings) {
  const std::vector<Column>& columns = settings.columns;
  if (columns.empty()) fail("preprocess.column: format = \"table\" needs one [[preprocess.column]] for each column");
  std::vector<std::string> names;
  Index labels = 0, weights = 0, features = 0;
  for (const Column& column : columns) {
    if (const auto wrong = fault(column, settings))
      fail("preprocess.column ", column.name, ": ", wrong->key, " ", wrong->text);
    if (column.kind == ColumnKind::skip) continue;
    if (column.name.empty() || column.name == "." || column.name == ".." || column.name.find('/') != std::string::npos)
      fail("preprocess.column: \"", column.name, "\" cannot be a column's name; give one without '/'");
    if (contains(names, column.name))
      fail("preprocess.column: two columns are called \"", column.name, "\"; rename one");
    names.push_back(column.name);
    if (column.kind == ColumnKind::label) {
      ++labels;
    } else if (column.kind == ColumnKind::key) {
      continue;
    } else if (column.kind == ColumnKind::weight) {
      ++weights;
    } else {
      ++features;
    }
  }
  if (labels != 1) fail("preprocess.column: exactly one column must be of kind = \"label\", not ", labels);
  if (weights > 1) fail("preprocess.column: at most one column can be of kind = \"weight\", not ", weights);
  if (features == 0) fail("preprocess.column: no column is of kind = \"number\" or \"category\"; add one");
}

class TableFormat final : public RowFormat {
 public:
  explicit TableFormat(const PreprocessSettings& settings)
      : columns_(settings.columns), missing_(settings.missing), skip_others_(settings.skip_other_columns) {
    check_columns(settings);
    layout_.text = text_rules(settings);
    short_rows_ = settings.short_rows;
    all_columns_ = columns_.size();
    layout_.header = settings.header;
    if (skip_others_ && !settings.header)
      fail("preprocess.skip_other_columns requires a header; set preprocess.header = true");
    for (const Column& column : columns_) {
      if (column.kind == ColumnKind::label)
        layout_.labels = "1 is " + listed(column.positive) + ", 0 is " + listed(column.negative);
      if (column.kind == ColumnKind::label) label_column_ = &column - columns_.data();
      if (column.kind == ColumnKind::key) layout_.keys.push_back(column.name);
      if (column.kind == ColumnKind::category)
        add_feature(column.name, {!column.separator.empty(), column.weighted, column.ids, column.max_rows});
      layout_.weighted = layout_.weighted || column.kind == ColumnKind::weight;
      if (column.kind != ColumnKind::number) continue;
      add_number(column.name, column.transform, column.fill_value ? column.fill_value : settings.fill_value,
                 column.missing_indicator.value_or(settings.missing_indicator));
    }
    for (const std::string& feature : layout_.features)
      if (contains(layout_.dense_features, feature))
        fail("preprocess.column: the category \"", feature,
             "\" has the name that missing_indicator gives a dense feature; rename it");
    if (layout_.dense_features.empty() && (settings.fill_value || settings.missing_indicator))
      fail("preprocess.", settings.fill_value ? "fill_value" : "missing_indicator",
           " applies to columns of kind = \"number\", but there is none; remove it");
  }

 private:
  std::string read_header(std::string_view line, FileColumns& file) const override {
    std::vector<std::string> names;
    if (std::string reason = header_names(line, layout_.text, names); !reason.empty()) return reason;
    const std::string reason = find_named(columns_, names, skip_others_, file);
    return reason.empty() ? reason : reason + delimiter_hint(line, names.size());
  }

  std::string read(std::string_view line, const FileColumns& file, Row& row) const override {
    if (std::string reason = split(line, layout_.text, row.fields); !reason.empty()) return reason;
    std::vector<std::string_view>& fields = row.fields.texts;
    const std::size_t found = fields.size();
    if (std::string reason = fit_fields(fields, file.fields, file.short_rows); !reason.empty())
      return reason + delimiter_hint(line, found);
    const bool trims = layout_.text.trim && !row.fields.quoted;
    row.keys.clear();
    row.numbers.clear();
    clear_values(row);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const Column& column = columns_[i];
      if (column.kind == ColumnKind::skip || file.places[i] < 0) continue;
      const std::string_view raw = fields[file.places[i]], field = trims ? trimmed(raw) : raw;
      if (file.targets == Targets::unread && (column.kind == ColumnKind::label || column.kind == ColumnKind::weight)) {
        row.has_label = row.has_label || (column.kind == ColumnKind::label && !contains(missing_, field));
        continue;
      }
      std::string reason;
      if (column.kind == ColumnKind::label)
        reason = read_label(column, field, row);
      else if (column.kind == ColumnKind::weight)
        reason = read_weight(column, field, row);
      else if (column.kind == ColumnKind::number)
        reason = read_number(column, field, row);
      else if (column.kind == ColumnKind::key)
        reason = read_key(column, field, row);
      else
        reason = read_category(column, field, row);
      if (!reason.empty()) return reason;
    }
    return {};
  }

  /// Names the delimiter that a line of a single field seems to have instead, or returns an empty text.
  std::string delimiter_hint(std::string_view line, std::size_t fields) const {
    if (fields != 1) return "";
    for (const char other : std::string_view(",;\t|"))
      if (const auto times = std::count(line.begin(), line.end(), other); times > 0 && other != layout_.text.delimiter)
        return concat("; the line has ", shown(std::string(1, other)), " ", counted(times, "time"),
                      ", but preprocess.delimiter is ", shown(std::string(1, layout_.text.delimiter)));
    return "";
  }

  static std::string read_label(const Column& column, std::string_view field, Row& row) {
    const bool positive = contains(column.positive, field);
    row.label = positive;
    if (positive || contains(column.negative, field)) return {};
    row.label_missing = field.empty();
    return column.name + ": " + shown(field) + " is neither a positive nor a negative label" +
           (field.empty() ? concat(": the label is missing; ", rows_to_score) : "");
  }

  std::string read_category(const Column& column, std::string_view field, Row& row) const {
    if (!column.separator.empty()) return read_bag(column, field, row);
    const FeatureForm& form = layout_.forms[row.ends.size()];
    if (!contains(missing_, field))
      put_value(field, row);
    else if (!form.may_be_empty())
      put_value(std::nullopt, row);
    end_feature(row);
    return {};
  }

  /// Reads the values of a field. Leaves out those that mean a missing value, and those behind the largest number.
  std::string read_bag(const Column& column, std::string_view field, Row& row) const {
    Index kept = 0, cut = 0;
    for (bool more = !contains(missing_, field); more;) {
      const std::size_t stop = field.find(column.separator[0]);
      std::string_view value = layout_.text.trim ? trimmed(field.substr(0, stop)) : field.substr(0, stop);
      more = stop != std::string_view::npos;
      if (more) field.remove_prefix(stop + 1);
      if (contains(missing_, value)) continue;
      float weight = 1;
      if (column.weighted && !take_weight(value, weight))
        return concat(column.name, ": ", shown(value), " has no valid weight (-1e6 to 1e6) behind its last ':'");
      if (column.max_values > 0 && kept == column.max_values) {
        ++cut;
        continue;
      }
      put_value(value, row, weight);
      ++kept;
    }
    end_feature(row, cut);
    return {};
  }

  /// Cuts ":WEIGHT" from a value that has a ':'. Returns false if that is no valid weight.
  static bool take_weight(std::string_view& value, float& weight) {
    const std::size_t colon = value.rfind(':');
    if (colon == std::string_view::npos) return true;
    const std::string_view text = value.substr(colon + 1);
    const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), weight);
    if (code != std::errc() || stop != text.data() + text.size() || !(std::abs(weight) <= max_id_weight)) return false;
    value = value.substr(0, colon);
    return true;
  }

  static std::string read_key(const Column& column, std::string_view field, Row& row) {
    if (field.size() > longest_key)
      return concat(column.name, ": ", shown(field), " has ", field.size(), " bytes, but keys have at most ",
                    longest_key);
    if (field.find('\0') != std::string_view::npos) return column.name + ": " + shown(field) + " has a zero byte";
    row.keys.push_back(field);
    return {};
  }

  static std::string read_weight(const Column& column, std::string_view field, Row& row) {
    const auto [stop, code] = std::from_chars(field.data(), field.data() + field.size(), row.weight);
    const bool fits = code == std::errc() && stop == field.data() + field.size() && row.weight >= 0 &&
                      row.weight <= max_sample_weight;
    return fits ? std::string() : column.name + ": " + shown(field) + " is not a valid weight (0 to 1e6)";
  }

  std::string read_number(const Column& column, std::string_view field, Row& row) const {
    double value = std::numeric_limits<double>::quiet_NaN();
    if (!contains(missing_, field)) {
      const auto [stop, code] = std::from_chars(field.data(), field.data() + field.size(), value);
      if (code == std::errc::invalid_argument || stop != field.data() + field.size())
        return column.name + ": " + shown(field) + " is not a number";
      if (code == std::errc() && !std::isfinite(value))
        return column.name + ": " + shown(field) + " is not a finite number";
      if (code != std::errc() || !(std::abs(value) <= std::numeric_limits<float>::max()))
        return column.name + ": " + shown(field) + " is out of the range of 32-bit floats";
    }
    put_number(value, row);
    return {};
  }

  std::vector<Column> columns_;
  std::vector<std::string> missing_;
  bool skip_others_;
};

}  // namespace

std::unique_ptr<RowFormat> make_table_format(const PreprocessSettings& settings) {
  return std::make_unique<TableFormat>(settings);
}

}  // namespace tesserec::data
