// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <limits>
#include <utility>

#include "formats.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/raw/field_values.hpp>
#include <tesserec/raw/quantiles.hpp>

namespace tesserec::raw {
namespace {

constexpr const char* pad_rows = "preprocess.short_rows = \"pad\" accepts rows whose trailing delimiters were cut";

}  // namespace

std::unique_ptr<RowFormat> make_row_format(const RowSettings& settings, std::shared_ptr<SideColumns> side) {
  return settings.format == RawFormat::criteo ? make_criteo_format(settings)
                                              : make_table_format(settings, std::move(side));
}

void RowFormat::add_number(const std::string& name, Transform transform, std::optional<double> fill, bool indicator) {
  const auto add = [&](const std::string& feature, Transform t, std::optional<double> f, bool indicates) {
    if (std::count(layout_.dense_features.begin(), layout_.dense_features.end(), feature) != 0)
      fail("preprocess.column: two dense features are called \"", feature,
           "\", one of them by missing_indicator; rename a column");
    layout_.dense_features.push_back(feature);
    layout_.transforms.push_back(t);
    layout_.fill.push_back(f);
    layout_.indicator.push_back(indicates);
  };
  if (fill && !(std::abs(*fill) <= std::numeric_limits<float>::max()))
    fail("preprocess.column ", name, ": fill_value is ", *fill,
         ", which does not fit a 32-bit float; give a smaller number");
  if (fill && *fill < 0 && transform == Transform::log1p)
    fail("preprocess.column ", name, ": fill_value is ", *fill,
         ", which log1p treats as 0; give a number of at least 0");
  add(name, transform, fill, false);
  if (indicator) add(name + "_missing", Transform::none, std::nullopt, true);
}

std::size_t RowLayout::column(const std::string& name, const std::string& key) const {
  const auto found =
      std::find_if(columns.begin(), columns.end(), [&](const Column& column) { return column.name == name; });
  if (found == columns.end())
    fail(key, ": there is no column \"", name, "\"; the columns are ",
         join(columns, ", ", [](const Column& column) { return column.name; }));
  if (found->kind == ColumnKind::skip)
    fail(key, ": column \"", name, "\" is not read; give it kind = \"key\" if it is not learned");
  return std::size_t(found - columns.begin());
}

std::size_t RowLayout::single_feature(const std::string& name, const std::string& key) const {
  const auto found = std::find(features.begin(), features.end(), name);
  if (found == features.end() || forms[std::size_t(found - features.begin())].bag)
    fail(key, " names \"", name, "\", which is no category with one value; the categories are ", join(features));
  return std::size_t(found - features.begin());
}

std::string_view RowFormat::field(const FileColumns& columns, const Row& row, std::size_t column) const {
  if (columns.places[column] < 0) return {};
  const std::string_view text = row.fields.texts[std::size_t(columns.places[column])];
  return trims_field(column, row) ? trimmed(text) : text;
}

bool RowLayout::jagged() const {
  return std::any_of(forms.begin(), forms.end(), [](const FeatureForm& form) { return form.may_be_empty(); });
}

void RowFormat::add_feature(const std::string& name, const FeatureForm& form) {
  layout_.features.push_back(name);
  layout_.forms.push_back(form);
  if (const auto made = layout_.definitions.find(name); made != layout_.definitions.end())
    layout_.forms.back().definition = made->second;
  for (const Column& column : layout_.columns) {
    if (column.name != name) continue;
    if (!column.separator.empty()) layout_.forms.back().definition = concat("separated by ", column.separator);
    if (column.quantiles == 0 && !column.buckets.empty())
      layout_.forms.back().definition =
          concat("buckets ", join(column.buckets, " ", [](double border) { return number_text(border); }));
  }
  layout_.borders.emplace_back();
  weighted_values_ = weighted_values_ || form.weighted;
}

void RowFormat::set_borders(std::size_t column, std::vector<double> borders) {
  Column& to = layout_.columns[column];
  const auto feature = std::find(layout_.features.begin(), layout_.features.end(), to.name) - layout_.features.begin();
  layout_.borders[std::size_t(feature)] = borders_text(to.quantiles, borders);
  bucket_texts_[column] = bucket_texts(borders);
  to.buckets = std::move(borders);
}

void RowFormat::clear_values(Row& row) {
  row.tokens.clear();
  row.ends.clear();
  row.value_weights.clear();
  row.cut.clear();
}

void RowFormat::remove_labels(FileColumns& columns) const {
  std::vector<Index> labels;
  for (const std::size_t column : label_columns_) labels.push_back(columns.places[column]);
  columns.fields -= labels.size();
  for (Index& place : columns.places)
    place -= std::count_if(labels.begin(), labels.end(), [&](Index label) { return label < place; });
  for (const std::size_t column : label_columns_) columns.places[column] = -1;
}

FileColumns RowFormat::in_order(Targets targets, bool labelled) const {
  const std::size_t all = layout_.columns.size();
  FileColumns columns{targets, short_rows_, all - joined_, {}};
  for (std::size_t c = 0; c < all; ++c) columns.places.push_back(Index(c));
  if (!labelled) remove_labels(columns);
  return columns;
}

std::string RowFormat::find_columns(std::span<const std::string> head, Targets targets, FileColumns& columns) const {
  columns = in_order(targets, true);
  if (layout_.header) return head.empty() ? std::string() : read_header(head.front(), columns);
  if (targets == Targets::required) return {};
  std::size_t max_fields = 0;
  Fields fields;
  for (const std::string& line : head) {
    if (!split(line, layout_.text, fields).empty()) continue;
    if (const std::size_t count = fields.texts.size(); count <= layout_.columns.size() - joined_)
      max_fields = std::max(max_fields, count);
  }
  const bool labelled = max_fields == columns.fields;
  if (!labelled && short_rows_ == ShortRows::pad) return find_in_padded(head, max_fields, columns);
  columns = in_order(targets, labelled);
  return {};
}

/// Finds the columns of a file without a header whose rows are all short: they may lack the label, or trailing fields.
/// The reading that fits far more lines decides; if there is none, returns why.
std::string RowFormat::find_in_padded(std::span<const std::string> head, std::size_t max_fields,
                                      FileColumns& columns) const {
  const FileColumns labelled = columns, unlabelled = in_order(columns.targets, false);
  columns = unlabelled;
  bool moves = false;
  for (std::size_t c = 0; c < labelled.fields; ++c)
    moves = moves || (unlabelled.places[c] >= 0 && unlabelled.places[c] != labelled.places[c]);
  if (!moves) return {};
  Row row;
  Index with = 0, without = 0;
  for (const std::string& line : head) {
    with += read(line, labelled, row).empty();
    without += read(line, unlabelled, row).empty();
  }
  if (without >= 2 * with) return {};
  if (with >= 2 * without) {
    columns = labelled;
    return {};
  }
  return concat("its rows have at most ", max_fields, " of ", labelled.fields,
                " fields, and by preprocess.short_rows = \"pad\" they may lack the label in front or empty fields "
                "behind, so it is not known which column a field belongs to; keep the delimiters of empty fields, also "
                "of an empty label, or give the files a header and set preprocess.header = true");
}

std::string RowFormat::find_columns(const std::vector<FoundColumn>& found, Targets targets, FileColumns& columns,
                                    TypedColumns& read) const {
  columns = in_order(targets, true);
  return find_typed(found, columns, read);
}

std::string RowFormat::parse_fields(const FileColumns& columns, Row& row) const {
  row.has_label = row.label_missing = false;
  return read_fields(columns, row);
}

std::string RowFormat::parse(std::string_view line, const FileColumns& columns, Row& row) const {
  row.has_label = row.label_missing = false;
  std::string reason = read(line, columns, row);
  row.fault_line = row.fields.line;
  if (reason.empty() || row.label_missing || columns.targets == Targets::unread) return reason;
  const std::string other = without_label(line, columns, row);
  return other.empty() ? reason : other;
}

/// Returns why a line is bad that would be good in a file without labels, and sets row.label_missing; else "".
std::string RowFormat::without_label(std::string_view line, const FileColumns& columns, Row& row) const {
  FileColumns unlabeled = columns;
  unlabeled.targets = Targets::unread;
  unlabeled.short_rows = ShortRows::stop;
  remove_labels(unlabeled);
  if (!read(line, unlabeled, row).empty()) return {};
  FileColumns padded = columns;
  padded.short_rows = ShortRows::pad;
  const bool cut = read(line, padded, row).empty();
  row.label_missing = true;
  return concat(counted(unlabeled.fields, "field"), ", ", columns.fields,
                " expected: the row seems to lack its label; ", rows_to_score, cut ? concat("; ", pad_rows) : "");
}

std::string fit_fields(std::vector<std::string_view>& fields, std::size_t columns, ShortRows short_rows) {
  if (fields.size() == columns) return {};
  const bool short_row = fields.size() < columns;
  if (short_row && short_rows == ShortRows::pad) {
    fields.resize(columns, std::string_view(""));
    return {};
  }
  return concat(counted(fields.size(), "field"), ", ", columns, " expected",
                short_row ? concat(" (", pad_rows, ")") : "");
}

}  // namespace tesserec::raw
