// SPDX-License-Identifier: Apache-2.0
// Evaluation rows of a deck that is proposed.
#include <algorithm>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <utility>

#include "proposal.hpp"
#include <tesserec/core/text.hpp>
#include <tesserec/raw/field_values.hpp>

namespace tesserec::preprocess {
namespace {

/// Returns how many of the training files' first rows differ in the columns that are read, at most `most`. A hash
/// draws equal rows together.
Index different_rows(const Proposal& proposal, Index most) {
  std::set<std::string> rows;
  for (const HeadSample& head : proposal.heads) {
    if (std::find(proposal.train.begin(), proposal.train.end(), head.file.path) == proposal.train.end()) continue;
    std::vector<std::size_t> read;
    for (std::size_t c = 0; c < head.names.size(); ++c) {
      const auto skips = [&](const ColumnGuess& guess) {
        return guess.column.name == head.names[c] && guess.column.kind == ColumnKind::skip;
      };
      if (std::none_of(proposal.columns.begin(), proposal.columns.end(), skips)) read.push_back(c);
    }
    for (std::size_t r = 0; r < std::size_t(head.rows) && std::ssize(rows) < most; ++r) {
      std::string row;
      for (const std::size_t c : read) row += head.values[c][r] + '\0';
      rows.insert(std::move(row));
    }
  }
  return std::ssize(rows);
}

/// Returns whether a split by the time leaves rows to train on: not if nearly all rows have the first time.
bool divides(const Proposal& proposal, const Column& time, double fraction) {
  const HeadSample& log = proposal.log();
  if (!log.whole || proposal.train.size() > 1) return true;
  const auto place = std::size_t(std::find(log.names.begin(), log.names.end(), time.name) - log.names.begin());
  Index first = std::numeric_limits<Index>::max(), rows = 0;
  for (const std::string& text : log.values[place]) {
    ParsedTime parsed;
    if (!parse_time(text, time.time, parsed)) return true;  // A row without a time stays to train.
    if (parsed.instant < first) rows = 0;
    first = std::min(first, parsed.instant);
    rows += parsed.instant == first;
  }
  return log.rows - rows >= std::max(Index(fraction * double(log.rows) + 0.5), Index{1});
}

/// Returns the latest moment that the first rows of the log have in a column, microseconds since 1970.
Index last_moment(const Proposal& proposal, std::size_t column) {
  Index last = std::numeric_limits<Index>::min();
  for (const std::string& text : proposal.log().values[column])
    if (ParsedTime parsed; parse_time(text, proposal.columns[column].column.time, parsed))
      last = std::max(last, parsed.instant);
  return last;
}

}  // namespace

std::vector<std::size_t> times_by_last(const Proposal& proposal) {
  std::vector<std::pair<Index, std::size_t>> times;
  for (std::size_t c = 0; c < proposal.columns.size(); ++c)
    if (proposal.columns[c].column.kind == ColumnKind::time) times.emplace_back(last_moment(proposal, c), c);
  std::ranges::stable_sort(times, std::greater(), &std::pair<Index, std::size_t>::first);
  std::vector<std::size_t> numbers;
  for (const auto& [last, c] : times) numbers.push_back(c);
  return numbers;
}

void choose_split(Proposal& proposal) {
  if (!proposal.evaluate.empty()) return;
  ProposedSplit& split = proposal.split;
  const std::vector<std::size_t> times = times_by_last(proposal);
  const Column* const time = times.empty() ? nullptr : &proposal.columns[times[0]].column;
  if (time != nullptr && divides(proposal, *time, split.fraction)) {
    split.by = SplitBy::time;
    split.time = time->name;
    split.reason = "train on the past, evaluate on what came later";
    return;
  }
  constexpr double may_be_empty = 1e-6;  // largest probability that the draw leaves no row to evaluate
  constexpr Index enough = 1000;
  const Index rows = different_rows(proposal, enough);
  split.reason =
      time == nullptr ? "no column is a time, so rows are drawn" : "nearly all rows have one time, so rows are drawn";
  for (const double fraction : {0.1, 0.2, 0.3, 0.5}) {
    double empty = 1;  // probability
    for (Index row = 0; row < rows; ++row) empty *= 1 - fraction;
    if (empty > may_be_empty) continue;
    split.by = SplitBy::hash;
    split.fraction = fraction;
    return;
  }
  split.reason = concat("only ", rows, " different rows, too few to draw some");
}

}  // namespace tesserec::preprocess
