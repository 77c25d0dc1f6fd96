// SPDX-License-Identifier: Apache-2.0
/// Division of text into records and fields: delimiters, quotes, comments.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tesserec/core/index.hpp>

namespace tesserec::raw {

/// Rules by which a text becomes records and fields.
struct TextRules {
  char delimiter = '\t';
  bool quotes = false;           ///< true if a field may stand in double quotes (RFC 4180)
  bool quoted_newlines = false;  ///< true if a quoted field may hold line breaks
  bool trim = false;             ///< true if spaces around fields do not count
  std::string comment = {};      ///< beginning of lines that are no records; empty = there are none
};

/// Fields of a record, valid as long as the record's text.
struct Fields {
  std::vector<std::string_view> texts;  ///< fields without their quotes
  bool quoted = false;                  ///< true if a field was quoted; all are trimmed then, by the rules
  Index line = 0;                       ///< line of the record, from 0, with the fault that split() returned
  std::string unescaped = {};           ///< storage of fields with doubled quotes
};

/// Returns the text without leading and trailing spaces and tabs.
std::string_view trimmed(std::string_view text);

/// Splits a record at its delimiters. Returns why its quotes are wrong, with the place, or "". Only a field that begins
/// with a quote is quoted. Trims no field of a record without quoted fields.
std::string split(std::string_view record, const TextRules& rules, Fields& fields);

/// Returns whether a quoted field is open at the end of a line. `open`: whether one is open at its begin.
bool leaves_open(std::string_view line, const TextRules& rules, bool open);

}  // namespace tesserec::raw
