// SPDX-License-Identifier: Apache-2.0
// Deck that `tesserec preprocess --propose` writes.
#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "column_facts.hpp"
#include "proposal.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/json.hpp>
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

/// Returns the AUC of a column of the log alone, by the labels of its first rows; 0 if too few rows tell. `texts`: its
/// texts. `number`: whether the model reads it as a number.
double auc_alone(const Proposal& proposal, const std::vector<std::string>& texts, bool number, Index label_column,
                 const Column& label) {
  const std::vector<std::string>& labels = proposal.log().values[std::size_t(label_column)];
  std::map<std::string, Index> ids;
  std::vector<verdict::SampledRow> rows;
  for (std::size_t r = 0; r < texts.size(); ++r) {
    double value = 0;
    bool positive = std::ranges::find(label.positive, labels[r]) != label.positive.end();
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

/// Returns for each text whether it is a value or a missing one, as a missing indicator does.
std::vector<std::string> presence_of(const std::vector<std::string>& texts) {
  const std::vector<std::string> missing = Settings().missing;
  std::vector<std::string> presence;
  for (const std::string& text : texts)
    presence.emplace_back(std::find(missing.begin(), missing.end(), text) == missing.end() ? "value" : "missing");
  return presence;
}

/// Leaves out columns of the log that tell a label, such as how long a clicked video was watched.
void leave_out_leaks(Proposal& proposal, Index label_column) {
  const Column& label = proposal.columns[std::size_t(label_column)].column;
  for (std::size_t c = 0; c < proposal.columns.size(); ++c) {
    ColumnGuess& guess = proposal.columns[c];
    const ColumnKind kind = guess.column.kind;
    if (kind != ColumnKind::number && kind != ColumnKind::category) continue;
    const std::vector<std::string>& texts = proposal.log().values[c];
    double auc = auc_alone(proposal, texts, kind == ColumnKind::number, label_column, label);
    if (guess.column.missing_indicator)
      auc = std::max(auc, auc_alone(proposal, presence_of(texts), false, label_column, label));
    if (auc <= verdict::leaking_auc) continue;
    guess = {{guess.column.name, ColumnKind::skip},
             concat("tells the label by itself (AUC ", significant(auc, 4),
                    proposal.labels.empty() ? "" : " of " + label.name,
                    "), so it is left out; use it only if it is known before the label is")};
  }
}

/// Throws Error if a deck cannot have the name of the label.
void require_label_name(const HeadSample& log, const std::string& name) {
  if (is_nameable(name)) return;
  const std::string fault = name_fault(name);
  fail(log.file.path, ": the label is probably the column ", shown(name), ", but ",
       fault.empty() ? "it contains '*'" : fault, ", so a deck cannot name it; rename the column in the files");
}

/// Throws Error if a label has a text that is not UTF-8, which a deck cannot have.
void require_label_texts(const HeadSample& log, const Column& label) {
  constexpr const char* replacement = "\uFFFD";  // by which Json replaces bytes that are not UTF-8
  for (const auto* texts : {&label.positive, &label.negative})
    for (const std::string& text : *texts)
      if (Json(text).text().find(replacement) != std::string::npos && text.find(replacement) == std::string::npos)
        fail(log.file.path, ": the label ", shown(label.name), " has the text ", shown(text),
             ", which is not UTF-8, so a deck cannot have it; convert the files, e.g. with `iconv -f LATIN1 -t UTF-8`");
}

/// Makes the first file whose name does not say that it is to evaluate the log, if it has the columns of the first one.
void find_log(std::vector<HeadSample>& heads) {
  const HeadSample& first = heads.front();
  if (!is_evaluation(first.file.path)) return;
  const auto log = std::find_if(heads.begin() + 1, heads.end(), [&](const HeadSample& head) {
    const auto has = [&](const std::string& name) {
      return std::find(head.names.begin(), head.names.end(), name) != head.names.end();
    };
    if (is_evaluation(head.file.path) || head.header != first.header) return false;
    return head.header ? std::all_of(first.names.begin(), first.names.end(), has) : head.has_columns_of(first);
  });
  if (log != heads.end()) std::rotate(heads.begin(), log, log + 1);
}

Proposal proposal_of(const std::vector<std::string>& paths) {
  Proposal proposal;
  for (const std::string& path : store::list_files(paths, "--propose")) proposal.heads.push_back(read_head(path));
  find_log(proposal.heads);
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
  share_rules(proposal);
  if (proposal.criteo) return proposal;
  if (label_column < 0)
    fail(log.file.path, ": no column of the first ", log.rows,
         " rows can be the label: none has two values, and none is called rating",
         log.header ? "" : concat(" (there is no header, since ", log.header_reason, ")"),
         "; write a deck by hand (docs/data.md)");
  require_label_name(log, log.names[std::size_t(label_column)]);
  for (std::size_t c = 0; c < proposal.facts.size(); ++c) {
    proposal.columns.push_back(Index(c) == label_column ? label : guess_column(proposal.facts[c]));
    if (Index(c) != label_column && std::find(labels.begin(), labels.end(), proposal.facts[c].name) != labels.end())
      proposal.columns.back() = *further_label(proposal.facts[c]);
  }
  if (labels.size() > 1) proposal.labels = labels;
  store_one_time(proposal);
  choose_parts(proposal);
  extend_label(proposal, label_column, proposal.columns[std::size_t(label_column)].column);
  for (std::size_t c = 0; c < proposal.columns.size(); ++c)
    if (proposal.columns[c].column.kind == ColumnKind::label) {
      require_label_texts(log, proposal.columns[c].column);
      leave_out_leaks(proposal, Index(c));
    }
  // A side table is found by its key, which must be read.
  const auto is_read = [](ColumnKind kind) { return kind == ColumnKind::category || kind == ColumnKind::key; };
  for (const ProposedJoin& join : proposal.joins)
    for (ColumnGuess& guess : proposal.columns)
      if (!join.brought().empty() && guess.column.name == join.on.front() && !is_read(guess.column.kind)) {
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
  std::erase_if(proposal.facts, [](const ColumnFacts& facts) { return !is_nameable(facts.name); });
  for (ProposedJoin& join : proposal.joins) std::erase_if(join.columns, is_unnamed);
}

/// Makes the number with the fewest values a category if there is no category, because a model needs a table.
void need_category(Proposal& proposal) {
  std::size_t best = proposal.columns.size();
  for (std::size_t c = 0; c < proposal.columns.size(); ++c) {
    const auto& column = proposal.columns[c].column;
    const ColumnKind kind = column.kind;
    if (kind == ColumnKind::category || (kind == ColumnKind::time && !column.parts.empty())) return;
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
  drop_unnamed(proposal);
  if (!proposal.criteo) need_category(proposal);
  choose_split(proposal);
  return deck_text(proposal, paths);
}

}  // namespace tesserec::preprocess
