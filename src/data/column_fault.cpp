// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <tesserec/core/text.hpp>
#include <tesserec/data/column_fault.hpp>

namespace tesserec::data {
namespace {

std::optional<ColumnFault> label_fault(const Column& column) {
  if (column.positive.empty()) return ColumnFault{"positive", "is missing; list the texts of the label that mean 1"};
  if (column.negative.empty()) return ColumnFault{"negative", "is missing; list the texts of the label that mean 0"};
  for (const std::string& text : column.positive)
    if (std::count(column.negative.begin(), column.negative.end(), text) != 0)
      return ColumnFault{"positive",
                         concat("has \"", text, "\", which is also in negative; keep it in one of the two")};
  return std::nullopt;
}

std::optional<ColumnFault> category_fault(const Column& column, const PreprocessSettings& settings) {
  const std::string delimiter = settings.delimiter == "\\t" ? "\t" : settings.delimiter;
  const auto needs_separator = [&](bool set, const char* key) {
    return set && column.separator.empty()
               ? std::optional(ColumnFault{key, "applies only to several values in a field; set separator, too"})
               : std::nullopt;
  };
  if (!column.separator.empty() && column.separator.size() != 1)
    return ColumnFault{"separator", concat("is \"", column.separator, "\"; give one character")};
  if (column.separator == "\"" || column.separator == "\n" || column.separator == "\r")
    return ColumnFault{"separator", "cannot be a quote or a line end; give another character"};
  if (column.separator == delimiter && !settings.quotes)
    return ColumnFault{"separator",
                       "is also preprocess.delimiter, which only quoted fields may hold; set "
                       "preprocess.quotes = true, or give another character"};
  if (column.weighted && column.separator == ":")
    return ColumnFault{"separator", "is \":\", which stands before a weight; give another character"};
  if (const auto fault = needs_separator(column.weighted, "weighted")) return fault;
  if (const auto fault = needs_separator(column.max_values != 0, "max_values")) return fault;
  if (column.max_values < 0) return ColumnFault{"max_values", concat("is ", column.max_values, "; give at least 1")};
  if (column.max_rows != 0 && column.ids != IdForm::hashed)
    return ColumnFault{"max_rows", "applies only to hashed ids; set ids = \"hashed\", too"};
  if (column.max_rows != 0 && (column.max_rows < 2 || column.max_rows > largest_hashed_rows))
    return ColumnFault{"max_rows", concat("is ", column.max_rows, "; give 2 to ", largest_hashed_rows)};
  return std::nullopt;
}

}  // namespace

std::optional<ColumnFault> fault(const Column& column, const PreprocessSettings& settings) {
  const bool label = column.kind == ColumnKind::label, category = column.kind == ColumnKind::category;
  const bool number = column.kind == ColumnKind::number;
  const struct {
    const char* key;
    bool set;
    bool fits;
    const char* kind;
  } keys[] = {{"positive", !column.positive.empty(), label, "the label"},
              {"negative", !column.negative.empty(), label, "the label"},
              {"transform", column.transform != Transform::none, number, "numbers"},
              {"fill_value", column.fill_value.has_value(), number, "numbers"},
              {"missing_indicator", column.missing_indicator.has_value(), number, "numbers"},
              {"separator", !column.separator.empty(), category, "categories"},
              {"weighted", column.weighted, category, "categories"},
              {"max_values", column.max_values != 0, category, "categories"},
              {"ids", column.ids != IdForm::vocabulary, category, "categories"},
              {"max_rows", column.max_rows != 0, category, "categories"}};
  for (const auto& key : keys)
    if (key.set && !key.fits) return ColumnFault{key.key, concat("applies only to ", key.kind, "; remove it")};
  if (label) return label_fault(column);
  return category ? category_fault(column, settings) : std::nullopt;
}

}  // namespace tesserec::data
