// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>

#include <tesserec/planning/id_frequencies.hpp>

namespace tesserec::planning {
namespace {

/// Number of rows with a class each, and the relative size of every class after them.
constexpr double single = 64, longer = 1.0 / 16;

/// Returns log(1 - share), and -50 for share 1, so that a table of one row is always hit.
double log_other(double share) { return share < 1 ? std::log1p(-share) : -50.0; }

/// Sums k^-s over k in [first, last) by the integral between cell midpoints (first term of Euler-Maclaurin).
double power_sum(double first, double last, double s) {
  const auto integral = [s](double x) {
    return std::abs(1 - s) < 1e-9 ? std::log(x) : std::expm1((1 - s) * std::log(x)) / (1 - s);
  };
  return integral(last - 0.5) - integral(first - 0.5);
}

}  // namespace

IdFrequencies::IdFrequencies(double rows, double exponent, const Popularity* popular) : rows_(rows) {
  double known = 0, rest = 1;  // rows with a known block, and the share of lookups of all other rows
  for (const BlockRows& block_rows : popular ? popular->rows : std::vector<BlockRows>()) {
    classes_.push_back({block_rows.rows, block_rows.share, block_rows.block});
    known += block_rows.rows;
    rest -= block_rows.rows * block_rows.share;
  }
  rest = std::max(rest, 0.0);
  const std::size_t first_other = classes_.size();
  double total = 0;
  for (double first = known + 1; first <= rows;) {
    double count = rows - first + 1;
    if (exponent != 0) count = first <= single ? 1 : std::min(count, std::floor(first * longer));
    const double sum = count == 1 ? std::pow(first, -exponent) : power_sum(first, first + count, exponent);
    classes_.push_back({count, sum / count, scattered});
    total += sum;
    if (first + count == first) break;  // beyond 2^53 a double cannot tell the last rows apart
    first += count;
  }
  for (std::size_t i = first_other; i < classes_.size(); ++i) classes_[i].share *= rest / total;
  std::ranges::stable_sort(classes_, std::ranges::greater{}, &Class::share);
}

double IdFrequencies::rows_with(double share) const {
  double rows = 0;
  for (const Class& row_class : std::ranges::equal_range(classes_, share, std::ranges::greater{}, &Class::share))
    rows += row_class.rows;
  return rows;
}

double IdFrequencies::found(double ids, double share) { return -std::expm1(ids * log_other(share)); }

double IdFrequencies::share_of_most(double rows) const {
  double sum = 0;
  for (const Class& row_class : classes_) {
    const double taken = std::clamp(rows, 0.0, row_class.rows);
    sum += taken * row_class.share;
    rows -= taken;
  }
  return std::min(sum, 1.0);
}

double IdFrequencies::distinct(double ids) const {
  double sum = 0;
  for (const Class& row_class : classes_) sum += row_class.rows * found(ids, row_class.share);
  return sum;
}

double IdFrequencies::as_uniform(double ids) const {
  if (ids <= 1 || classes_.size() == 1) return ids;
  const double found = std::min(1.0, distinct(ids) / rows_);
  return std::clamp(log_other(found) / log_other(1 / rows_), 1.0, ids);
}

}  // namespace tesserec::planning
