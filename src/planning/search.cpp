// SPDX-License-Identifier: Apache-2.0
// Search for the best assignment. Several styles fill the ranks, to the lowest level that holds all tables, or with the
// capacity of the fastest plan. If no style succeeds, tables take their cheapest options, and pieces are put on the
// least loaded ranks, largest first. Local search follows.
#include <algorithm>
#include <numeric>
#include <span>
#include <tuple>

#include "assignment.hpp"
#include "problem.hpp"

namespace tesserec::planning {
namespace {

constexpr int short_rounds = 40;
constexpr int long_rounds = 600;
constexpr double least_step = 2e-3, capacity_step = 5e-3, capacity_step_of_large = 1.2e-2, search_width = 0.05,
                 least_capacity = 0.3;
/// Most tables for which all styles are tried. With more tables, styles after the first few are tried only while the
/// best plan is more than `good_gap` above the bound.
constexpr std::size_t many_tables = 16, few_styles = 4;
constexpr double good_gap = 0.02;
/// Largest product of tables and ranks with an unlimited number of styles, and that number above it.
constexpr std::size_t huge = 100000, styles_of_huge = 2;

using enum FillStyle::Order;
constexpr FillStyle styles_of_few[] = {{0, 1},
                                       {0.3, 1},
                                       {0.7, 1},
                                       {0, 2},
                                       {0.5, 2},
                                       {0, 0.5},
                                       {0, 1, small_first},
                                       {0.5, 1, small_first},
                                       {0, 2, small_first},
                                       {0, 1, large_first, false},
                                       {0.5, 1, large_first, false}};
constexpr FillStyle styles_of_many[] = {{0.3, 1.5, expensive_first, true, true},
                                        {0.3, 1.5, pieces, true, true},
                                        {0.5, 2, large_first, true, true},
                                        {0.7, 1.5, expensive_first, true, true},
                                        {0.3, 1, pieces, true, true},
                                        {0, 1},
                                        {0.3, 1},
                                        {0.7, 1, expensive_first, true, true},
                                        {0.3, 1, large_first, true, true},
                                        {0, 1, small_first, true, true},
                                        {0.5, 1, small_first, true, true},
                                        {0, 1, large_first, false, true},
                                        {0.5, 1, large_first, false, true}};

/// Chooses for each table the option of least total without a piece above `limit`, else that of the smallest piece.
/// `on_nodes`: prefers options of nodes.
std::vector<std::size_t> choose(const Problem& problem, double limit, bool on_nodes = false) {
  std::vector<std::size_t> chosen;
  for (const auto& options : problem.options) {
    const auto key = [&](const Option& option) {
      const bool large = option.max_seconds > limit, elsewhere = on_nodes && option.owner_rule != OwnerRule::node;
      return std::tuple(elsewhere, large, large ? option.max_seconds : option.total);
    };
    std::size_t best = 0;
    for (std::size_t o = 1; o < options.size(); ++o)
      if (key(options[o]) < key(options[best])) best = o;
    chosen.push_back(best);
  }
  return chosen;
}

void fill(Assignment& assignment, const std::vector<std::size_t>& chosen) {
  const auto& options = assignment.problem().options;
  const auto place = [&](std::size_t t) {
    const Option& option = options[t][chosen[t]];
    return std::pair(option.owner_rule != OwnerRule::fixed, -option.max_seconds);
  };
  for (const std::size_t t : ordered_by(chosen.size(), place)) assignment.place(t, chosen[t]);
}

/// Minimizes f over [low, high] by golden-section search, until the interval is below `step` times its end.
template <class F>
void golden_section(double low, double high, double step, const F& f) {
  constexpr double golden_section = 0.6180339887498949;
  double left = high - golden_section * (high - low), right = low + golden_section * (high - low);
  double at_left = f(left), at_right = f(right);
  while (high - low > step * high) {
    if (at_left < at_right) {
      high = right;
      right = left;
      at_right = at_left;
      at_left = f(left = high - golden_section * (high - low));
    } else {
      low = left;
      left = right;
      at_left = at_right;
      at_right = f(right = low + golden_section * (high - low));
    }
  }
}

/// Best choices so far, and the ways to improve them.
class Search {
 public:
  Search(Problem& problem, double bound) : problem_(problem), bound_(bound) {}

  bool found() const { return !best_.empty(); }
  double worst() const { return score_.worst; }
  const std::vector<Choice>& best() const { return best_; }
  bool good_enough() const { return found() && score_.missing <= 0 && score_.worst <= bound_ * (1 + close_enough); }

  /// Fills the ranks by the style. Starts from the result of the preceding style.
  void fill(const FillStyle& style) { style.capacities ? best_capacity(style) : lowest_level(style); }

  void improve(Assignment& assignment, int rounds) {
    lighten(assignment, bound_, rounds);
    take_if_better(assignment.choices(), assignment.score());
  }

  void improve_best() {
    Assignment assignment(problem_);
    for (std::size_t t = 0; t < best_.size(); ++t) assignment.put(t, best_[t]);
    improve(assignment, long_rounds);
  }

 private:
  bool take_if_better(const std::vector<Choice>& choices, const Score& score) {
    if (found() && !(score < score_)) return false;
    best_ = choices;
    score_ = score;
    return true;
  }

  /// Searches by bisection for the lowest level to which the ranks can be filled.
  void lowest_level(const FillStyle& style) {
    Load reserved;
    const auto fills = [&](double level) {
      return keep([&] { return fill_to_level(problem_, level, style, reserved); }) < infinity;
    };
    double low = bound_, high = found() ? score_.worst * (1 - least_step) : 0;
    if (!found())
      for (double step = 0.02; step < 40 && !fills(high = bound_ * (1 + step)); step *= 2) low = high;
    else if (!fills(high))
      return;
    while (high - low > least_step * high) {
      const double middle = 0.5 * (low + high);
      (fills(middle) ? high : low) = middle;
      high = std::min(high, score_.worst);
    }
  }

  /// Searches for the best capacity of a rank. Too small a value cuts tables too often, and too large a value leaves
  /// ranks idle.
  void best_capacity(const FillStyle& style) {
    const auto worst = [&](double capacity) {
      const double before = found() ? score_.worst : infinity;
      const double seconds = keep([&] { return fill_capacities(problem_, capacity, style); });
      if (seconds < before && style.order != pieces) capacity_ = capacity;
      return seconds;
    };
    const double half_width = style.order == pieces ? 2 * search_width : search_width;
    double low = capacity_ * (1 - half_width), high = capacity_ * (1 + half_width);
    if (capacity_ == 0) {
      const double least = bound_ - problem_.base;
      for (double step = 0; step < 40 && capacity_ == 0; step = 2 * step + 0.02) worst(high = least * (1 + step));
      if (capacity_ == 0) return;
      low = least_capacity * high;
    }
    golden_section(low, high, problem_.large ? capacity_step_of_large : capacity_step, worst);
  }

  /// Returns the worst load of the choices that `fill` makes, and keeps them if they are the best.
  template <class Fill>
  double keep(const Fill& fill) {
    std::vector<std::size_t> before;
    for (const auto& options : problem_.options) before.push_back(options.size());
    const std::vector<Choice> filled = fill();
    if (filled.empty()) return infinity;
    const Score score = score_of(problem_, filled);
    if (!take_if_better(filled, score))  // removes the options that these choices added
      for (std::size_t t = 0; t < before.size(); ++t) problem_.options[t].resize(before[t]);
    return score.worst;
  }

  Problem& problem_;
  double bound_;
  std::vector<Choice> best_;
  Score score_;
  double capacity_ = 0;  ///< best capacity so far, except for Order::pieces
};

}  // namespace

std::vector<Choice> search(Problem& problem, double bound) {
  Search search(problem, bound);
  const bool many = problem.options.size() > many_tables;
  const bool nodes = std::ranges::any_of(problem.options, [](const auto& options) {
    return options.size() > 1 && std::ranges::count(options, OwnerRule::node, &Option::owner_rule) > 0;
  });
  const std::size_t size = problem.options.size() * std::size_t(problem.ranks);
  std::size_t tried = 0;
  for (const FillStyle& style : many ? std::span<const FillStyle>(styles_of_many) : styles_of_few) {
    if (many && size > huge && tried >= styles_of_huge) break;
    if (many && tried >= few_styles && search.worst() <= bound * (1 + good_gap)) break;
    if (!style.on_nodes && !nodes) break;
    search.fill(style);
    if (search.good_enough()) return search.best();
    ++tried;
  }
  if (!search.found())
    for (const double share : {1.0, 1.15, 0.5, 0.0}) {
      Assignment assignment(problem);
      fill(assignment, choose(problem, share * (bound - problem.base)));
      search.improve(assignment, short_rounds);
    }
  // Table by table, an option on a node looks worse than single ranks with free capacity. This start uses such options
  // for all tables.
  if (nodes) {
    Assignment assignment(problem);
    fill(assignment, choose(problem, infinity, true));
    search.improve(assignment, short_rounds);
  }
  search.improve_best();
  return search.best();
}

}  // namespace tesserec::planning
