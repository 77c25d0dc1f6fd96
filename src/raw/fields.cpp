// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <tesserec/core/text.hpp>
#include <tesserec/core/utf8.hpp>
#include <tesserec/raw/fields.hpp>

namespace tesserec::raw {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

/// Returns the begin of the field at `at`, behind blanks that do not count.
std::size_t field_begin(std::string_view text, std::size_t at, const TextRules& rules) {
  while (rules.trim && at < text.size() && is_blank(text[at]) && text[at] != rules.delimiter) ++at;
  return at;
}

/// Returns the number of the character at byte `at` in its line, from 1, and sets `line`, from 0.
Index character_at(std::string_view record, std::size_t at, Index& line) {
  const std::string_view before = record.substr(0, at);
  line = std::count(before.begin(), before.end(), '\n');
  const std::string_view in_line = before.substr(before.rfind('\n') + 1);
  return 1 + std::count_if(in_line.begin(), in_line.end(), [](char c) { return (c & 0xC0) != 0x80; });
}

/// Reads the quoted field whose quote is at `at` and moves `at` behind its closing quote. Returns false if none closes
/// it.
bool read_quoted(std::string_view record, std::size_t& at, Fields& fields) {
  const std::size_t begin = ++at;
  std::size_t copied = begin;  // end of what is in `unescaped`
  const std::size_t first = fields.unescaped.size();
  while (true) {
    const std::size_t quote = record.find('"', at);
    if (quote == std::string_view::npos) return false;
    const bool doubled = quote + 1 < record.size() && record[quote + 1] == '"';
    at = quote + 1;
    if (doubled) {
      fields.unescaped.append(record.substr(copied, at - copied));
      copied = ++at;
      continue;
    }
    if (copied == begin) {
      fields.texts.push_back(record.substr(begin, quote - begin));
    } else {
      fields.unescaped.append(record.substr(copied, quote - copied));
      fields.texts.push_back(std::string_view(fields.unescaped).substr(first));
    }
    return true;
  }
}

/// Returns a bit for each of 64 bytes that equals `wanted`, the lowest bit for the first byte.
std::uint64_t equal_bytes(const char* bytes, char wanted) {
  std::uint64_t mask = 0;
#if defined(__SSE2__)
  const __m128i all = _mm_set1_epi8(wanted);
  for (int i = 0; i < 4; ++i) {
    const __m128i some = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + 16 * i));
    mask |= std::uint64_t(std::uint32_t(_mm_movemask_epi8(_mm_cmpeq_epi8(some, all)))) << 16 * i;
  }
#else
  for (int i = 0; i < 64; ++i) mask |= std::uint64_t(bytes[i] == wanted) << i;
#endif
  return mask;
}

/// Splits a record without quotes. Fields are short, so 64 bytes are compared at once.
void split_plain(std::string_view record, char delimiter, std::vector<std::string_view>& texts) {
  constexpr std::size_t width = 64;
  const char* begin = record.data();
  const auto cut = [&](const char* at, std::uint64_t mask) {
    for (; mask != 0; mask &= mask - 1) {
      const char* const stop = at + std::countr_zero(mask);
      texts.emplace_back(begin, stop - begin);
      begin = stop + 1;
    }
  };
  std::size_t at = 0;
  for (; at + width <= record.size(); at += width) cut(record.data() + at, equal_bytes(record.data() + at, delimiter));
  if (const std::size_t left = record.size() - at; left > 0) {
    char last[width];
    std::fill_n(last, width, char(~delimiter));
    std::memcpy(last, record.data() + at, left);
    cut(record.data() + at, equal_bytes(last, delimiter));
  }
  texts.emplace_back(begin, record.data() + record.size() - begin);
}

std::string split_quoted(std::string_view record, const TextRules& rules, Fields& fields) {
  fields.unescaped.clear();
  fields.unescaped.reserve(record.size());  // The fields' views must stay valid.
  for (std::size_t at = 0;; ++at) {
    const std::size_t begin = field_begin(record, at, rules);
    if (begin == record.size() || record[begin] != '"') {
      const std::size_t stop = std::min(record.find(rules.delimiter, at), record.size());
      const std::string_view text = record.substr(at, stop - at);
      fields.texts.push_back(rules.trim ? trimmed(text) : text);
      at = stop;
    } else {
      fields.quoted = true;
      at = begin;
      const auto place = [&](std::size_t byte) {
        const Index character = character_at(record, byte, fields.line);
        return concat("character ", character, " (field ", fields.texts.size(), ")");
      };
      if (!read_quoted(record, at, fields)) {
        fields.texts.emplace_back();
        return concat("the quote at ", place(begin), " is never closed",
                      rules.quoted_newlines ? "" : "; preprocess.quoted_newlines = true allows line breaks in quotes");
      }
      at = field_begin(record, at, rules);
      if (at < record.size() && record[at] != rules.delimiter)
        return concat(shown(record.substr(at)), " at ", place(at),
                      " follows a closing quote; quotes inside of a quoted field must be doubled");
    }
    if (at == record.size()) return {};
  }
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string split(std::string_view record, const TextRules& rules, Fields& fields) {
  fields.texts.clear();
  fields.quoted = false;
  fields.line = 0;
  if (rules.quotes && record.find('"') != std::string_view::npos) return split_quoted(record, rules, fields);
  split_plain(record, rules.delimiter, fields.texts);
  return {};
}

bool leaves_open(std::string_view line, const TextRules& rules, bool open) {
  if (!open && line.find('"') == std::string_view::npos) return false;
  std::size_t at = 0;
  while (true) {
    if (!open) {
      at = field_begin(line, at, rules);
      open = at < line.size() && line[at] == '"';
      at = open ? at + 1 : line.find(rules.delimiter, at);
    } else {
      at = line.find('"', at);
      if (at == std::string_view::npos) return true;
      open = ++at < line.size() && line[at] == '"';
      at = open ? at + 1 : line.find(rules.delimiter, at);
    }
    if (!open && at == std::string_view::npos) return false;
    if (!open) ++at;
  }
}

}  // namespace tesserec::raw
