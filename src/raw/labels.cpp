// SPDX-License-Identifier: Apache-2.0
#include "labels.hpp"

#include <algorithm>

#include <tesserec/core/text.hpp>
#include <tesserec/core/utf8.hpp>
#include <tesserec/raw/field_values.hpp>

namespace tesserec::raw {
namespace {

/// Lists the distinct texts in quotes, sorted.
std::string listed(std::vector<std::string> texts) {
  std::sort(texts.begin(), texts.end());
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
  return join(texts, " or ", [](const std::string& text) { return '"' + text + '"'; });
}

bool is_one_of(const std::vector<std::string>& texts, std::string_view text) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

}  // namespace

std::string label_values(const Column& column) {
  if (column.threshold) return concat("1 is at least ", number_text(*column.threshold), ", 0 is less");
  return "1 is " + listed(column.positive) + ", 0 is " + listed(column.negative);
}

std::string read_label(const Column& column, std::string_view field, const std::vector<std::string>& missing,
                       std::uint8_t& label, bool& is_missing) {
  const bool lacking = is_one_of(missing, field);
  const bool positive = is_one_of(column.positive, field), negative = is_one_of(column.negative, field);
  label = positive ? 1 : 0;
  if (positive || negative) return {};
  if (column.optional && lacking) {
    label = lacking_label;
    return {};
  }
  if (!column.threshold) {
    is_missing = field.empty();
    return column.name + ": " + shown(field) + " is neither a positive nor a negative label" +
           (is_missing ? concat(": the label is missing; ", rows_to_score) : "");
  }
  is_missing = lacking;
  if (lacking) return concat(column.name, ": ", shown(field), " is no number: the label is missing; ", rows_to_score);
  double value = 0;
  if (const std::string reason = number_fault(field, value); !reason.empty())
    return concat(column.name, ": ", shown(field), " ", reason);
  label = value >= *column.threshold ? 1 : 0;
  return {};
}

}  // namespace tesserec::raw
