// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <utility>

#include "proposal.hpp"
#include <tesserec/core/json.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/core/utf8.hpp>
#include <tesserec/preprocess/settings.hpp>
#include <tesserec/raw/field_values.hpp>
#include <tesserec/raw/times.hpp>

namespace tesserec::preprocess {
namespace {

namespace fs = std::filesystem;

/// Returns a text in quotes, as TOML and JSON have it.
std::string quoted(const std::string& text) { return Json(text).text(); }

std::string quoted_list(const std::vector<std::string>& texts) { return "[" + join(texts, ", ", quoted) + "]"; }

/// Returns a line of a deck with a comment behind it.
std::string line_of(const std::string& text, const std::string& comment = "") {
  constexpr std::size_t width = 40;
  return comment.empty() ? text + "\n" : concat(left(text, width), "  # ", comment, "\n");
}

std::string line_of(const char* key, const std::string& value, const std::string& comment = "") {
  return line_of(concat(key, " = ", value), comment);
}

/// Returns a name for the run, from that of a file.
std::string run_name(const std::string& path) {
  const std::string name = fs::path(path).filename().string();
  std::string stem = name.substr(0, name.find('.'));
  const std::string folder = fs::path(path).parent_path().filename().string();
  if ((stem == "train" || stem == "data" || stem == "log" || stem.starts_with("part-")) && !folder.empty() &&
      folder != "..")
    stem = folder;
  return name_fault(stem).empty() ? stem : "log";
}

std::string column_line(const ColumnGuess& guess) {
  const Column& column = guess.column;
  std::string text = concat("  {name = ", quoted(column.name), ", kind = \"", kind_name(column.kind), "\"");
  if (column.transform != Transform::none) text += concat(", transform = \"", transform_name(column.transform), "\"");
  if (column.missing_indicator) text += ", missing_indicator = true";
  if (!column.separator.empty()) text += ", separator = " + quoted(column.separator);
  if (column.kind == ColumnKind::time) text += concat(", time = ", quoted(column.time));
  if (column.stored) text += ", stored = true";
  if (column.parts != Column().parts) text += ", parts = " + quoted_list(column.parts);
  if (column.threshold) text += ", threshold = " + number_text(*column.threshold);
  if (!column.positive.empty())
    text += ", positive = " + quoted_list(column.positive) + ", negative = " + quoted_list(column.negative);
  return concat("  # ", guess.reason, "\n", text, "},\n");
}

std::string columns_text(const Proposal& proposal) {
  std::string text = "column = [\n";
  for (const ColumnGuess& guess : proposal.columns) text += column_line(guess);
  for (const ProposedJoin& join : proposal.joins) {
    const std::string differences = preprocess::differences(*join.head, proposal.log());
    text += concat("  # of ", join.head->file.path);
    if (!join.brought().empty())
      text += ":\n";
    else if (differences.empty())
      text += ", which brings no column, so it is left out\n";
    else
      text += concat(", which is left out: its columns are not those of ", proposal.log().file.path, differences,
                     "; rows to train on\n  # may lack nothing but labels with optional = true\n");
    for (const ColumnGuess& guess : join.columns)
      text += guess.column.kind == ColumnKind::skip
                  ? concat("  # ", shown(guess.column.name), " is left out: ", guess.reason, "\n")
                  : column_line(guess);
  }
  return text + "]\n";
}

std::string table_text(const Proposal& proposal) {
  const HeadSample& log = proposal.log();
  const TextRules& rules = log.rules;
  std::string text = line_of("format", "\"table\"");
  const std::string delimiter = rules.delimiter == '\t' ? "\\t" : std::string(1, rules.delimiter);
  if (!log.delimiter_reason.empty()) text += line_of("delimiter", "\"" + delimiter + "\"", log.delimiter_reason);
  text += line_of("header", log.header ? "true" : "false", log.header_reason);
  if (!rules.quotes || !log.quotes_reason.empty())
    text += line_of("quotes", rules.quotes ? "true" : "false", log.quotes_reason);
  if (rules.quoted_newlines) text += line_of("quoted_newlines", "true", log.newlines_reason);
  if (!rules.comment.empty()) text += line_of("comment", quoted(rules.comment), log.comment_reason);
  if (!proposal.unnamed.empty())
    text += line_of("skip_other_columns", "true",
                    concat("a deck cannot name ",
                           join(proposal.unnamed, ", ", [](const std::string& name) { return shown(name); })));
  return text + columns_text(proposal);
}

/// Returns a line that leaves out bad rows, if a file other than a side table has some.
std::string bad_rows_text(const Proposal& proposal) {
  for (const HeadSample& head : proposal.heads) {
    if (head.others + head.empty == 0 || proposal.is_side(head)) continue;
    return line_of(
        "bad_rows", "\"skip\"",
        concat(head.file.path, ": ", head.others + head.empty, " of the first ", head.rows + head.others + head.empty,
               " rows have another number of fields", head.empty > 0 ? " or are empty" : ""));
  }
  return "";
}

/// Returns the block that makes evaluation rows, if no file has them.
std::string split_text(const Proposal& proposal) {
  const ProposedSplit& split = proposal.split;
  if (!proposal.evaluate.empty()) return "";
  if (split.by == SplitBy::none)
    return concat("# There is nothing to evaluate: ", split.reason,
                  ". Name a file in evaluate, and in data.evaluate\n# ", "the data set that preprocess makes of it.\n");
  std::string text = "\n[preprocess.split]\n";
  text += line_of("by", split.by == SplitBy::time ? "\"time\"" : "\"hash\"", split.reason);
  if (split.by == SplitBy::time) text += line_of("time", quoted(split.time));
  return text + line_of("fraction", number_text(split.fraction), "of the rows, to evaluate");
}

std::string joins_text(const Proposal& proposal) {
  std::string text;
  for (const ProposedJoin& join : proposal.joins) {
    const std::vector<std::string> columns = join.brought();
    if (columns.empty()) continue;
    text += "\n[[preprocess.join]]\n" + line_of("file", quoted(join.file));
    text += line_of("on", quoted_list(join.on), concat("another value in each of its ", join.head->rows, " rows"));
    text += line_of("columns", quoted_list(columns));
    if (!join.head->file.parquet && join.head->rules.delimiter != proposal.log().rules.delimiter)
      text += line_of("delimiter", quoted(std::string(1, join.head->rules.delimiter)), join.head->delimiter_reason);
  }
  return text;
}

bool has_numbers(const Proposal& proposal) {
  const auto is_number = [](const ColumnGuess& guess) { return guess.column.kind == ColumnKind::number; };
  bool any = proposal.criteo || std::any_of(proposal.columns.begin(), proposal.columns.end(), is_number);
  for (const ProposedJoin& join : proposal.joins)
    any = any || std::any_of(join.columns.begin(), join.columns.end(), is_number);
  return any;
}

/// Returns the number of categories of the log and its side tables, parts of times included.
Index count_categories(const Proposal& proposal) {
  Index count = 0;
  const auto add = [&](const std::vector<ColumnGuess>& columns) {
    for (const ColumnGuess& guess : columns) {
      count += guess.column.kind == ColumnKind::category;
      if (guess.column.kind == ColumnKind::time) count += std::ssize(guess.column.parts);
    }
  };
  add(proposal.columns);
  for (const ProposedJoin& join : proposal.joins) add(join.columns);
  return count;
}

std::string training_text(const Proposal& proposal, const std::string& data) {
  const Index rows = proposal.rows();
  const bool small = rows < 1'000'000;
  Index batch = small ? 256 : 4096;
  while (batch > 8 && batch * 10 > rows) batch /= 2;
  std::string text = "\n[data]\n" + line_of("train", quoted_list({data + "/train.h5"}));
  if (proposal.evaluates()) text += line_of("evaluate", quoted_list({data + "/evaluate.h5"}));
  if (const Column* const time = proposal.stored_time())
    text += concat("# To train in the order of ", time->name,
                   ", choose a window, uncomment the next line and set train.epochs = 1.\n# window = \"1 day\"\n");
  text += "\n[model]\n" + line_of("type", "\"dlrm\"") + line_of("embedding_dim", "16");
  if (has_numbers(proposal)) text += line_of("bottom", "[64, 16]", "ends in embedding_dim");
  constexpr Index most_categories = 200;  // whose 19 900 pairs make a top layer of 5 MiB
  if (const Index categories = count_categories(proposal); categories > most_categories)
    text += line_of("interaction", "\"cat\"",
                    concat(categories, " categories have ", categories * (categories - 1) / 2, " pairs, too many"));
  const std::size_t outputs = std::max<std::size_t>(1, proposal.labels.size());
  if (outputs > 1) text += line_of("tasks", quoted_list(proposal.labels), "labels, of which none may be known before");
  text += line_of("top", concat("[64, 32, ", outputs, "]"), outputs > 1 ? "ends in an output for each label" : "");
  text += "\n[train]\n";
  text += line_of("batch_size", std::to_string(batch), concat("about ", rows, " rows"));
  text += line_of("epochs", small ? "3" : "1");
  text += "\n[optimizer]\n" + line_of("dense", "{type = \"adam\", lr = 0.002}") +
          line_of("sparse", "{type = \"adagrad\", lr = 0.04}");
  return text;
}

}  // namespace

bool Proposal::is_side(const HeadSample& head) const {
  return std::any_of(joins.begin(), joins.end(), [&](const ProposedJoin& join) {
    return join.head == &head || std::find(join.parts.begin(), join.parts.end(), head.file.path) != join.parts.end();
  });
}

const Column* Proposal::stored_time() const {
  const auto found =
      std::find_if(columns.begin(), columns.end(), [](const ColumnGuess& guess) { return guess.column.stored; });
  return found == columns.end() ? nullptr : &found->column;
}

Index Proposal::rows() const {
  if (log().whole && train.size() == 1) return log().rows;
  if (log().file.parquet) {
    Index rows = 0;
    for (const HeadSample& head : heads)
      if (std::find(train.begin(), train.end(), head.file.path) != train.end()) rows += head.all_rows;
    return rows;
  }
  double bytes = 0;
  for (const std::string& path : train)
    bytes += double(fs::file_size(path)) * (log().file.compression != Compression::none ? 3 : 1);
  return log().text == 0 ? log().rows : Index(bytes * double(log().rows) / double(log().text));
}

std::string deck_text(const Proposal& proposal, const std::vector<std::string>& paths) {
  const HeadSample& log = proposal.log();
  const std::string name = run_name(log.file.path), data = "runs/" + name + "/data";
  std::string text = concat(
      "# Deck that `tesserec preprocess --propose ", join(paths, " "), "` guessed from the first\n# ", log.rows,
      " rows of ", log.file.path, log.whole ? ", which are all" : "",
      ". A comment says why. Correct what is wrong, then\n#   tesserec preprocess DECK && tesserec train DECK\n");
  text += "\n[run]\n" + line_of("name", quoted(name)) + "\n[preprocess]\n";
  text += line_of("train", quoted_list(proposal.train));
  if (!proposal.evaluate.empty()) text += line_of("evaluate", quoted_list(proposal.evaluate), "by their names");
  if (!proposal.predict.empty()) text += line_of("predict", quoted_list(proposal.predict), "without the label");
  std::vector<std::string> sets = {"train.h5"};
  if (!proposal.predict.empty()) sets.push_back("predict.h5");
  if (proposal.evaluates()) sets.push_back("evaluate.h5");
  text += line_of("output", quoted(data), "becomes " + join(sets, " and "));
  if (proposal.criteo)
    text += line_of("format", "\"criteo\"", "a label, 13 integers and 26 hexadecimal categories between tabs") +
            line_of("minimum_count", "1", "larger: rarer categories become id 0");
  else
    text += table_text(proposal);
  text += bad_rows_text(proposal);
  return text + split_text(proposal) + joins_text(proposal) + training_text(proposal, data);
}

}  // namespace tesserec::preprocess
