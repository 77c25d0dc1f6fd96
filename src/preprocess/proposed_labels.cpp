// SPDX-License-Identifier: Apache-2.0
// Labels and times of a log that is in several files.
#include <algorithm>
#include <iterator>
#include <set>

#include "proposal.hpp"
#include <tesserec/raw/times.hpp>

namespace tesserec::preprocess {
namespace {

/// Returns whether no row that was read lacks the column. Files without the column do not count.
bool is_complete(const Proposal& proposal, const std::string& name) {
  const std::vector<std::string> missing = Settings().missing;
  const auto is_missing = [&](const std::string& text) {
    return std::find(missing.begin(), missing.end(), text) != missing.end();
  };
  for (const HeadSample& head : proposal.heads)
    for (std::size_t c = 0; c < head.names.size(); ++c)
      if (head.names[c] == name && std::any_of(head.values[c].begin(), head.values[c].end(), is_missing)) return false;
  return true;
}

/// Returns whether all rows of the files with the log's columns were read, and the times of a column are of one day.
bool is_of_one_day(const Proposal& proposal, const Column& column) {
  std::set<Index> days;  // as written, like the parts weekday and day
  for (const HeadSample& head : proposal.heads) {
    if (!head.has_columns_of(proposal.log())) continue;
    if (!head.whole) return false;
    for (std::size_t c = 0; c < head.names.size(); ++c)
      for (const std::string& text : head.names[c] == column.name ? head.values[c] : std::vector<std::string>())
        if (ParsedTime time; parse_time(text, column.time, time)) days.insert(time.date);
  }
  return days.size() == 1;
}

}  // namespace

bool HeadSample::has_columns_of(const HeadSample& log) const {
  if (header != log.header || names.size() != log.names.size()) return false;
  return !header || std::is_permutation(names.begin(), names.end(), log.names.begin());
}

bool lacks_labels(const HeadSample& head, const HeadSample& log, const std::vector<std::string>& labels) {
  if (!head.header || !log.header) return false;
  std::vector<std::string> wanted = log.names, names = head.names;
  for (const std::string& label : labels) std::erase(wanted, label);
  std::sort(wanted.begin(), wanted.end());
  std::sort(names.begin(), names.end());
  return names == wanted;
}

std::vector<std::string> proposed_labels(const Proposal& proposal, Index label_column) {
  if (label_column < 0) return {};
  const HeadSample& log = proposal.log();
  const std::string& label = log.names[std::size_t(label_column)];
  std::vector<std::string> candidates;
  for (std::size_t c = 0; c < proposal.facts.size(); ++c)
    if (Index(c) != label_column && further_label(proposal.facts[c])) candidates.push_back(log.names[c]);
  std::vector<std::string> further = candidates;
  for (const HeadSample& head : proposal.heads) {
    const auto has = [&](const std::string& name) {
      return std::find(head.names.begin(), head.names.end(), name) != head.names.end();
    };
    std::vector<std::string> lacking = {label};
    std::copy_if(candidates.begin(), candidates.end(), std::back_inserter(lacking),
                 [&](const std::string& name) { return !has(name); });
    // A column of rows to predict is known before their label.
    if (lacks_labels(head, log, lacking)) std::erase_if(further, has);
    for (std::size_t c = 0; head.has_columns_of(log) && c < log.names.size(); ++c)
      if (!std::all_of(head.values[c].begin(), head.values[c].end(),
                       [](const std::string& text) { return text == "0" || text == "1"; }))
        std::erase(further, head.names[c]);
  }
  further.insert(further.begin(), label);
  return further;
}

void choose_parts(Proposal& proposal) {
  for (ColumnGuess& guess : proposal.columns) {
    if (guess.column.kind != ColumnKind::time || !is_of_one_day(proposal, guess.column)) continue;
    for (const char* part : {"weekday", "day"}) std::erase(guess.column.parts, part);
    guess.reason += "; all rows are of one day: add weekday and day to parts when there are more";
  }
}

void store_one_time(Proposal& proposal) {
  bool found = false;
  for (const std::size_t c : times_by_last(proposal)) {
    ColumnGuess& guess = proposal.columns[c];
    guess.column.stored = guess.column.stored && !found && is_complete(proposal, guess.column.name);
    if (!guess.column.stored) continue;
    found = true;
    guess.reason += "; no row that was read lacks it: remove stored if others do";
  }
  for (ProposedJoin& join : proposal.joins)
    for (ColumnGuess& guess : join.columns) guess.column.stored = false;
}

}  // namespace tesserec::preprocess
