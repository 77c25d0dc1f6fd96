// SPDX-License-Identifier: Apache-2.0
#include "row_format.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <tesserec/core/error.hpp>

namespace tesserec::data {

std::unique_ptr<RowFormat> make_row_format(const PreprocessSettings& settings) {
  if (settings.minimum_count < 1) fail("preprocess.minimum_count must be at least 1, not ", settings.minimum_count);
  return settings.format == RawFormat::criteo ? make_criteo_format(settings) : make_table_format(settings);
}

void RowFormat::add_number(const std::string& name, Transform transform, std::optional<double> fill, bool indicator) {
  const auto add = [&](const std::string& feature, Transform t, std::optional<double> f, bool indicates) {
    if (std::count(layout_.dense_features.begin(), layout_.dense_features.end(), feature) != 0)
      fail("preprocess.column: two dense features are called ", feature,
           ", one of them by missing_indicator; rename a column");
    layout_.dense_features.push_back(feature);
    layout_.transforms.push_back(t);
    layout_.fill.push_back(f);
    layout_.indicator.push_back(indicates);
  };
  if (fill && !(std::abs(*fill) <= std::numeric_limits<float>::max()))
    fail("preprocess.column ", name, ": fill_value is ", *fill, "; it must be a number that a 32-bit float holds");
  if (fill && *fill < 0 && transform == Transform::log1p)
    fail("preprocess.column ", name, ": fill_value is ", *fill, ", which log1p takes as 0; give a number from 0 on");
  add(name, transform, fill, false);
  if (indicator) add(name + "_missing", Transform::none, std::nullopt, true);
}

void split(std::string_view line, char delimiter, std::vector<std::string_view>& fields) {
  fields.clear();
  const char* at = line.data();
  const char* const end = at + line.size();
  while (at != end) {
    const void* found = std::memchr(at, delimiter, end - at);
    if (found == nullptr) break;
    const char* const stop = static_cast<const char*>(found);
    fields.emplace_back(at, stop - at);
    at = stop + 1;
  }
  fields.emplace_back(at, end - at);
}

std::string fit_fields(std::vector<std::string_view>& fields, std::size_t columns, ShortRows short_rows) {
  if (fields.size() == columns) return {};
  const bool short_row = fields.size() < columns;
  if (short_row && short_rows == ShortRows::pad) {
    fields.resize(columns, std::string_view(""));
    return {};
  }
  std::string reason = std::to_string(fields.size()) + (fields.size() == 1 ? " field, " : " fields, ") +
                       std::to_string(columns) + " expected";
  if (short_row) reason += " (preprocess.short_rows = \"pad\" accepts rows whose trailing delimiters were cut)";
  return reason;
}

}  // namespace tesserec::data
