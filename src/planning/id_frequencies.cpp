// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <tesserec/planning/id_frequencies.hpp>

namespace tesserec::planning {
namespace {

/// Rows that have a class of their own, and how much longer each class behind them is.
constexpr double single = 64, longer = 1.0 / 16;

/// log(1 - share); a table of one row has it always.
double log_other(double share) { return share < 1 ? std::log1p(-share) : -50.0; }

/// Sum of k^-s over k in [first, last), by the integral between the middles of the cells (Euler-Maclaurin's first
/// term).
double power_sum(double first, double last, double s) {
  const auto integral = [s](double x) {
    return std::abs(1 - s) < 1e-9 ? std::log(x) : std::expm1((1 - s) * std::log(x)) / (1 - s);
  };
  return integral(last - 0.5) - integral(first - 0.5);
}

}  // namespace

IdFrequencies::IdFrequencies(double rows, double exponent) : rows_(rows) {
  if (exponent == 0) {
    classes_.push_back({rows, 1 / rows});
    return;
  }
  double total = 0;
  for (double first = 1; first <= rows;) {
    const double count = first <= single ? 1 : std::min(rows - first + 1, std::floor(first * longer));
    const double sum = count == 1 ? std::pow(first, -exponent) : power_sum(first, first + count, exponent);
    classes_.push_back({count, sum / count});
    total += sum;
    if (first + count == first) break;  // beyond 2^53 the last rows of a table are one number
    first += count;
  }
  for (Class& one : classes_) one.share /= total;
}

double IdFrequencies::distinct(double ids, double hot) const {
  double sum = 0;
  for (const Class& one : classes_) {
    if (hot <= 0) break;
    sum -= std::min(hot, one.rows) * std::expm1(ids * log_other(one.share));
    hot -= one.rows;
  }
  return sum;
}

double IdFrequencies::share(double hot) const {
  double sum = 0;
  for (const Class& one : classes_) {
    if (hot <= 0) break;
    sum += std::min(hot, one.rows) * one.share;
    hot -= one.rows;
  }
  return std::min(1.0, sum);
}

double IdFrequencies::as_uniform(double ids) const {
  if (ids <= 1 || classes_.size() == 1) return ids;
  const double found = std::min(1.0, distinct(ids) / rows_);
  return std::clamp(log_other(found) / log_other(1 / rows_), 1.0, ids);
}

}  // namespace tesserec::planning
