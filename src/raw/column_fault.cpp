// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>

#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/raw/column_fault.hpp>
#include <tesserec/raw/times.hpp>

namespace tesserec::raw {
namespace {

std::optional<ColumnFault> label_fault(const Column& column) {
  if (column.threshold && !(column.positive.empty() && column.negative.empty()))
    return ColumnFault{column.positive.empty() ? "negative" : "positive",
                       "is set, but threshold says which labels are 1; keep one of the two"};
  if (column.threshold) return std::nullopt;
  if (column.positive.empty())
    return ColumnFault{"positive", "is missing; list the texts of the label that mean 1, or give threshold"};
  if (column.negative.empty()) return ColumnFault{"negative", "is missing; list the texts of the label that mean 0"};
  for (const std::string& text : column.positive)
    if (std::count(column.negative.begin(), column.negative.end(), text) != 0)
      return ColumnFault{"positive",
                         concat("has \"", text, "\", which is also in negative; keep it in one of the two")};
  return std::nullopt;
}

/// Returns a fault of a category that is made from a number or from other features.
std::optional<ColumnFault> made_fault(const Column& column) {
  const std::vector<double>& borders = column.buckets;
  const char* const key = column.quantiles != 0 ? "quantiles" : "buckets";
  if (column.quantiles != 0 && !borders.empty())
    return ColumnFault{key, "is set, but buckets gives the borders; keep one of the two"};
  if (column.quantiles != 0 && (column.quantiles < 2 || column.quantiles > most_quantiles))
    return ColumnFault{key, concat("is ", column.quantiles, "; give 2 to ", most_quantiles)};
  if (column.bucketed() && !column.separator.empty())
    return ColumnFault{key, "takes one number; remove it, or separator"};
  if (std::adjacent_find(borders.begin(), borders.end(), std::greater_equal<>()) != borders.end())
    return ColumnFault{"buckets", "does not ascend; give each border once, in order"};
  if (column.cross.empty()) return std::nullopt;
  if (column.cross.size() == 1) return ColumnFault{"cross", "has one name; give at least two"};
  if (!column.separator.empty() || column.bucketed())
    return ColumnFault{
        "cross", concat("takes its value from other columns; remove it, or ", column.bucketed() ? key : "separator")};
  return std::nullopt;
}

std::optional<ColumnFault> category_fault(const Column& column, const RowSettings& settings) {
  const std::string delimiter = settings.delimiter == "\\t" ? "\t" : settings.delimiter;
  if (const auto fault = made_fault(column)) return fault;
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

std::optional<ColumnFault> fault(const Column& column, const RowSettings& settings) {
  const bool label = column.kind == ColumnKind::label, category = column.kind == ColumnKind::category;
  const bool number = column.kind == ColumnKind::number;
  const struct {
    const char* key;
    bool set;
    bool fits;
    const char* kind;
  } keys[] = {{"positive", !column.positive.empty(), label, "the label"},
              {"negative", !column.negative.empty(), label, "the label"},
              {"threshold", column.threshold.has_value(), label, "the label"},
              {"optional", column.optional, label, "the label"},
              {"transform", column.transform != Transform::none, number, "numbers"},
              {"fill_value", column.fill_value.has_value(), number, "numbers"},
              {"missing_indicator", column.missing_indicator.has_value(), number, "numbers"},
              {"separator", !column.separator.empty(), category, "categories"},
              {"weighted", column.weighted, category, "categories"},
              {"max_values", column.max_values != 0, category, "categories"},
              {"ids", column.ids != IdForm::vocabulary, category, "categories"},
              {"max_rows", column.max_rows != 0, category, "categories"},
              {"buckets", !column.buckets.empty(), category, "categories"},
              {"quantiles", column.quantiles != 0, category, "categories"},
              {"cross", !column.cross.empty(), category, "categories"},
              {"time", column.time != Column().time, column.kind == ColumnKind::time, "times"},
              {"stored", column.stored, column.kind == ColumnKind::time, "times"},
              {"parts", column.parts != Column().parts, column.kind == ColumnKind::time, "times"}};
  for (const auto& key : keys)
    if (key.set && !key.fits) return ColumnFault{key.key, concat("applies only to ", key.kind, "; remove it")};
  if (label) return label_fault(column);
  if (const std::string wrong = time_fault(column.time); !wrong.empty()) return ColumnFault{"time", wrong};
  for (const std::string& part : column.parts)
    if (part != "hour" && part != "weekday" && part != "day")
      return ColumnFault{"parts", concat("has \"", part, "\"; give hour, weekday or day")};
  return category ? category_fault(column, settings) : std::nullopt;
}

void check_columns(const RowSettings& settings) {
  const std::vector<Column>& columns = settings.columns;
  if (columns.empty()) fail("preprocess.column: format = \"table\" needs one [[preprocess.column]] for each column");
  std::vector<std::string> names;
  Index labels = 0, optional = 0, weights = 0, features = 0, times = 0;
  for (const Column& column : columns) {
    if (const auto wrong = fault(column, settings))
      fail("preprocess.column ", column.name, ": ", wrong->key, " ", wrong->text);
    if (column.kind == ColumnKind::skip) continue;
    if (column.name.empty() || column.name == "." || column.name == ".." || column.name.find('/') != std::string::npos)
      fail("preprocess.column: \"", column.name, "\" cannot be a column's name; give one without '/'");
    if (std::count(names.begin(), names.end(), column.name) != 0)
      fail("preprocess.column: two columns are called \"", column.name, "\"; rename one");
    names.push_back(column.name);
    times += column.stored;
    if (column.kind == ColumnKind::label) {
      ++labels;
      optional += column.optional;
    } else if (column.kind == ColumnKind::key || (column.kind == ColumnKind::time && column.parts.empty())) {
      continue;
    } else if (column.kind == ColumnKind::weight) {
      ++weights;
    } else {
      ++features;
    }
  }
  if (labels == 0) fail("preprocess.column: no column is of kind = \"label\"; give at least one");
  if (optional == labels) fail("preprocess.column: rows could lack all labels; set optional = false for one");
  if (weights > 1) fail("preprocess.column: at most one column can be of kind = \"weight\", not ", weights);
  if (times > 1) fail("preprocess.column: at most one column can be stored = true, not ", times);
  if (features == 0) fail("preprocess.column: no column is of kind = \"number\" or \"category\"; add one");
}

}  // namespace tesserec::raw
