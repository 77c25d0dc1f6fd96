// SPDX-License-Identifier: Apache-2.0
// Keys of [preprocess], [preprocess.split], [[preprocess.join]], [[preprocess.sequence]] and [[preprocess.column]].
#include "section.hpp"

namespace tesserec::deck {
namespace {

Section preprocess_section() {
  using Preprocess = preprocess::Settings;
  const Choices<preprocess::RawFormat> formats = {{"criteo", preprocess::RawFormat::criteo},
                                                  {"table", preprocess::RawFormat::table}};
  const Choices<preprocess::BadRows> bad = {{"stop", preprocess::BadRows::stop}, {"skip", preprocess::BadRows::skip}};
  const Choices<preprocess::ShortRows> shorter = {{"stop", preprocess::ShortRows::stop},
                                                  {"pad", preprocess::ShortRows::pad}};
  const Keys<Preprocess> keys = {
      texts("train", &Preprocess::train, Text::filled, {},
            "Raw files to train on, plain, .gz or .zst. Names may contain *, ? and [...]; the path of an existing file "
            "is "
            "taken literally."),
      texts("evaluate", &Preprocess::evaluate, Text::filled, {},
            "Raw files to evaluate on, encoded with the ids of the training files."),
      texts("predict", &Preprocess::predict, Text::filled, {},
            "Raw files to score. Labels and weights are not read and may be missing: empty fields, no such column, or, "
            "without a header, rows without the label's field."),
      texts(
          "history", &Preprocess::history, Text::filled, {},
          "Raw files that are only read for [[preprocess.sequence]], as what users did before; patterns as in train."),
      default_words(text("vocabulary", &Preprocess::vocabulary, Text::path,
                         "Data set of an earlier preprocess, whose ids and transforms are applied to all raw files."),
                    "\"\" (learned from the training files; without such files OUTPUT/train.h5)"),
      boolean("extend", &Preprocess::extend,
              "Append new ids for values of the training files that preprocess.vocabulary lacks. Existing ids and "
              "transforms of numbers do not change."),
      choice("format", &Preprocess::format, formats,
             "Format of the raw files. criteo: label, 13 integers and 26 hexadecimal categories, separated by tabs. "
             "table: columns that [[preprocess.column]] describes."),
      text("output", &Preprocess::output, Text::path, "Output folder for train.h5, evaluate.h5 and predict.h5."),
      choice("bad_rows", &Preprocess::bad_rows, bad,
             "Treatment of bad rows. stop: end with an error that names file and line. skip: leave out, count and "
             "report."),
      choice("short_rows", &Preprocess::short_rows, shorter,
             "Treatment of rows whose trailing delimiters were cut. stop: bad rows. pad: fill with empty fields."),
      integer("minimum_count", &Preprocess::minimum_count, {1, no_limit}, "rows",
              "Smallest count in the training files that gives a category its own id; rarer categories become id 0, "
              "unknown."),
      text("delimiter", &Preprocess::delimiter, Text::letter, "table: character between fields."),
      boolean("header", &Preprocess::header, "table: the first line of each file names the columns, in any order."),
      boolean(
          "skip_other_columns", &Preprocess::skip_other_columns,
          "table: skip columns of the header that no [[preprocess.column]] names; false means that they are an error."),
      boolean("trim", &Preprocess::trim, "table: remove spaces around fields; those inside of quotes stay."),
      boolean("quotes", &Preprocess::quotes,
              "table: a field that begins with a double quote ends at the next one that is not doubled, and may hold "
              "delimiters. false: a quote is a character like others."),
      boolean("quoted_newlines", &Preprocess::quoted_newlines,
              "table: quoted fields may hold line breaks. One rank then reads a whole file, so give several files."),
      text("comment", &Preprocess::comment, Text::any, "table: beginning of lines that are no rows, such as #."),
      texts("missing", &Preprocess::missing, Text::any, {}, "table: texts that mean a missing value."),
      default_words(number("fill_value", &Preprocess::fill_value, {-1e30, 1e30}, "",
                           "Replacement of missing numbers, before their transform; a column may override it."),
                    "unset (the transformed feature is 0, with standardise the mean)"),
      boolean("missing_indicator", &Preprocess::missing_indicator,
              "Add a dense feature NAME_missing behind each number NAME, 1 if the number is missing, else 0; a column "
              "may override it."),
      boolean(
          "strict", &Preprocess::strict,
          "End the run with an error, and write nothing, if the verdict on the data has a warning or an error; notes "
          "do not count."),
      number(
          "max_unknown", &Preprocess::max_unknown, {0.0, 1.0}, "",
          "Largest share of a category's values in an evaluation file that may lack an id; 1.0 means no limit. A "
          "larger share ends preprocess, because the values are probably written differently from the training files."),
      default_words(integer("memory", &Preprocess::memory, {0, no_limit}, "bytes",
                            "Memory of all ranks together for counts and vocabularies; what does not fit stands in "
                            "scratch files in the output folder. It changes time, never the data sets."),
                    "0 (half of what the job may use)"),
  };
  return single("preprocess", "Conversion of raw click logs to HDF5 data sets.", keys,
                [](auto& d) -> auto& { return d.preprocess; }, {"column", "split", "join", "sequence"});
}

Section split_section() {
  using Split = preprocess::SplitSettings;
  using preprocess::SplitBy;
  const Choices<SplitBy> rules = {{"none", SplitBy::none},
                                  {"hash", SplitBy::hash},
                                  {"time", SplitBy::time},
                                  {"day", SplitBy::day},
                                  {"last", SplitBy::last}};
  const Keys<Split> keys = {
      choice("by", &Split::by, rules,
             "Rule. hash: a share of the rows, or of the texts of a column. time: the last share of the rows by time. "
             "day: the last days. last: each user's last row, if the user has others. none: no split."),
      text("column", &Split::column, Text::any,
           "hash: column whose rows stay together if their texts are equal, such as user; empty = the hash of all "
           "columns that are read. last: column of the users."),
      text("time", &Split::time, Text::any,
           "Column of kind = \"time\". last: empty = the order of the files. Rows without a time are training rows."),
      number("fraction", &Split::fraction, {1e-9, 1.0 - 1e-9}, "", "hash, time: share of the evaluation rows."),
      integer("days", &Split::days, {1, 100000}, "days",
              "day: number of the last days whose rows are evaluation rows."),
  };
  return single(
      "preprocess.split", "Rows of preprocess.train that become evaluation rows instead.", keys,
      [](auto& d) -> auto& { return d.preprocess.split; });
}

Section column_section() {
  using preprocess::Column;
  const Choices<preprocess::ColumnKind> kinds = {
      {"label", preprocess::ColumnKind::label},   {"weight", preprocess::ColumnKind::weight},
      {"number", preprocess::ColumnKind::number}, {"category", preprocess::ColumnKind::category},
      {"time", preprocess::ColumnKind::time},     {"key", preprocess::ColumnKind::key},
      {"skip", preprocess::ColumnKind::skip}};
  const Choices<preprocess::Transform> transforms = {{"none", preprocess::Transform::none},
                                                     {"log1p", preprocess::Transform::log1p},
                                                     {"standardise", preprocess::Transform::standardise}};
  const Choices<preprocess::TimeForm> times = {{"epoch", preprocess::TimeForm::epoch},
                                               {"epoch_ms", preprocess::TimeForm::epoch_ms},
                                               {"iso", preprocess::TimeForm::iso},
                                               {"yymmddhh", preprocess::TimeForm::yymmddhh}};
  const Choices<preprocess::IdForm> ids = {{"vocabulary", preprocess::IdForm::vocabulary},
                                           {"hashed", preprocess::IdForm::hashed}};
  const Keys<Column> keys = {
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
          "max_rows", &Column::max_rows, {0, preprocess::largest_hashed_rows}, "rows",
          "category with hashed ids: 1 + hash modulo (max_rows - 1) instead of the hash, for tables of a fixed size. "
          "Values that share a row are counted. 0: ids of 64 bits."),
      numbers("buckets", &Column::buckets, {-1e30, 1e30}, {}, "",
              "category: ascending borders. The field is a number, and its value is the bucket that it lies in; a "
              "bucket has its lower border."),
      texts("cross", &Column::cross, Text::name, {},
            "category that is no column of the files: its value is that of these categories together, which have one "
            "value each."),
      choice("time", &Column::time, times,
             "time: form of the texts. epoch, epoch_ms: seconds or milliseconds since 1970, in UTC. iso: YYYY-MM-DD, "
             "with THH:MM:SS if need be, as written, whatever its offset. yymmddhh: digits, years from 2000."),
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
  };
  return several(
      "preprocess.column", "One column of a delimited table. Blocks follow the order of the file if it has no header.",
      keys, [](auto& d) -> auto& { return d.preprocess.columns; },
      "give one [[preprocess.column]] for each column of the table");
}

Section join_section() {
  using preprocess::Join;
  const Keys<Join> keys = {
      required(text("file", &Join::file, Text::filled,
                    "Side table, as delimited text, plain or .gz, or Parquet. A pattern names the parts of one.")),
      required(texts("on", &Join::on, Text::any, {1, no_limit},
                     "Columns whose texts together are the key. A side table has one row for each key.")),
      default_words(texts("file_on", &Join::file_on, Text::any, {}, "Names of the key's columns in the side table."),
                    "[] (those of on)"),
      required(
          texts("columns", &Join::columns, Text::any, {1, no_limit},
                "Columns that it brings. Each has a [[preprocess.column]], as a column of the files has; where the "
                "side table lacks the key, their values are missing.")),
      default_words(texts("names", &Join::names, Text::any, {}, "Columns of a side table that has no header."),
                    "[] (its first line has them)"),
      default_words(text("delimiter", &Join::delimiter, Text::any, "Character between its fields."),
                    "preprocess.delimiter"),
      integer("memory", &Join::memory, {1, no_limit}, "bytes",
              "Largest memory of the side table, which each rank has whole. A larger one is an error."),
  };
  return several(
      "preprocess.join", "A side table that brings columns to the rows, by a key.", keys,
      [](auto& d) -> auto& { return d.preprocess.joins; }, "give one [[preprocess.join]] for each side table");
}

Section sequence_section() {
  using preprocess::UserSequence;
  const Keys<UserSequence> keys = {
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
  return several(
      "preprocess.sequence",
      "A category whose values are the last items of the row's user before the row, in the order of time.", keys,
      [](auto& d) -> auto& { return d.preprocess.sequences; }, "give one [[preprocess.sequence]] for each sequence");
}

}  // namespace

std::vector<Section> preprocess_sections() {
  return {preprocess_section(), split_section(), join_section(), sequence_section(), column_section()};
}

}  // namespace tesserec::deck
