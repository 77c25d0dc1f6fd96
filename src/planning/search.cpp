// SPDX-License-Identifier: Apache-2.0
// The ranks are filled by several styles of cutting tables into what room is left: up to the lowest level at which all
// tables find room, or with the room beside what tables cost every rank whose plan is the fastest. Where none fills
// them, every table takes its cheapest option and pieces go, the largest first, to the ranks with the least load. Then
// local search.
#include <algorithm>
#include <numeric>
#include <span>
#include <tuple>

#include "assignment.hpp"
#include "descent.hpp"
#include "local_search.hpp"
#include "problem.hpp"

namespace tesserec::planning {
namespace {

constexpr int short_rounds = 40;
constexpr int long_rounds = 600;
constexpr double least_step = 2e-3, room_step = 5e-3, room_step_of_large = 1.2e-2, near = 0.05, least_room = 0.3;
/// With more tables than this, styles beyond the first few are tried only while the plan is that far above the bound.
constexpr std::size_t many_tables = 16, few_styles = 5, most_styles_of_large = 3, tables_by_ranks_for_one = 100000;
constexpr double far = 0.06;
/// Of a search by prices: what is added to the room, until there is enough of it, and how many fillings are tried.
constexpr double more_room = 0.02, most_more_room = 1;
constexpr double fillings_times_tables = 3e4;
constexpr int most_starts = 3, fillings_of_start = 60, least_fillings = 30;

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
constexpr FillStyle styles_of_many[] = {{0.3, 1.5, dear_first, true, true},
                                        {0.5, 2, large_first, true, true},
                                        {0.7, 1.5, dear_first, true, true},
                                        {0, 1},
                                        {0.3, 1},
                                        {0.7, 1, dear_first, true, true},
                                        {0.3, 1, large_first, true, true},
                                        {0, 1, small_first, true, true},
                                        {0.5, 1, small_first, true, true},
                                        {0, 1, large_first, false, true},
                                        {0.5, 1, large_first, false, true}};

/// Options of the least total without a piece above `limit`, or of the smallest pieces; `on_nodes`: of those of nodes,
/// where there are any.
std::vector<std::size_t> choose(const Problem& problem, double limit, bool on_nodes = false) {
  std::vector<std::size_t> chosen;
  for (const auto& options : problem.options) {
    const auto key = [&](const Option& option) {
      const bool large = option.biggest > limit, elsewhere = on_nodes && option.owner_rule != OwnerRule::node;
      return std::tuple(elsewhere, large, large ? option.biggest : option.total);
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
  std::vector<std::size_t> order(chosen.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto size = [&](std::size_t t) { return options[t][chosen[t]].biggest; };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const bool fixed_a = options[a][chosen[a]].owner_rule == OwnerRule::fixed;
    const bool fixed_b = options[b][chosen[b]].owner_rule == OwnerRule::fixed;
    return fixed_a != fixed_b ? fixed_a : size(a) > size(b);
  });
  for (const std::size_t t : order) assignment.place(t, chosen[t]);
}

/// The best choices so far.
class Search {
 public:
  Search(Problem& problem, double bound) : problem_(problem), bound_(bound) {}

  bool found() const { return !best_.empty(); }
  double worst() const { return standing_.worst; }
  const std::vector<Choice>& best() const { return best_; }
  bool good_enough() const {
    return found() && standing_.missing <= 0 && standing_.worst <= bound_ * (1 + close_enough);
  }

  /// Fills the ranks by the style, from where the last one came to.
  void fill(const FillStyle& style) { style.rooms ? best_room(style) : lowest_level(style); }

  /// From these on.
  void start(const std::vector<Choice>& choices) {
    const Outcome outcome = planning::outcome(problem_, choices);
    best_ = choices;
    standing_ = {outcome.missing, outcome.worst, 0};
  }

  /// Goes from these prices to those whose filling is the best, by about `most` fillings; how many it took.
  int by_prices(const Prices& prices, int most) {
    int fillings = 0;
    const auto worst = [&](const Prices& at) {
      ++fillings;
      const double cut = keep([&] { return fill_by_prices(problem_, at, false); });
      if (cut <= standing_.worst * (1 + far)) return cut;
      ++fillings;
      return std::min(cut, keep([&] { return fill_by_prices(problem_, at, true); }));
    };
    // With too little room tables are cut into many small pieces, if at all.
    Prices start = prices, next = prices;
    double least = worst(next);
    for (double more = more_room; more < most_more_room; more *= 1.5) {
      next.room = prices.room * (1 + more);
      const double found = worst(next);
      if (found >= least && least <= standing_.worst * (1 + far)) break;
      if (found < least) {
        least = found;
        start = next;
      }
    }
    descend(start, least, worst, most - fillings);
    return fillings;
  }

  void improve(Assignment& assignment, int rounds) {
    lighten(assignment, bound_, rounds);
    take_if_better(assignment.choices(), assignment.standing());
  }

  void improve_best() {
    Assignment assignment(problem_);
    for (std::size_t t = 0; t < best_.size(); ++t) assignment.put(t, best_[t]);
    improve(assignment, long_rounds);
  }

 private:
  /// Returns whether these became the best.
  bool take_if_better(const std::vector<Choice>& choices, const Standing& standing) {
    if (found() && !(standing < standing_)) return false;
    best_ = choices;
    standing_ = standing;
    return true;
  }

  /// The least level up to which the ranks can be filled.
  void lowest_level(const FillStyle& style) {
    Load reserved;
    const auto fills = [&](double most) {
      return keep([&] { return fill_up(problem_, most, style, reserved); }) < infinity;
    };
    double low = bound_, high = found() ? standing_.worst * (1 - least_step) : 0;
    if (!found())
      for (double step = 0.02; step < 40 && !fills(high = bound_ * (1 + step)); step *= 2) low = high;
    else if (!fills(high))
      return;
    while (high - low > least_step * high) {
      const double middle = 0.5 * (low + high);
      (fills(middle) ? high : low) = middle;
      high = std::min(high, standing_.worst);
    }
  }

  /// With too little room tables are cut too often, with too much ranks stay idle.
  void best_room(const FillStyle& style) {
    const auto worst = [&](double room) {
      const double before = found() ? standing_.worst : infinity;
      const double seconds = keep([&] { return fill_rooms(problem_, room, style); });
      if (seconds < before) room_ = room;
      return seconds;
    };
    double low = room_ * (1 - near), high = room_ * (1 + near);
    if (room_ == 0) {
      const double all = bound_ - problem_.base;
      for (double step = 0; step < 40 && room_ == 0; step = 2 * step + 0.02) worst(high = all * (1 + step));
      if (room_ == 0) return;
      low = least_room * high;
    }
    golden_section(low, high, problem_.large ? room_step_of_large : room_step, worst);
  }

  /// The largest load of the choices that `fill` makes, kept if they are the best.
  template <class Fill>
  double keep(const Fill& fill) {
    std::vector<std::size_t> before;
    for (const auto& options : problem_.options) before.push_back(options.size());
    const std::vector<Choice> filled = fill();
    if (filled.empty()) return infinity;
    const Outcome outcome = planning::outcome(problem_, filled);
    if (!take_if_better(filled, {outcome.missing, outcome.worst, 0}))  // its cuts are no options to keep
      for (std::size_t t = 0; t < before.size(); ++t) problem_.options[t].resize(before[t]);
    return outcome.worst;
  }

  Problem& problem_;
  double bound_;
  std::vector<Choice> best_;
  Standing standing_;
  double room_ = 0;  ///< of the best by rooms
};

}  // namespace

std::vector<Choice> search(Problem& problem, double bound) {
  Search search(problem, bound);
  const bool many = problem.options.size() > many_tables;
  const bool nodes = std::any_of(problem.options.begin(), problem.options.end(), [](const auto& options) {
    return options.size() > 1 && std::any_of(options.begin(), options.end(),
                                             [](const Option& option) { return option.owner_rule == OwnerRule::node; });
  });
  const std::size_t size = problem.options.size() * std::size_t(problem.ranks);
  const std::size_t most_styles = size > tables_by_ranks_for_one ? 1 : most_styles_of_large;
  std::size_t tried = 0;
  for (const FillStyle& style : many ? std::span<const FillStyle>(styles_of_many) : styles_of_few) {
    if (many && problem.large && tried >= most_styles) break;
    if (many && tried >= few_styles && search.worst() <= bound * (1 + far)) break;
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
  // One table after the other, a node whose ranks it shares looks worse than ranks with room: all tables at once.
  if (nodes) {
    Assignment assignment(problem);
    fill(assignment, choose(problem, infinity, true));
    search.improve(assignment, short_rounds);
  }
  search.improve_best();
  return search.best();
}

void search_by_prices(Problem& problem, double bound, std::span<const Prices> prices, std::vector<Choice>& choices) {
  Search search(problem, bound);
  search.start(choices);
  int left = std::clamp(int(fillings_times_tables / double(problem.options.size())), least_fillings,
                        2 * most_starts * fillings_of_start);
  for (std::size_t i = 1; i <= std::min<std::size_t>(prices.size(), most_starts); ++i) {
    const auto& [mixture, room] = prices[prices.size() - i];
    for (const Prices& start : {Prices{mixture, room}, Prices{mixture.counting(), room}})
      if (left > 0) left -= search.by_prices(start, std::min(left, fillings_of_start));
  }
  search.improve_best();
  choices = search.best();
}

}  // namespace tesserec::planning
