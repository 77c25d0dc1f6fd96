// SPDX-License-Identifier: Apache-2.0
// Row format of the Criteo display-advertising logs: label, 13 integers and 26 hashed categories, separated by tabs.
#include <algorithm>
#include <charconv>
#include <limits>

#include "formats.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/core/utf8.hpp>

namespace tesserec::raw {
namespace {

constexpr std::size_t numbers = 13, categories = 26, digits = 8;

/// Pads 1 to 8 hexadecimal digits with zeros to 8 and lowers their case. Returns false for any other field.
bool read_token(std::string_view field, char* token) {
  if (field.empty() || field.size() > digits) return false;
  std::fill_n(token, digits, '0');
  token += digits - field.size();
  for (const char c : field) {
    if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))
      *token++ = c;
    else if (c >= 'A' && c <= 'F')
      *token++ = static_cast<char>(c - 'A' + 'a');
    else
      return false;
  }
  return true;
}

class Criteo final : public RowFormat {
 public:
  explicit Criteo(const RowSettings& settings) {
    layout_.columns.push_back({"label", ColumnKind::label});
    short_rows_ = settings.short_rows;
    layout_.labels = "1 is \"1\", 0 is \"0\"";
    for (std::size_t k = 0; k < numbers; ++k) {
      layout_.columns.push_back({concat("I", k + 1), ColumnKind::number});
      add_number(layout_.columns.back().name, Transform::log1p, settings.fill_value, settings.missing_indicator);
    }
    for (std::size_t f = 0; f < categories; ++f) {
      layout_.columns.push_back({concat("C", f + 1), ColumnKind::category});
      add_feature(layout_.columns.back().name, {});
    }
  }

 private:
  std::string read_header(std::string_view, FileColumns&) const override { return {}; }

  std::string find_names(const std::vector<std::string>&, FileColumns&, TypedColumns&) const override {
    return "it is a Parquet file, which has columns of other names; set preprocess.format = \"table\"";
  }

  std::string read(std::string_view line, const FileColumns& file, Row& row) const override {
    split(line, layout_.text, row.fields);
    if (std::string reason = fit_fields(row.fields.texts, file.fields, file.short_rows); !reason.empty()) return reason;
    return read_fields(file, row);
  }

  std::string read_fields(const FileColumns& file, Row& row) const override {
    const std::vector<std::string_view>& fields = row.fields.texts;
    const std::size_t first = file.places[label_columns_[0]] < 0 ? 0 : 1;  // first field after the label
    if (file.targets == Targets::required) {
      const std::string_view label = fields[0];
      row.label_missing = label.empty();
      if (label.empty()) return concat("label \"\" is neither 0 nor 1: the label is missing; ", rows_to_score);
      if (label != "0" && label != "1") return "label " + shown(label) + " is neither 0 nor 1";
      row.label = label == "1";
    }
    row.has_label = first > 0 && !fields[0].empty();

    row.numbers.clear();
    for (std::size_t k = 0; k < numbers; ++k) {
      const std::string_view field = fields[first + k];
      std::int64_t value = 0;
      const auto [stop, code] = std::from_chars(field.data(), field.data() + field.size(), value);
      if (code == std::errc::result_out_of_range)
        return name_at(row) + ": " + shown(field) + " is out of the range of 64-bit integers";
      if (!field.empty() && (code != std::errc() || stop != field.data() + field.size()))
        return name_at(row) + ": " + shown(field) + " is not an integer";
      put_number(field.empty() ? std::numeric_limits<double>::quiet_NaN() : double(value), row);
    }

    clear_values(row);
    row.text.resize(categories * digits);
    for (std::size_t f = 0; f < categories; ++f) {
      const std::string_view field = fields[first + numbers + f];
      char* const token = row.text.data() + f * digits;
      if (!field.empty() && !read_token(field, token))
        return layout_.features[f] + ": " + shown(field) + " is not 1 to 8 hexadecimal digits";
      put_value(field.empty() ? std::nullopt : std::optional(std::string_view(token, digits)), row);
      end_feature(row);
    }
    return {};
  }

  /// Returns the name of the row's next dense feature.
  const std::string& name_at(const Row& row) const { return layout_.dense_features[row.numbers.size()]; }
};

}  // namespace

std::unique_ptr<RowFormat> make_criteo_format(const RowSettings& settings) {
  const RowSettings defaults;
  const auto only_table = [](bool set, const char* key) {
    if (set) fail("preprocess.", key, " applies only to format = \"table\"; leave it out with format = \"criteo\"");
  };
  only_table(!settings.columns.empty(), "column");
  only_table(settings.delimiter != defaults.delimiter, "delimiter");
  only_table(settings.header != defaults.header, "header");
  only_table(settings.skip_other_columns, "skip_other_columns");
  only_table(settings.trim != defaults.trim, "trim");
  only_table(settings.quotes != defaults.quotes, "quotes");
  only_table(settings.quoted_newlines, "quoted_newlines");
  only_table(!settings.comment.empty(), "comment");
  only_table(settings.missing != defaults.missing, "missing");
  return std::make_unique<Criteo>(settings);
}

}  // namespace tesserec::raw
