// SPDX-License-Identifier: Apache-2.0
// Row format of any delimited text, by the columns of [[preprocess.column]].
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "crosses.hpp"
#include "formats.hpp"
#include "labels.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/core/utf8.hpp>
#include <tesserec/core/weight_bounds.hpp>
#include <tesserec/raw/column_fault.hpp>
#include <tesserec/raw/field_values.hpp>
#include <tesserec/raw/header.hpp>
#include <tesserec/raw/times.hpp>

namespace tesserec::raw {
namespace {

bool contains(const std::vector<std::string>& texts, std::string_view text) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

class TableFormat final : public RowFormat {
 public:
  TableFormat(const RowSettings& settings, std::shared_ptr<SideColumns> side)
      : missing_(settings.missing), skip_others_(settings.skip_other_columns), side_(std::move(side)) {
    check_columns(settings);
    std::vector<Column> crosses;
    std::partition_copy(settings.columns.begin(), settings.columns.end(), std::back_inserter(crosses),
                        std::back_inserter(layout_.columns),
                        [](const Column& column) { return !column.cross.empty(); });
    layout_.text = text_rules(settings);
    const std::vector<std::string> joined = side_ == nullptr ? std::vector<std::string>() : side_->names();
    std::stable_partition(layout_.columns.begin(), layout_.columns.end(),
                          [&](const Column& column) { return !contains(joined, column.name); });
    std::sort(layout_.columns.end() - std::ssize(joined), layout_.columns.end(), [&](const Column& a, const Column& b) {
      return std::find(joined.begin(), joined.end(), a.name) < std::find(joined.begin(), joined.end(), b.name);
    });
    joined_ = joined.size();
    if (side_ != nullptr) layout_.joins = side_->open(layout_.text, layout_.columns);
    short_rows_ = settings.short_rows;
    layout_.header = settings.header;
    if (skip_others_ && !settings.header)
      fail("preprocess.skip_other_columns requires a header; set preprocess.header = true");
    find_labels();
    for (const Column& column : layout_.columns) {
      if (column.stored) layout_.time = column.name;
      if (column.kind == ColumnKind::key) layout_.keys.push_back(column.name);
      if (column.kind == ColumnKind::category)
        add_feature(column.name, {!column.separator.empty(), column.weighted, column.ids, column.max_rows});
      if (column.kind == ColumnKind::time)
        for (const std::string& part : column.parts) add_feature(column.name + "_" + part, {});
      bucket_texts_.push_back(column.buckets.empty() ? std::vector<std::string>() : bucket_texts(column.buckets));
      layout_.weighted = layout_.weighted || column.kind == ColumnKind::weight;
      if (column.kind != ColumnKind::number) continue;
      add_number(column.name, column.transform, column.fill_value ? column.fill_value : settings.fill_value,
                 column.missing_indicator.value_or(settings.missing_indicator));
    }
    for (const Column& column : crosses) {
      crosses_.add(column, layout_);
      add_feature(column.name, {false, false, column.ids, column.max_rows});
    }
    for (const UserSequence& sequence : settings.sequences) {
      const FeatureForm item = layout_.forms[layout_.single_feature(sequence.item, "preprocess.sequence.item")];
      add_feature(sequence.name, {true, false, item.ids, item.max_rows});
    }
    layout_.sequences = settings.sequences.size();
    for (const std::string& feature : layout_.features) {
      if (std::count(layout_.features.begin(), layout_.features.end(), feature) > 1)
        fail("preprocess.column: two categories are called \"", feature, "\", one of them part of a time; rename one");
      if (contains(layout_.dense_features, feature))
        fail("preprocess.column: the category \"", feature,
             "\" has the name that missing_indicator gives a dense feature; rename it");
    }
    if (layout_.dense_features.empty() && (settings.fill_value || settings.missing_indicator))
      fail("preprocess.", settings.fill_value ? "fill_value" : "missing_indicator",
           " applies to columns of kind = \"number\", but there is none; remove it");
  }

 private:
  /// Finds the labels' columns and describes their values.
  void find_labels() {
    label_columns_.clear();
    std::vector<std::string> names, values;
    for (std::size_t c = 0; c < layout_.columns.size(); ++c) {
      const Column& column = layout_.columns[c];
      if (column.kind != ColumnKind::label) continue;
      label_columns_.push_back(c);
      names.push_back(column.name);
      values.push_back(label_values(column));
      layout_.optional_labels = layout_.optional_labels || column.optional;
    }
    layout_.labels = values.front();
    if (names.size() == 1) return;
    layout_.tasks = names;
    for (std::size_t t = 0; t < names.size(); ++t) values[t] = names[t] + ": " + values[t];
    layout_.labels = join(values, "; ");
  }

  /// Finds the columns by the names of a file's fields, behind which those of side tables stand.
  std::string find_fields(std::vector<std::string> names, FileColumns& file) const {
    for (std::size_t c = layout_.columns.size() - joined_; c < layout_.columns.size(); ++c) {
      const std::string& name = layout_.columns[c].name;
      if (contains(names, name))
        return concat("the file has a column ", shown(name), ", which a [[preprocess.join]] brings, too; rename one");
      names.push_back(name);
    }
    std::string reason = find_named(layout_.columns, names, joined_, skip_others_, file);
    file.fields -= joined_;
    return reason;
  }

  std::string read_header(std::string_view line, FileColumns& file) const override {
    std::vector<std::string> names;
    if (std::string reason = header_names(line, layout_.text, names); !reason.empty()) return reason;
    const std::string reason = find_fields(names, file);
    return reason.empty() ? reason : reason + delimiter_hint(line, names.size(), layout_.text.delimiter);
  }

  std::string read(std::string_view line, const FileColumns& file, Row& row) const override {
    if (std::string reason = split(line, layout_.text, row.fields); !reason.empty()) return reason;
    std::vector<std::string_view>& fields = row.fields.texts;
    const std::size_t found = fields.size();
    if (std::string reason = fit_fields(fields, file.fields, file.short_rows); !reason.empty())
      return reason + delimiter_hint(line, found, layout_.text.delimiter);
    return read_fields(file, row);
  }

  std::string find_typed(const std::vector<FoundColumn>& found, FileColumns& file, TypedColumns& read) const override {
    std::vector<std::string> names;
    for (const FoundColumn& column : found) names.push_back(column.name);
    if (std::string reason = find_fields(names, file); !reason.empty()) return reason;
    read.columns.assign(names.size(), {});
    if (missing_.empty())
      return "its nulls are missing values, but preprocess.missing is empty; give a text for them, such as [\"\"]";
    read.null = missing_.front();
    for (std::size_t i = 0; i < layout_.columns.size(); ++i) {
      if (layout_.columns[i].kind == ColumnKind::skip || file.places[i] < 0) continue;
      if (std::size_t(file.places[i]) >= names.size()) continue;  // of a side table
      const std::string& separator = layout_.columns[i].separator;
      read.columns[file.places[i]] = {true, separator.empty() ? '\0' : separator[0]};
    }
    return {};
  }

  std::string read_fields(const FileColumns& file, Row& row) const override {
    if (joined_ > 0) side_->extend(file.places, row.fields, row.unjoined, row.join_keys);
    const std::vector<std::string_view>& fields = row.fields.texts;
    row.keys.clear();
    row.numbers.clear();
    row.further_labels.clear();
    clear_values(row);
    for (std::size_t i = 0; i < layout_.columns.size(); ++i) {
      const Column& column = layout_.columns[i];
      if (file.places[i] < 0 && column.optional && file.targets != Targets::unread) label_of(i, row) = lacking_label;
      if (column.kind == ColumnKind::skip || file.places[i] < 0) continue;
      const std::string_view raw = fields[file.places[i]], field = trims_field(i, row) ? trimmed(raw) : raw;
      if (file.targets == Targets::unread && (column.kind == ColumnKind::label || column.kind == ColumnKind::weight)) {
        row.has_label = row.has_label || (column.kind == ColumnKind::label && !contains(missing_, field));
        continue;
      }
      std::string reason;
      if (column.kind == ColumnKind::label)
        reason = read_label(column, field, missing_, label_of(i, row), row.label_missing);
      else if (column.kind == ColumnKind::weight)
        reason = read_weight(column, field, row);
      else if (column.kind == ColumnKind::number)
        reason = read_number(column, field, row);
      else if (column.kind == ColumnKind::key)
        reason = read_key(column, field, row);
      else if (column.kind == ColumnKind::time)
        reason = read_time(column, field, file.targets, row);
      else if (column.bucketed())
        reason = read_bucket(i, field, row);
      else
        reason = read_category(column, field, row);
      if (reason.empty()) continue;
      const std::size_t own = layout_.columns.size() - joined_;  // columns of the file
      const std::string place = i < own ? "" : side_->place(i - own, row.join_keys);
      return place.empty() ? reason : concat(reason, ", from the side table at ", place);
    }
    row.made.resize(crosses_.size());
    for (std::size_t c = 0; c < crosses_.size(); ++c) put_feature(crosses_.value(c, row), row);
    return {};
  }

  /// Returns the place of the label of column `number` in the row.
  std::uint8_t& label_of(std::size_t number, Row& row) const {
    return number == label_columns_[0] ? row.label : row.further_labels.emplace_back();
  }

  /// Appends the only value of the row's next feature.
  void put_feature(const std::optional<std::string_view>& value, Row& row) const {
    if (value || !layout_.forms[row.ends.size()].may_be_empty()) put_value(value, row);
    end_feature(row);
  }

  std::string read_category(const Column& column, std::string_view field, Row& row) const {
    if (!column.separator.empty()) return read_bag(column, field, row);
    put_feature(contains(missing_, field) ? std::nullopt : std::optional(field), row);
    return {};
  }

  std::string read_bucket(std::size_t number, std::string_view field, Row& row) const {
    const Column& column = layout_.columns[number];
    double value = 0;
    std::optional<std::string_view> bucket;
    if (!contains(missing_, field)) {
      if (const std::string reason = number_fault(field, value); !reason.empty())
        return concat(column.name, ": ", shown(field), " ", reason);
      const auto place = std::upper_bound(column.buckets.begin(), column.buckets.end(), value) - column.buckets.begin();
      if (!column.buckets.empty()) bucket = bucket_texts_[number][std::size_t(place)];
    }
    put_feature(bucket, row);
    return {};
  }

  std::string read_time(const Column& column, std::string_view field, Targets targets, Row& row) const {
    ParsedTime time;
    const bool missing = contains(missing_, field);
    if (!missing && !parse_time(field, column.time, time))
      return concat(column.name, ": ", shown(field), " is not a time of the form ", shown(column.time, 60),
                    ", such as ", time_example(column.time));
    if (column.stored && missing && targets == Targets::required)
      return concat(column.name, ": ", shown(field), " is a missing time, but each row needs it (stored = true)");
    if (column.stored) row.time = time.instant;
    for (const std::string& part : column.parts)
      put_feature(missing ? std::nullopt : std::optional(part_text(time, part)), row);
    return {};
  }

  /// Reads the values of a field. Leaves out those that mean a missing value, and those behind the largest number.
  std::string read_bag(const Column& column, std::string_view field, Row& row) const {
    Index kept = 0, cut = 0;
    for (bool more = !contains(missing_, field); more;) {
      const std::size_t stop = field.find(column.separator[0]);
      std::string_view value = layout_.text.trim ? trimmed(field.substr(0, stop)) : field.substr(0, stop);
      more = stop != std::string_view::npos;
      if (more) field.remove_prefix(stop + 1);
      if (contains(missing_, value)) continue;
      float weight = 1;
      if (column.weighted) {
        if (!take_weight(value, weight))
          return concat(column.name, ": ", shown(value), " has no valid weight (-1e6 to 1e6) behind its last ':'");
        if (layout_.text.trim) value = trimmed(value);
        if (contains(missing_, value)) continue;
      }
      if (column.max_values > 0 && kept == column.max_values) {
        ++cut;
        continue;
      }
      put_value(value, row, weight);
      ++kept;
    }
    end_feature(row, cut);
    return {};
  }

  static std::string read_key(const Column& column, std::string_view field, Row& row) {
    if (field.size() > longest_key)
      return concat(column.name, ": ", shown(field), " has ", field.size(), " bytes, but keys have at most ",
                    longest_key);
    if (field.find('\0') != std::string_view::npos) return column.name + ": " + shown(field) + " has a zero byte";
    row.keys.push_back(field);
    return {};
  }

  static std::string read_weight(const Column& column, std::string_view field, Row& row) {
    const std::errc code = parse_float(field, row.weight);
    const bool fits = code == std::errc() && row.weight >= 0 && row.weight <= max_sample_weight;
    return fits ? std::string() : column.name + ": " + shown(field) + " is not a valid weight (0 to 1e6)";
  }

  std::string read_number(const Column& column, std::string_view field, Row& row) const {
    double value = std::numeric_limits<double>::quiet_NaN();
    if (!contains(missing_, field))
      if (const std::string reason = number_fault(field, value); !reason.empty())
        return concat(column.name, ": ", shown(field), " ", reason);
    put_number(value, row);
    return {};
  }

  Crosses crosses_;
  std::vector<std::string> missing_;
  bool skip_others_;
  std::shared_ptr<SideColumns> side_;  ///< null = none
};

}  // namespace

std::unique_ptr<RowFormat> make_table_format(const RowSettings& settings, std::shared_ptr<SideColumns> side) {
  return std::make_unique<TableFormat>(settings, std::move(side));
}

}  // namespace tesserec::raw
