// SPDX-License-Identifier: Apache-2.0
// Row format of the Criteo display-advertising logs: label, 13 integers and 26 hashed categories, separated by tabs.
#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>

#include "formats.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/core/utf8.hpp>

namespace tesserec::raw {
namespace {

constexpr std::size_t numbers = 13, categories = 26, digits = 8;

/// Returns whether a field has 8 hexadecimal digits in lower case. Each sum below has its highest bit set, byte by
/// byte, from the first or behind the last character of a range on. Only bytes beyond ASCII carry into the next one,
/// and the first of them is in no range.
bool is_token(std::string_view field) {
  if (field.size() != digits) return false;
  constexpr std::uint64_t ones = 0x0101010101010101, high = 0x80 * ones;
  std::uint64_t text = 0;
  std::memcpy(&text, field.data(), digits);
  const auto from = [text](char first) { return text + (0x80 - std::uint64_t(first)) * ones; };
  const auto behind = [text](char last) { return text + (0x7F - std::uint64_t(last)) * ones; };
  const std::uint64_t found = (from('0') & ~behind('9')) | (from('a') & ~behind('f'));
  return (found & high) == high;
}

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

/// Returns the characters of a text of 1 to 8, the first one in the lowest byte, behind them any. `end`: end of a
/// longer text in which this one stands, or null.
std::uint64_t characters(std::string_view text, const char* end) {
  if (std::endian::native == std::endian::little && end != nullptr && end - text.data() >= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data(), sizeof word);
    return word;
  }
  const auto at = [&](std::size_t i) { return std::uint64_t(std::uint8_t(text[i])) << 8 * i; };
  if (text.size() < 4) return at(0) | at(text.size() / 2) | at(text.size() - 1);
  if (std::endian::native != std::endian::little) {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < text.size(); ++i) word |= at(i);
    return word;
  }
  std::uint32_t first = 0, last = 0;  // may share characters
  std::memcpy(&first, text.data(), sizeof first);
  std::memcpy(&last, text.data() + text.size() - sizeof last, sizeof last);
  return first | std::uint64_t(last) << 8 * (text.size() - sizeof last);
}

/// Parses 1 to 8 digits behind an optional minus, without a branch for each. Returns false for any other field, which
/// may be an integer still. `end`: end of the text in which the field stands; null = it stands alone.
bool read_short(std::string_view field, const char* end, double& value) {
  const bool minus = field.starts_with('-');
  if (minus) field.remove_prefix(1);
  if (field.empty() || field.size() > 8) return false;
  constexpr std::uint64_t ones = 0x0101010101010101;
  // The last digit comes into the highest byte, and zeros stand before the first digit.
  std::uint64_t pairs = characters(field, end) << 8 * (8 - field.size());
  pairs ^= ('0' * ones) << 8 * (8 - field.size());
  if (((pairs | (pairs + (0x7F - 9) * ones)) & 0x80 * ones) != 0) return false;
  pairs = (10 * pairs + (pairs >> 8)) & 0x00FF00FF00FF00FF;
  pairs = (100 * pairs + (pairs >> 16)) & 0x0000FFFF0000FFFF;
  const auto number = std::int64_t((10000 * pairs + (pairs >> 32)) & 0xFFFFFFFF);
  value = double(minus ? -number : number);
  return true;
}

class Criteo final : public RowFormat {
 public:
  explicit Criteo(const RowSettings& settings) {
    layout_.columns.push_back({"label", ColumnKind::label});
    layout_.ascii = true;  // the rows that read() accepts
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

  std::string find_typed(const std::vector<FoundColumn>& found, FileColumns& file, TypedColumns& read) const override {
    const bool labelled = found.empty() || found.front().name != layout_.columns[1].name;
    if (!labelled && file.targets == Targets::required)
      return concat("it is a Parquet file without a column \"label\"; ", rows_to_score);
    if (!labelled) remove_labels(file);
    const std::size_t first = labelled ? 0 : 1;
    for (std::size_t c = 0; c < std::max(found.size(), file.fields); ++c)
      if (std::string reason = misfit(found, c, first + c); !reason.empty())
        return concat("it is a Parquet file ", reason,
                      ", but the columns of format = \"criteo\" are label, I1 to I13 and C1 to C26, in this order, "
                      "categories as texts; set preprocess.format = \"table\"");
    read.columns.assign(found.size(), {true});
    return {};
  }

  /// Returns why a file's column c is not column `own` of the format, or "".
  std::string misfit(const std::vector<FoundColumn>& found, std::size_t c, std::size_t own) const {
    if (own >= layout_.columns.size()) return concat("with ", counted(found.size(), "column"));
    const Column& column = layout_.columns[own];
    if (c >= found.size()) return concat("without column ", c + 1, ", \"", column.name, "\"");
    const FoundColumn& file = found[c];
    if (file.name != column.name)
      return concat("whose column ", c + 1, " is \"", file.name, "\", not \"", column.name, "\"");
    if (file.text || (file.number && column.kind != ColumnKind::category)) return {};
    return concat("whose column ", file.name, " has type ", file.type);
  }

  std::string read(std::string_view line, const FileColumns& file, Row& row) const override {
    split(line, layout_.text, row.fields);
    if (std::string reason = fit_fields(row.fields.texts, file.fields, file.short_rows); !reason.empty()) return reason;
    return read_fields(file, row, line.data() + line.size());
  }

  std::string read_fields(const FileColumns& file, Row& row) const override { return read_fields(file, row, nullptr); }

  /// Does so for fields in a text that ends at `end`, or, if it is null, for fields that stand alone.
  std::string read_fields(const FileColumns& file, Row& row, const char* end) const {
    const std::vector<std::string_view>& fields = row.fields.texts;
    const std::size_t first = file.places[label_columns_[0]] < 0 ? 0 : 1;  // first field after the label
    if (file.targets == Targets::required) {
      const std::string_view label = fields[0];
      row.label_missing = label.empty();
      if (label.empty()) return concat("label \"\" is neither 0 nor 1: the label is missing; ", rows_to_score);
      if (label.size() != 1 || (label[0] != '0' && label[0] != '1'))
        return "label " + shown(label) + " is neither 0 nor 1";
      row.label = label[0] == '1';
    }
    row.has_label = first > 0 && !fields[0].empty();

    row.numbers.clear();
    for (std::size_t k = 0; k < numbers; ++k) {
      double value = std::numeric_limits<double>::quiet_NaN();
      if (const std::string_view field = fields[first + k]; !field.empty() && !read_short(field, end, value))
        if (std::string reason = read_long(field, value); !reason.empty()) return name_at(row) + ": " + reason;
      put_number(value, row);
    }

    if (row.tokens.size() != categories || row.ends.size() != categories) {  // else the row before left all this
      row.tokens.resize(categories);
      row.ends.resize(categories);
      std::iota(row.ends.begin(), row.ends.end(), std::size_t{1});
      row.cut.assign(categories, 0);
      row.text.resize(categories * digits);
    }
    for (std::size_t f = 0; f < categories; ++f) {
      const std::string_view field = fields[first + numbers + f];
      char* const token = row.text.data() + f * digits;
      std::optional<std::string_view>& value = row.tokens[f];
      if (is_token(field))
        value = field;
      else if (read_token(field, token))
        value = std::string_view(token, digits);
      else if (field.empty())
        value.reset();
      else
        return layout_.features[f] + ": " + shown(field) + " is not 1 to 8 hexadecimal digits";
    }
    return {};
  }

  /// Parses an integer of any length. Returns why the field is none, or "".
  static std::string read_long(std::string_view field, double& value) {
    std::int64_t number = 0;
    const auto [stop, code] = std::from_chars(field.data(), field.data() + field.size(), number);
    if (code == std::errc::result_out_of_range) return shown(field) + " is out of the range of 64-bit integers";
    if (code != std::errc() || stop != field.data() + field.size()) return shown(field) + " is not an integer";
    value = double(number);
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
