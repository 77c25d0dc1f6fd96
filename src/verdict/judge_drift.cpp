// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "judge_parts.hpp"

namespace tesserec::verdict {
namespace {

constexpr double sure = 4;              // standard errors beyond which a difference is no chance
constexpr double rate_factor = 1.5;     // factor between click rates that is a drift
constexpr double missing_change = 0.2;  // difference between missing shares that is a drift

/// Returns whether two shares differ by more than chance, as in a test of two proportions.
bool differs(const RowShare& a, const RowShare& b) {
  if (a.rows == 0 || b.rows == 0) return false;
  const double pooled = (a + b).share();
  const double error = std::sqrt(pooled * (1 - pooled) * (1 / double(a.rows) + 1 / double(b.rows)));
  return std::abs(a.share() - b.share()) > sure * error;
}

bool rates_drift(const RowShare& a, const RowShare& b) {
  const auto [low, high] = std::minmax({a.share(), b.share()});
  return differs(a, b) && high > rate_factor * low;
}

bool missing_drifts(const RowShare& a, const RowShare& b) {
  return differs(a, b) && std::abs(a.share() - b.share()) > missing_change;
}

/// Returns the file with the median share among the training files, which one odd file does not move.
template <class ShareOf>
const FileFacts& median_file(const SetFacts& train, const ShareOf& share_of) {
  std::vector<const FileFacts*> files;
  for (const FileFacts& file : train.files) files.push_back(&file);
  const auto middle = files.begin() + (std::ssize(files) - 1) / 2;
  std::nth_element(files.begin(), middle, files.end(),
                   [&](const FileFacts* a, const FileFacts* b) { return share_of(*a).share() < share_of(*b).share(); });
  return **middle;
}

void judge_rates_of(const SetFacts& set, const SetFacts& train, std::vector<Finding>& findings) {
  const auto share_of = [](const FileFacts& file) { return RowShare{file.positives, file.rows - file.unlabelled}; };
  const FileFacts& usual = median_file(train, share_of);
  const double usual_rate = share_of(usual).share();
  for (const FileFacts& file : set.files) {
    const double rate = share_of(file).share();
    if (!rates_drift(share_of(file), share_of(usual))) continue;
    findings.push_back(
        {.severity = Severity::warning,
         .kind = "click_rate_drift",
         .text = concat(file.path, ": ", percent(rate), " of the labels ", label_words(set.label), "are 1, but ",
                        percent(usual_rate), " in ", usual.path, "; check how the file was sampled and labelled"),
         .columns = {},
         .files = {file.path},
         .figures = {{"click_rate", rate}, {"elsewhere", usual_rate}}});
  }
}

void judge_missing(const SetFacts& set, const SetFacts& train, const ColumnNames& columns, std::size_t column,
                   std::vector<Finding>& findings) {
  const auto share_of = [column](const FileFacts& file) {
    return file.missing.empty() ? RowShare{} : RowShare{file.missing[column], file.rows};
  };
  const FileFacts& usual = median_file(train, share_of);
  const double usual_share = share_of(usual).share();
  for (const FileFacts& file : set.files) {
    const double share = share_of(file).share();
    if (!missing_drifts(share_of(file), share_of(usual))) continue;
    findings.push_back({.severity = Severity::warning,
                        .kind = "missing_drift",
                        .text = concat(file.path, ": column ", columns[column], " is missing in ", percent(share),
                                       " of the rows, but in ", percent(usual_share), " of those of ", usual.path,
                                       "; check how the file was written"),
                        .columns = {columns[column]},
                        .files = {file.path},
                        .figures = {{"missing", share}, {"elsewhere", usual_share}}});
  }
}

}  // namespace

void judge_rates(const std::vector<const SetFacts*>& sets, std::vector<Finding>& findings) {
  if (sets.empty() || sets[0]->name != "train" || sets[0]->files.empty()) return;
  for (const SetFacts* set : sets)
    if (set->labelled && sets[0]->labelled) judge_rates_of(*set, *sets[0], findings);
}

void judge_drift(const std::vector<const SetFacts*>& sets, const ColumnNames& columns, std::vector<Finding>& findings) {
  if (sets.empty() || sets[0]->name != "train" || sets[0]->files.empty()) return;
  for (const SetFacts* set : sets) {
    if (set->labelled && sets[0]->labelled) judge_rates_of(*set, *sets[0], findings);
    for (std::size_t column = 0; column < columns.size(); ++column)
      judge_missing(*set, *sets[0], columns, column, findings);
  }
}

}  // namespace tesserec::verdict
