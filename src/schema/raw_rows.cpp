// SPDX-License-Identifier: Apache-2.0
// Keys of [preprocess] that say what a raw row is, of [[preprocess.column]] and of [[preprocess.sequence]].
#include <initializer_list>
#include <utility>

#include <tesserec/raw/field_values.hpp>
#include <tesserec/raw/times.hpp>
#include <tesserec/schema/raw_rows.hpp>
#include <tesserec/schema/section.hpp>

namespace tesserec::schema {
namespace {

/// Returns choices by the names that `name` gives them.
template <class E>
Choices<E> named(std::initializer_list<E> values, const char* (*name)(E)) {
  Choices<E> choices;
  for (const E value : values) choices.emplace_back(name(value), value);
  return choices;
}

}  // namespace

Keys<raw::RowSettings> row_settings_keys() {
  using raw::RowSettings;
  const Choices<raw::RawFormat> formats = {{"criteo", raw::RawFormat::criteo}, {"table", raw::RawFormat::table}};
  const Choices<raw::ShortRows> shorter = {{"stop", raw::ShortRows::stop}, {"pad", raw::ShortRows::pad}};
  return {
      left_to_job<RowSettings>("train"),
      left_to_job<RowSettings>("evaluate"),
      left_to_job<RowSettings>("predict"),
      left_to_job<RowSettings>("history"),
      left_to_job<RowSettings>("vocabulary"),
      left_to_job<RowSettings>("extend"),
      choice("format", &RowSettings::format, formats,
             "Format of the raw files. criteo: label, 13 integers and 26 hexadecimal categories, separated by tabs. "
             "table: columns that [[preprocess.column]] describes."),
      left_to_job<RowSettings>("output"),
      left_to_job<RowSettings>("bad_rows"),
      choice("short_rows", &RowSettings::short_rows, shorter,
             "Treatment of rows whose trailing delimiters were cut. stop: bad rows. pad: fill with empty fields."),
      left_to_job<RowSettings>("minimum_count"),
      text("delimiter", &RowSettings::delimiter, Text::letter, "table: character between fields."),
      boolean("header", &RowSettings::header, "table: the first line of each file names the columns, in any order."),
      boolean(
          "skip_other_columns", &RowSettings::skip_other_columns,
          "table: skip columns of the header that no [[preprocess.column]] names; false means that they are an error."),
      boolean("trim", &RowSettings::trim, "table: remove spaces around fields; those inside of quotes stay."),
      boolean("quotes", &RowSettings::quotes,
              "table: a field that begins with a double quote ends at the next one that is not doubled, and may hold "
              "delimiters. false: a quote is a character like others."),
      boolean("quoted_newlines", &RowSettings::quoted_newlines,
              "table: quoted fields may hold line breaks. One rank then reads a whole file, so give several files."),
      text("comment", &RowSettings::comment, Text::any, "table: beginning of lines that are no rows, such as #."),
      texts("missing", &RowSettings::missing, Text::any, {}, "table: texts that mean a missing value."),
      default_words(number("fill_value", &RowSettings::fill_value, {-1e30, 1e30}, "",
                           "Replacement of missing numbers, before their transform; a column may override it."),
                    "unset (the transformed feature is 0, with standardise the mean)"),
      boolean("missing_indicator", &RowSettings::missing_indicator,
              "Add a dense feature NAME_missing behind each number NAME, 1 if the number is missing, else 0; a column "
              "may override it."),
      left_to_job<RowSettings>("strict"),
      left_to_job<RowSettings>("max_unknown"),
      left_to_job<RowSettings>("memory"),
  };
}

Keys<raw::Column> column_keys() {
  using raw::Column;
  using Kind = raw::ColumnKind;
  using raw::Transform;
  const Choices<Kind> kinds = named(
      {Kind::label, Kind::weight, Kind::number, Kind::category, Kind::time, Kind::key, Kind::skip}, raw::kind_name);
  const Choices<Transform> transforms =
      named({Transform::none, Transform::log1p, Transform::standardise}, raw::transform_name);
  const Choices<raw::IdForm> ids = {{"vocabulary", raw::IdForm::vocabulary}, {"hashed", raw::IdForm::hashed}};
  return {
      required(
          text("name", &Column::name, Text::name,
               "Name of the column, and of its feature if it is a category. If files have a header, * matches any "
               "text: one column for each matching name without another block, in natural order (C2 before C10).")),
      required(choice(
          "kind", &Column::kind, kinds,
          "Role of the column. weight: factor of a sample in the loss and the metrics, at least 0. key: any text, not "
          "learned but written beside the scores of evaluation files and files to score. skip: ignored.")),
      choice("transform", &Column::transform, transforms,
             "number: transform of the values. log1p: log1p(max(x, 0)). standardise: (x - mean) / standard deviation, "
             "both of the training files."),
      default_words(number("fill_value", &Column::fill_value, {-1e30, 1e30}, "",
                           "number: replacement of a missing value, before the transform."),
                    "preprocess.fill_value"),
      default_words(boolean("missing_indicator", &Column::missing_indicator,
                            "number: add a dense feature NAME_missing behind it, 1 if the value is missing, else 0."),
                    "preprocess.missing_indicator"),
      text("separator", &Column::separator, Text::any,
           "category: character between the values of a field, which become a bag of ids; a missing field is an empty "
           "bag. Empty: a field is one value."),
      boolean(
          "weighted", &Column::weighted,
          "category with separator: a value may end in :WEIGHT, the factor of its row in the bag's sum (1 without)."),
      integer("max_values", &Column::max_values, {0, no_limit}, "values",
              "category with separator: values of a field that are kept, 0 = all; the others are cut and counted."),
      choice("ids", &Column::ids, ids,
             "category: ids of the values. vocabulary: by count in the training files. hashed: XXH3_64 of the text, a "
             "64-bit number, for tables with table.NAME.growing = true."),
      integer(
          "max_rows", &Column::max_rows, {0, raw::largest_hashed_rows}, "rows",
          "category with hashed ids: 1 + hash modulo (max_rows - 1) instead of the hash, for tables of a fixed size. "
          "Values that share a row are counted. 0: ids of 64 bits."),
      numbers("buckets", &Column::buckets, {-1e30, 1e30}, {}, "",
              "category: ascending borders. The field is a number, and its value is the bucket that it lies in; a "
              "bucket has its lower border."),
      integer("quantiles", &Column::quantiles, {0, raw::most_quantiles}, "buckets",
              "category: buckets of a number with about equally many training rows each, instead of buckets. Their "
              "borders are measured in the training files and stored in the data set, with which later files use "
              "them. 0: none."),
      texts("cross", &Column::cross, Text::name, {},
            "category that is no column of the files: its value is that of these categories together, which have one "
            "value each."),
      text("time", &Column::time, Text::any,
           "time: form of the texts. epoch, epoch_ms, epoch_us, epoch_ns: seconds to nanoseconds since 1970, in UTC. "
           "iso: YYYY-MM-DD, with THH:MM:SS if need be, as written, whatever its offset. yymmddhh: digits, years from "
           "2000. Else a pattern such as \"%m/%d/%Y %H:%M\", of strptime's %Y %y %m %b %d %H %I %p %M %S %f %z."),
      boolean(
          "stored", &Column::stored,
          "time: store it with the rows to train and evaluate on, so that data.window can train in its order. A row "
          "without this time is a bad row. At most one column."),
      texts("parts", &Column::parts, Text::filled, {},
            "time: categories made from it, NAME_hour (0 to 23), NAME_weekday (1, Monday, to 7) and NAME_day (of the "
            "month). []: none; the time only orders or splits rows, or is stored."),
      default_words(number("threshold", &Column::threshold, {-1e30, 1e30}, "",
                           "label: smallest number that means 1; smaller ones mean 0."),
                    "unset (positive and negative)"),
      texts("positive", &Column::positive, Text::any, {}, "label: texts that mean 1."),
      texts("negative", &Column::negative, Text::any, {}, "label: texts that mean 0; any other text is a bad row."),
      boolean(
          "optional", &Column::optional,
          "label, one of several: a row may lack it (preprocess.missing), as do all rows of a file whose header lacks "
          "the column; the data set then has NaN there, which training takes with data.missing_labels = true."),
  };
}

Keys<raw::UserSequence> sequence_keys() {
  using raw::UserSequence;
  return {
      required(text("name", &UserSequence::name, Text::name, "Name of the feature.")),
      required(text("user", &UserSequence::user, Text::any, "Column of the users.")),
      required(text("item", &UserSequence::item, Text::any,
                    "Category with one value, whose texts are the items. The sequence has its ids and max_rows.")),
      required(text("time", &UserSequence::time, Text::any, "Column of kind = \"time\".")),
      integer("length", &UserSequence::length, {1, 100000}, "items", "Items that are kept, the last ones."),
      integer(
          "memory", &UserSequence::memory, {1, no_limit}, "bytes",
          "Bytes that each rank sorts in memory. More go to scratch files in preprocess.output, which are removed."),
  };
}

namespace {

/// Rows of a deck.
struct RowDeck : Lines {
  raw::RowSettings rows;
};

const std::vector<Section<RowDeck>>& row_sections() {
  static const std::vector<Section<RowDeck>> all = {
      single<RowDeck>("preprocess", "", row_settings_keys(), [](auto& deck) -> auto& { return deck.rows; },
                      {"column", "split", "join", "sequence"}),
      repeated_block<RowDeck>(
          {"preprocess.column", ""}, column_keys(), [](auto& deck) -> auto& { return deck.rows.columns; }, ""),
      repeated_block<RowDeck>(
          {"preprocess.sequence", ""}, sequence_keys(), [](auto& deck) -> auto& { return deck.rows.sequences; }, ""),
  };
  return all;
}

}  // namespace

raw::RowSettings read_rows(const std::string& text, const std::string& name) {
  static const std::vector<BlockInfo> blocks = infos(row_sections());
  const Value root = parse_toml(text, name);
  RowDeck deck;
  deck.file = name;
  deck.blocks = &blocks;
  for (const Section<RowDeck>& section : row_sections()) section.read(deck, root);
  return std::move(deck.rows);
}

bool makes_bags(const std::string& text, const std::string& name) {
  const Value root = parse_toml(text, name);
  Index sizes = 0;
  if (const Value* list = root.find_path("data.multi_hot_sizes"))
    read_list(*list, "data.multi_hot_sizes", {}, false, [&](const Value&, const std::string&) { ++sizes; });
  return sizes > 0;
}

std::vector<std::string> training_data(const std::string& text, const std::string& name) {
  const Value root = parse_toml(text, name);
  std::vector<std::string> files;
  if (const Value* train = root.find_path("data.train"))
    read_list(*train, "data.train", {}, true,
              [&](const Value& file, const std::string& path) { files.push_back(read_text(file, path, Text::any)); });
  return files;
}

}  // namespace tesserec::schema
