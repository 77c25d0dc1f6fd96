// SPDX-License-Identifier: Apache-2.0
// Keys of [data], [data.synthetic], [preprocess] and [[preprocess.column]].
#include "section.hpp"
#include <tesserec/data/source_types.hpp>
#include <tesserec/schema/own_rows.hpp>

namespace tesserec::deck {
namespace {

Section data_section() {
  using Data = data::Settings;
  Keys<Data> keys = {
      texts("train", &Data::train, Text::filled, {},
            "HDF5 data sets to train on; *, ? and [...] match names, but a path that exists is taken as it is."),
      texts("evaluate", &Data::evaluate, Text::filled, {},
            "HDF5 data sets to evaluate; names match as those of train."),
      default_words(texts("predict", &Data::predict, Text::filled, {},
                          "HDF5 data sets to predict, which need no labels; names match as those of train."),
                    "[] (those of evaluate)"),
      boolean("trust", &Data::trust,
              "Whether data sets may take numbers from other files: virtual datasets, external storage, external "
              "links. Whoever wrote such a data set chose which of your files it reads."),
  };
  std::vector<std::string> inner = {"synthetic"};
  Choices<std::string> sources;
  for (const data::SourceType& type : data::source_types()) {
    inner.push_back(type.name);
    sources.emplace_back(type.name, type.name);
  }
  if (!sources.empty())
    keys.push_back(default_words(
        choice("source", &Data::source, sources,
               join(data::source_types(), " ", [](const auto& type) { return type.name + ": " + type.text; })),
        "unset (files, or [data.synthetic])"));
  return single(
      "data", "Where samples come from: files, or [data.synthetic].", keys, [](auto& d) -> auto& { return d.data; },
      inner);
}

/// Makes the block [data.NAME] of a user's source type.
Section source_section(const data::SourceType& type) {
  using Data = data::Settings;
  const auto type_of = [name = type.name](const Data&) -> auto& { return data::source_type(name); };
  const auto values = [](auto& data) -> auto& { return data.own_values; };
  Keys<Data> keys;
  for (const OwnKey& key : type.own) keys.push_back(own_row<Data>({{"", key}}, type_of, values));
  const std::string path = "data." + type.name;
  Section section = single(
      path, type.text, keys, [](auto& d) -> auto& { return d.data; });
  section.read = [=, name = type.name, read = section.read](Deck& deck, const Value& root) {
    const Value* block = root.find_path(path);
    if (block != nullptr && deck.data.source != name)
      fail(block->where, ": ", path, " is for data.source = ", quoted(name), "; set it, or leave the block out");
    read(deck, root);
  };
  section.write = [=, name = type.name, write = section.write](const Deck& deck, std::string& out) {
    if (deck.data.source == name) write(deck, out);
  };
  return section;
}

/// Maximum number of samples. It is exact as a double, and adding a batch to it does not overflow.
constexpr Index most_samples = Index{1} << 53;

Section synthetic_section() {
  using Synthetic = data::SyntheticSettings;
  const Choices<data::SyntheticKind> kinds = {{"none", data::SyntheticKind::none},
                                              {"planted", data::SyntheticKind::planted},
                                              {"reference", data::SyntheticKind::reference}};
  const Choices<data::BitGenerator> generators = {{"philox", data::BitGenerator::philox},
                                                  {"mt19937", data::BitGenerator::mt19937}};
  const Keys<Synthetic> keys = {
      choice("kind", &Synthetic::kind, kinds,
             "planted: click logs from a hidden model with a known best AUC; reference: the reference DLRM's uniform "
             "generator; none: no synthetic data."),
      integer("samples", &Synthetic::samples, {0, most_samples}, "samples", "Training samples of an epoch."),
      integer("evaluate_samples", &Synthetic::evaluate_samples, {0, most_samples}, "samples",
              "Evaluation samples: planted draws others than in training, reference takes the first of the same."),
      integers("rows", &Synthetic::rows, {1, no_limit}, {}, "rows",
               "Rows of each table's id space, one feature a table."),
      integer("max_rows", &Synthetic::max_rows, {}, "rows", "Caps every entry of rows; 0 means no cap."),
      integer("dense_features", &Synthetic::dense_features, {1, 65536}, "numbers", "Dense numbers of a sample."),
      integer("ids_per_bag", &Synthetic::ids_per_bag, {1, 1000000}, "ids",
              "Ids of one feature of a sample, or the most of them."),
      default_words(
          integers(
              "bag_lengths", &Synthetic::bag_lengths, {1, 1000000}, {}, "ids",
              "planted: ids_per_bag of each feature, in the order of rows; where it is 1 a bag has always one id."),
          "[] (ids_per_bag)"),
      default_words(boolean("variable_bags", &Synthetic::variable_bags,
                            "planted: bag lengths uniform in 0 to ids_per_bag, or all ids_per_bag; reference: 1 to "
                            "ids_per_bag draws, at most as many as the table has rows, or always ids_per_bag draws, of "
                            "which each id is kept once."),
                    "false (planted), true (reference)"),
      number("zipf", &Synthetic::zipf, {0.0, 10.0}, "", "planted: exponent of the ids' frequency; 0 means uniform."),
      number("click_rate", &Synthetic::click_rate, {1e-6, 1.0 - 1e-6}, "", "planted: aimed share of label 1."),
      number("strength", &Synthetic::strength, {0.0, 100.0}, "",
             "planted: standard deviation of the hidden model's logit, tables and dense numbers together."),
      texts("pair", &Synthetic::pair, Text::name, {},
            "planted: two features, of the query and of the item, that meet in the hidden model by an inner product; "
            "each has one id a sample."),
      number("pair_strength", &Synthetic::pair_strength, {0.0, 100.0}, "",
             "planted: standard deviation of that part of the logit, where that of a table's effects is 1."),
      integer("pair_rank", &Synthetic::pair_rank, {1, 1024}, "numbers", "planted: of each vector of the pair."),
      boolean("round_targets", &Synthetic::round_targets, "reference: round targets to 0 or 1."),
      choice("bit_generator", &Synthetic::bit_generator, generators,
             "philox: a sample's numbers are a function of run.seed and the sample; mt19937, for reference: the "
             "numbers of numpy.random.seed(run.seed) in the reference program's order, without train.shuffle; every "
             "rank draws the whole batch."),
  };
  return single(
      "data.synthetic", "Samples made on the fly.", keys, [](auto& d) -> auto& { return d.data.synthetic; });
}

Section preprocess_section() {
  using Preprocess = data::PreprocessSettings;
  const Choices<data::RawFormat> formats = {{"criteo", data::RawFormat::criteo}, {"table", data::RawFormat::table}};
  const Choices<data::BadRows> bad = {{"stop", data::BadRows::stop}, {"skip", data::BadRows::skip}};
  const Choices<data::ShortRows> shorter = {{"stop", data::ShortRows::stop}, {"pad", data::ShortRows::pad}};
  const Keys<Preprocess> keys = {
      texts(
          "train", &Preprocess::train, Text::filled, {},
          "Raw files to train on, plain or .gz; *, ? and [...] match names, but a path that exists is taken as it is."),
      texts("evaluate", &Preprocess::evaluate, Text::filled, {},
            "Raw files to evaluate; they get the ids of the training files."),
      texts("predict", &Preprocess::predict, Text::filled, {},
            "Raw files of rows to score; labels and weights are not read and may lack: an empty field, a header "
            "without them, or, without a header, rows without the label's field."),
      default_words(text("vocabulary", &Preprocess::vocabulary, Text::path,
                         "Data set of an earlier preprocess, whose ids and transforms all raw files get."),
                    "\"\": the training files teach them; without such files OUTPUT/train.h5"),
      boolean("extend", &Preprocess::extend,
              "Values of the training files that preprocess.vocabulary lacks get the ids behind its own, whose meaning "
              "stays; numbers are transformed as before."),
      choice(
          "format", &Preprocess::format, formats,
          "criteo: label, 13 integers, 26 hexadecimal categories, tabs between; table: as [[preprocess.column]] says."),
      text("output", &Preprocess::output, Text::path, "Folder for train.h5, evaluate.h5 and predict.h5."),
      choice("bad_rows", &Preprocess::bad_rows, bad,
             "stop: end with file and line; skip: leave out, count and report."),
      choice("short_rows", &Preprocess::short_rows, shorter,
             "pad: fill rows whose trailing delimiters were cut with empty fields; stop: they are bad rows."),
      integer("minimum_count", &Preprocess::minimum_count, {1, no_limit}, "rows",
              "Categories seen less often in the training files become id 0, unknown."),
      text("delimiter", &Preprocess::delimiter, Text::letter, "table: the character between fields."),
      boolean("header", &Preprocess::header,
              "table: the first line of each file names the columns, which may stand in any order."),
      boolean("skip_other_columns", &Preprocess::skip_other_columns,
              "table: skip columns of the header that no [[preprocess.column]] names; else they are an error."),
      boolean("trim", &Preprocess::trim, "table: drop spaces around a field."),
      texts("missing", &Preprocess::missing, Text::any, {}, "table: texts that mean a missing value."),
      default_words(number("fill_value", &Preprocess::fill_value, {-1e30, 1e30}, "",
                           "Stands for a missing number, before its transform; a column may have its own."),
                    "unset: the feature is 0, which after standardise is the mean"),
      boolean("missing_indicator", &Preprocess::missing_indicator,
              "Each number NAME has a dense feature NAME_missing behind it, 1 where it is missing and else 0; a column "
              "may say otherwise."),
      number("max_unknown", &Preprocess::max_unknown, {0.0, 1.0}, "",
             "Ends preprocess where more than this share of a category's values in an evaluation file have no id, as "
             "where they are written in another form than the training files'; 1.0 takes all."),
  };
  return single("preprocess", "Raw click logs to HDF5 data sets.", keys, [](auto& d) -> auto& { return d.preprocess; },
                {"column"});
}

Section column_section() {
  using data::Column;
  const Choices<data::ColumnKind> kinds = {
      {"label", data::ColumnKind::label},   {"weight", data::ColumnKind::weight},
      {"number", data::ColumnKind::number}, {"category", data::ColumnKind::category},
      {"key", data::ColumnKind::key},       {"skip", data::ColumnKind::skip}};
  const Choices<data::Transform> transforms = {{"none", data::Transform::none},
                                               {"log1p", data::Transform::log1p},
                                               {"standardise", data::Transform::standardise}};
  const Keys<Column> keys = {
      required(text("name", &Column::name, Text::name,
                    "Name of the column; a category's name becomes a feature's. With a header '*' stands for any text: "
                    "a column for each name that matches and that no other block has, ascending, C2 before C10.")),
      required(choice(
          "kind", &Column::kind, kinds,
          "What the column is; weight: how much a sample counts in the loss and the metrics, a number from 0 on; key: "
          "any text, which is not learnt and stands beside the scores of evaluation files and rows to score.")),
      choice("transform", &Column::transform, transforms,
             "number: log1p of max(x, 0), or (x - mean) / standard deviation of the training files."),
      default_words(number("fill_value", &Column::fill_value, {-1e30, 1e30}, "",
                           "number: stands for a missing one, before the transform."),
                    "preprocess.fill_value"),
      default_words(boolean("missing_indicator", &Column::missing_indicator,
                            "number: a dense feature NAME_missing behind it, 1 where it is missing and else 0."),
                    "preprocess.missing_indicator"),
      texts("positive", &Column::positive, Text::any, {}, "label: texts that mean 1."),
      texts("negative", &Column::negative, Text::any, {}, "label: texts that mean 0; any other text is a bad row."),
  };
  const std::string path = "preprocess.column";
  Section section;
  section.info = {path, "[[" + path + "]]",
                  "One column of a delimited table, in the order of the file where it has no header.", infos(keys)};
  section.read = [=](Deck& deck, const Value& root) {
    const Value* blocks = repeated(root, path, "give one [[preprocess.column]] a column of the table");
    for (std::size_t i = 0; blocks != nullptr && i < blocks->list.size(); ++i)
      read_keys(deck, keys, deck.preprocess.columns.emplace_back(), blocks->list[i], path + "." + std::to_string(i));
  };
  section.write = [=](const Deck& deck, std::string& out) {
    for (const Column& column : deck.preprocess.columns) out += "\n[[" + path + "]]\n" + write_keys(keys, column);
  };
  return section;
}

}  // namespace

std::vector<Section> data_sections() {
  std::vector<Section> sections = {data_section(), synthetic_section()};
  for (const data::SourceType& type : data::source_types()) sections.push_back(source_section(type));
  sections.push_back(preprocess_section());
  sections.push_back(column_section());
  return sections;
}

}  // namespace tesserec::deck
