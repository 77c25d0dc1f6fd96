// SPDX-License-Identifier: Apache-2.0
#include "row_format.hpp"

#include <cstring>

#include <tesserec/core/error.hpp>

namespace tesserec::data {

std::unique_ptr<RowFormat> make_row_format(const PreprocessSettings& settings) {
  if (settings.minimum_count < 1) fail("preprocess.minimum_count must be at least 1, not ", settings.minimum_count);
  return settings.format == RawFormat::criteo ? make_criteo_format(settings) : make_table_format(settings);
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

std::string shown(std::string_view text) {
  constexpr std::size_t longest = 24;
  std::string out = "\"";
  for (const char c : text.substr(0, longest)) out += c >= ' ' && c <= '~' ? c : '?';
  return out + (text.size() > longest ? "...\"" : "\"");
}

}  // namespace tesserec::data
