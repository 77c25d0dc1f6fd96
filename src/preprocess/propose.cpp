// SPDX-License-Identifier: Apache-2.0
// Deck that `tesserec preprocess --propose` writes.
#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "column_facts.hpp"
#include "proposal.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/core/utf8.hpp>
#include <tesserec/preprocess/propose.hpp>
#include <tesserec/raw/field_values.hpp>
#include <tesserec/store/file_list.hpp>
#include <tesserec/verdict/judge.hpp>

namespace tesserec::preprocess {
namespace {

namespace fs = std::filesystem;

bool is_evaluation(const std::string& path) {
  return has_word(fs::path(path).filename().string(), {"test", "eval", "evaluate", "valid", "validation"});
}

std::vector<ColumnFacts> head_facts(const HeadSample& head) {
  const std::vector<std::string> missing = Settings().missing;
  std::vector<ColumnFacts> all;
  for (std::size_t c = 0; c < head.names.size(); ++c) {
    all.push_back(facts_of(head.names[c], head.values[c], missing));
    if (!head.types.empty()) all.back().type = head.types[c];
  }
  return all;
}

/// Returns whether the log has Criteo's form: a label, 13 integers and 26 hexadecimal categories between tabs.
bool is_criteo(const HeadSample& head, const std::vector<ColumnFacts>& facts) {
  if (head.header || head.rules.delimiter != '\t' || facts.size() != 40) return false;
  for (std::size_t c = 1; c < 14; ++c)
    if (facts[c].integers != facts[c].present()) return false;
  const auto is_hexadecimal = [](const std::string& text) {
    return text.size() <= 8 && text.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
  };
  for (std::size_t c = 14; c < 40; ++c)
    if (!std::all_of(head.values[c].begin(), head.values[c].end(), is_hexadecimal)) return false;
  return std::all_of(head.values[0].begin(), head.values[0].end(),
                     [](const std::string& text) { return text == "0" || text == "1"; });
}

/// Returns whether a deck can have the name of a column.
bool is_nameable(const std::string& name) { return name_fault(name).empty() && name.find('*') == std::string::npos; }

/// Returns the column of both files that has another value in each row of the side table, or nothing.
std::vector<std::string> shared_key(const HeadSample& log, const HeadSample& side,
                                    const std::vector<ColumnFacts>& side_facts) {
  for (std::size_t c = 0; c < side.names.size(); ++c) {
    const bool shared = std::find(log.names.begin(), log.names.end(), side.names[c]) != log.names.end();
    if (shared && is_nameable(side.names[c]) && side_facts[c].is_unique() && side_facts[c].missing == 0)
      return {side.names[c]};
  }
  return {};
}

/// Returns the file of an earlier side table that brings the column, or an empty text.
std::string brought_by(const std::vector<ProposedJoin>& joins, const std::string& name) {
  for (const ProposedJoin& join : joins)
    for (const ColumnGuess& guess : join.columns)
      if (guess.column.name == name && guess.column.kind != ColumnKind::skip) return join.head->file.path;
  return "";
}

ProposedJoin join_of(const HeadSample& log, const HeadSample& side, const std::vector<ProposedJoin>& before) {
  const std::vector<ColumnFacts> facts = head_facts(side);
  ProposedJoin join{&side, side.file.path, shared_key(log, side, facts), {}};
  if (join.on.empty())
    fail(
        side.file.path, ": its columns are not those of ", log.file.path,
        ", and no column of both has another value in each of its rows, so it is neither a further part of the log nor "
        "a side table; name files of one log, and side tables with a key column of the same name");
  for (const ColumnFacts& column : facts) {
    if (std::find(log.names.begin(), log.names.end(), column.name) != log.names.end()) continue;
    join.columns.push_back(guess_column(column));
    if (join.columns.back().column.kind == ColumnKind::key) {
      join.columns.back().column.kind = ColumnKind::skip;
      join.columns.back().reason += ", which nothing can be learned from";
    }
    if (const std::string other = brought_by(before, column.name); !other.empty()) {
      join.columns.back().column = {column.name, ColumnKind::skip};
      join.columns.back().reason = concat("the name is that of a column of ", other, "; rename one in its file");
    }
  }
  return join;
}

/// Takes a file as a further part of a side table with the same columns in the same folder: the table's file becomes a
/// pattern for both. Returns false if there is none.
bool is_part(const HeadSample& head, std::vector<ProposedJoin>& joins) {
  const fs::path path(head.file.path);
  for (ProposedJoin& join : joins) {
    const fs::path first(join.head->file.path);
    if (!head.header || head.names != join.head->names || first.parent_path() != path.parent_path()) continue;
    const std::string name = path.filename().string(), other = first.filename().string(),
                      now = join.parts.empty() ? other : fs::path(join.file).filename().string();
    const auto same = std::mismatch(name.begin(), name.end(), now.begin(), now.end()).first - name.begin();
    join.parts.push_back(head.file.path);
    join.file = (path.parent_path() / (name.substr(0, std::size_t(same)) + "*" + path.extension().string())).string();
    return true;
  }
  return false;
}

/// Throws Error if the pattern of a side table's parts names other files than these.
void check_parts(const ProposedJoin& join) {
  if (join.parts.empty()) return;
  std::vector<std::string> parts = join.parts;
  parts.push_back(join.head->file.path);
  for (std::string& part : parts) part = fs::path(part).filename().string();
  const auto no_pattern = [&](const std::string& name, const char* what) {
    fail("side table of ", counted(std::ssize(join.parts) + 1, "part"), ": its pattern ", join.file, what, name,
         "; put the parts of the table, and nothing else, into a folder of their own");
  };
  for (const std::string& path : store::matching_paths(join.file)) {
    const std::string name = fs::path(path).filename().string();
    if (std::erase(parts, name) == 0) no_pattern(name, " also names ");
  }
  if (!parts.empty()) no_pattern(parts.front(), " does not name ");
}

/// Adds texts of evaluation files that begin with one of the label's two texts to it, as ">50K." with ">50K".
void extend_label(const Proposal& proposal, Index label_column, Column& label) {
  if (label.positive.empty()) return;
  const std::string positive = label.positive.front(), negative = label.negative.front();
  for (const HeadSample& head : proposal.heads) {
    if (std::find(proposal.evaluate.begin(), proposal.evaluate.end(), head.file.path) == proposal.evaluate.end())
      continue;
    const auto place = head.header ? std::find(head.names.begin(), head.names.end(), label.name) - head.names.begin()
                                   : std::ptrdiff_t(label_column);
    for (const std::string& text : head.values[std::size_t(place)]) {
      if (text == positive || text == negative || text.starts_with(positive) == text.starts_with(negative)) continue;
      std::vector<std::string>& texts = text.starts_with(positive) ? label.positive : label.negative;
      if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(text);
    }
  }
}

/// Returns the AUC of a column of the log alone, by the labels of its first rows; 0 if too few rows tell.
double auc_alone(const Proposal& proposal, std::size_t column, Index label_column, const Column& label) {
  const std::vector<std::string>&texts = proposal.log().values[column],
        &labels = proposal.log().values[std::size_t(label_column)];
  const bool number = proposal.facts[column].is_numeric();
  std::map<std::string, Index> ids;
  std::vector<verdict::SampledRow> rows;
  for (std::size_t r = 0; r < texts.size(); ++r) {
    double value = 0;
    bool positive = labels[r] == (label.positive.empty() ? "" : label.positive.front());
    if (label.threshold) positive = number_fault(labels[r], value).empty() && value >= *label.threshold;
    verdict::SampledRow& row = rows.emplace_back();
    row.digest = r;
    row.labels[positive ? 1 : 0] = 1;
    if (number) row.dense = {number_fault(texts[r], value).empty() ? float(value) : 0.0F};
    if (!number) row.ids = {ids.emplace(texts[r], std::ssize(ids)).first->second};
    if (!number) row.bag_ends = {1};
  }
  return verdict::lone_auc(rows, number ? 1 : 0, 0);
}

/// Leaves out columns of the log that tell a label, such as how long a clicked video was watched.
void leave_out_leaks(Proposal& proposal, Index label_column) {
  const Column& label = proposal.columns[std::size_t(label_column)].column;
  for (std::size_t c = 0; c < proposal.columns.size(); ++c) {
    ColumnGuess& guess = proposal.columns[c];
    const ColumnKind kind = guess.column.kind;
    if (kind != ColumnKind::number && kind != ColumnKind::category) continue;
    const double auc = auc_alone(proposal, c, label_column, label);
    if (auc <= verdict::leaking_auc) continue;
    guess = {{guess.column.name, ColumnKind::skip},
             concat("tells the label by itself (AUC ", significant(auc, 4),
                    proposal.labels.empty() ? "" : " of " + label.name,
                    "), so it is left out; use it only if it is known before the label is")};
  }
}

Proposal proposal_of(const std::vector<std::string>& paths) {
  Proposal proposal;
  for (const std::string& path : paths) proposal.heads.push_back(read_head(path));
  const HeadSample& log = proposal.log();
  proposal.facts = head_facts(log);
  ColumnGuess label;
  const Index label_column = guess_label(proposal.facts, label);
  std::vector<std::string> labels = proposed_labels(proposal, label_column);
  std::erase_if(labels, [](const std::string& name) { return !is_nameable(name); });
  for (const HeadSample& head : proposal.heads) {
    const bool same = head.has_columns_of(log);
    if (!same && is_part(head, proposal.joins)) continue;
    if (!same && label_column >= 0 && lacks_labels(head, log, labels))
      proposal.predict.push_back(head.file.path);
    else if (!same)
      proposal.joins.push_back(join_of(log, head, proposal.joins));
    else if (&head != &log && is_evaluation(head.file.path))
      proposal.evaluate.push_back(head.file.path);
    else
      proposal.train.push_back(head.file.path);
  }
  for (const ProposedJoin& join : proposal.joins) check_parts(join);
  proposal.criteo = is_criteo(log, proposal.facts);
  if (proposal.criteo) return proposal;
  if (label_column < 0)
    fail(log.file.path, ": no column of the first ", log.rows,
         " rows can be the label: none has two values, and none is ",
         "called rating; write a deck by hand (docs/data.md)");
  for (std::size_t c = 0; c < proposal.facts.size(); ++c) {
    proposal.columns.push_back(Index(c) == label_column ? label : guess_column(proposal.facts[c]));
    if (Index(c) != label_column && std::find(labels.begin(), labels.end(), proposal.facts[c].name) != labels.end())
      proposal.columns.back() = *further_label(proposal.facts[c]);
  }
  if (labels.size() > 1) proposal.labels = labels;
  store_one_time(proposal);
  extend_label(proposal, label_column, proposal.columns[std::size_t(label_column)].column);
  for (std::size_t c = 0; c < proposal.columns.size(); ++c)
    if (proposal.columns[c].column.kind == ColumnKind::label) leave_out_leaks(proposal, Index(c));
  // A side table is found by its key, which must be read.
  for (const ProposedJoin& join : proposal.joins)
    for (ColumnGuess& guess : proposal.columns)
      if (guess.column.name == join.on.front() && guess.column.kind != ColumnKind::category) {
        guess.column = {guess.column.name, ColumnKind::category};
        guess.reason = concat("key of ", join.head->file.path);
      }
  return proposal;
}

/// Drops columns whose names a deck cannot have. A header then finds the others by name.
void drop_unnamed(Proposal& proposal) {
  const auto is_unnamed = [](const ColumnGuess& guess) { return !is_nameable(guess.column.name); };
  for (const ColumnGuess& guess : proposal.columns)
    if (is_unnamed(guess)) proposal.unnamed.push_back(guess.column.name);
  std::erase_if(proposal.columns, is_unnamed);
  for (ProposedJoin& join : proposal.joins) std::erase_if(join.columns, is_unnamed);
}

/// Makes the number with the fewest values a category if there is no category, because a model needs a table.
void need_category(Proposal& proposal) {
  std::size_t best = proposal.columns.size();
  for (std::size_t c = 0; c < proposal.columns.size(); ++c) {
    const ColumnKind kind = proposal.columns[c].column.kind;
    if (kind == ColumnKind::category || kind == ColumnKind::time) return;
    if (kind == ColumnKind::number &&
        (best == proposal.columns.size() || proposal.facts[c].distinct < proposal.facts[best].distinct))
      best = c;
  }
  if (best == proposal.columns.size())
    fail(proposal.log().file.path, ": no column can be learned from; write a deck by hand (docs/data.md)");
  proposal.columns[best].column = {proposal.columns[best].column.name, ColumnKind::category};
  proposal.columns[best].reason =
      concat("no column is a category, and this one has the fewest values, ", proposal.facts[best].distinct);
}

}  // namespace

std::string proposed_deck(const std::vector<std::string>& paths) {
  Proposal proposal = proposal_of(paths);
  if (!proposal.criteo) need_category(proposal);
  drop_unnamed(proposal);
  return deck_text(proposal, paths);
}

}  // namespace tesserec::preprocess
