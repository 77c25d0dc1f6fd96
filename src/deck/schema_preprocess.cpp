// SPDX-License-Identifier: Apache-2.0
// Keys of [preprocess], [preprocess.split], [[preprocess.join]], [[preprocess.sequence]] and [[preprocess.column]].
#include "section.hpp"
#include <tesserec/schema/raw_rows.hpp>

namespace tesserec::deck {
namespace {

Section preprocess_section() {
  using Preprocess = preprocess::Settings;
  const Choices<preprocess::BadRows> bad = {{"stop", preprocess::BadRows::stop}, {"skip", preprocess::BadRows::skip}};
  const Keys<Preprocess> own = {
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
      text("output", &Preprocess::output, Text::path, "Output folder for train.h5, evaluate.h5 and predict.h5."),
      choice("bad_rows", &Preprocess::bad_rows, bad,
             "Treatment of bad rows. stop: end with an error that names file and line. skip: leave out, count and "
             "report."),
      integer("minimum_count", &Preprocess::minimum_count, {1, no_limit}, "rows",
              "Smallest count in the training files that gives a category its own id; rarer categories become id 0, "
              "unknown."),
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
  return single("preprocess", "Conversion of raw click logs to HDF5 data sets.", extended(row_settings_keys(), own),
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
  return repeated_block<Deck>(
      {"preprocess.column",
       "One column of a delimited table. Blocks follow the order of the file if it has no header."},
      column_keys(), [](auto& d) -> auto& { return d.preprocess.columns; },
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
  return repeated_block<Deck>(
      {"preprocess.join", "A side table that brings columns to the rows, by a key."}, keys,
      [](auto& d) -> auto& { return d.preprocess.joins; }, "give one [[preprocess.join]] for each side table");
}

Section sequence_section() {
  return repeated_block<Deck>(
      {"preprocess.sequence",
       "A category whose values are the last items of the row's user before the row, in the order of time."},
      sequence_keys(), [](auto& d) -> auto& { return d.preprocess.sequences; },
      "give one [[preprocess.sequence]] for each sequence");
}

}  // namespace

std::vector<Section> preprocess_sections() {
  return {preprocess_section(), split_section(), join_section(), sequence_section(), column_section()};
}

}  // namespace tesserec::deck
