// SPDX-License-Identifier: Apache-2.0
// Evaluation rows of a deck that is proposed.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <limits>
#include <set>
#include <string>
#include <tuple>

#include "proposal.hpp"
#include <tesserec/core/text.hpp>
#include <tesserec/raw/times.hpp>

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

/// Returns the texts of the log's first rows in a column.
const std::vector<std::string>& texts_of(const Proposal& proposal, const Column& column) {
  const HeadSample& log = proposal.log();
  return log.values[std::size_t(std::ranges::find(log.names, column.name) - log.names.begin())];
}

/// Returns whether a split by the time leaves rows to train on: not if nearly all rows have the first time.
bool divides(const Proposal& proposal, const Column& time) {
  const HeadSample& log = proposal.log();
  if (!log.whole || proposal.train.size() > 1) return true;
  Index first = std::numeric_limits<Index>::max(), rows = 0;
  for (const std::string& text : texts_of(proposal, time)) {
    ParsedTime parsed;
    if (!parse_time(text, time.time, parsed)) return true;  // A row without a time stays to train.
    if (parsed.instant < first) rows = 0;
    first = std::min(first, parsed.instant);
    rows += parsed.instant == first;
  }
  return log.rows - rows >= std::max(Index(proposal.split.fraction * double(log.rows) + 0.5), Index{1});
}

/// Returns the latest moment that the first rows of the log have in a column, microseconds since 1970.
Index last_moment(const Proposal& proposal, const Column& time) {
  Index last = std::numeric_limits<Index>::min() + 1;
  for (const std::string& text : texts_of(proposal, time))
    if (ParsedTime parsed; parse_time(text, time.time, parsed)) last = std::max(last, parsed.instant);
  return last;
}

/// Returns the time of the last write to the log, microseconds since 1970.
Index written(const Proposal& proposal) {
  const auto time = std::chrono::file_clock::to_sys(std::filesystem::last_write_time(proposal.log().file.path));
  return std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch()).count();
}

}  // namespace

std::vector<std::size_t> times_by_last(const Proposal& proposal) {
  std::vector<std::tuple<bool, bool, Index, std::size_t>> times;  // behind the file's, divides nothing, -last, number
  for (std::size_t c = 0; c < proposal.columns.size(); ++c) {
    const Column& column = proposal.columns[c].column;
    if (column.kind != ColumnKind::time) continue;
    const Index last = last_moment(proposal, column);
    times.emplace_back(last > written(proposal), !divides(proposal, column), -last, c);
  }
  std::ranges::sort(times);
  std::vector<std::size_t> numbers;
  for (const auto& time : times) numbers.push_back(std::get<std::size_t>(time));
  return numbers;
}

void choose_split(Proposal& proposal) {
  if (!proposal.evaluate.empty()) return;
  ProposedSplit& split = proposal.split;
  const std::vector<std::size_t> times = times_by_last(proposal);
  const Column* const time = times.empty() ? nullptr : &proposal.columns[times[0]].column;
  if (time != nullptr && divides(proposal, *time)) {
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
