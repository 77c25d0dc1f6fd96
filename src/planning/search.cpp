// SPDX-License-Identifier: Apache-2.0
// The ranks are filled up to the lowest level at which all tables find room, by several styles of cutting
// tables into what room is left. Where none fills them, every table takes its cheapest option and pieces go,
// the largest first, to the ranks with the least load. Then moves, swaps and changes of options, each of
// which lightens the worst rank.
#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <tuple>

#include "assignment.hpp"
#include "problem.hpp"

namespace tesserec::planning {
namespace {

constexpr double close_enough = 1e-3;
constexpr int short_rounds = 40;
constexpr int long_rounds = 600;
constexpr int patience = 40;
constexpr std::size_t most_tables = 24;
constexpr double least_step = 2e-3, room_step = 5e-3, room_step_of_large = 1.2e-2, near = 0.05, least_room = 0.3;
constexpr double infinity = std::numeric_limits<double>::infinity();
/// With more tables than this, styles beyond the first two are tried only while the plan is that far above the bound.
constexpr std::size_t many_tables = 16, few_styles = 2, most_styles_of_large = 2;
constexpr double far = 0.06;

using enum FillStyle::Order;
constexpr FillStyle styles[] = {{0, 1},
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
constexpr FillStyle styles_of_many[] = {
    {0.3, 1.5, dear_first}, {0.7, 1.5, dear_first}, {0.7, 1, dear_first},       {0.3, 1},
    {0, 1, small_first},    {0.5, 1, small_first},  {0, 1, large_first, false}, {0.5, 1, large_first, false}};

class LocalSearch {
 public:
  LocalSearch(Assignment& assignment, double bound) : s_(assignment), bound_(bound) {}

  void run(int most_rounds) {
    Standing mark = s_.standing();
    for (int round = 1; round <= most_rounds; ++round) {
      const Standing now = s_.standing();
      if (now.missing <= 0 && now.worst <= bound_ * (1 + close_enough)) return;
      const int rank = now.missing > 0 ? s_.fullest() : s_.slowest();
      if (!move_or_swap(rank, now) && !other_option(tables_on(rank), now) && !lighter_everywhere(now)) return;
      if (round % patience != 0) continue;
      if (now.missing <= 0 && mark.missing <= 0 && now.worst > mark.worst * (1 - 1e-3)) return;
      mark = now;
    }
  }

 private:
  struct Best {
    double worst = 0;
    Assignment::At a, b;
    int to = -1;
    bool swap = false;
  };
  bool movable(const Assignment::At& at) const { return s_.option(at.table).owner_rule == OwnerRule::anywhere; }
  static bool better(double one, double other, double than) { return one < than && other < than; }

  /// A piece of the rank to another rank, or exchanged for a smaller one there: the best of all.
  bool move_or_swap(int rank, const Standing& now) {
    const bool time = now.missing <= 0;
    Best best;
    best.worst = time ? now.worst * (1 - 1e-12) : std::numeric_limits<double>::infinity();
    for (const Assignment::At& a : s_.pieces_on(rank)) {
      if (!movable(a)) continue;
      const Load piece = s_.piece(a);
      for (int to = 0; to < s_.ranks(); ++to) {
        if (to == rank) continue;
        const double here = s_.load(rank) - piece.seconds, there = s_.load(to) + piece.seconds;
        if (better(here, there, best.worst) && s_.fits(to, piece.bytes) && !s_.holds(a.table, to))
          best = {std::max(here, there), a, {}, to, false};
        if (time && s_.load(to) >= best.worst) continue;
        for (const Assignment::At& b : s_.pieces_on(to)) swap(rank, a, to, b, time, best);
      }
    }
    if (best.to < 0) return false;
    s_.move(best.a, best.to);
    if (best.swap) s_.move(best.b, rank);
    return true;
  }

  void swap(int rank, const Assignment::At& a, int to, const Assignment::At& b, bool time, Best& best) const {
    const Load& piece = s_.piece(a);
    const Load& other = s_.piece(b);
    const double gain = piece.seconds - other.seconds;
    if (time ? gain <= 0 : piece.bytes <= other.bytes) return;
    const double here = s_.load(rank) - gain, there = s_.load(to) + gain;
    if (!better(here, there, best.worst) || b.table == a.table || !movable(b)) return;
    if (!s_.fits(to, piece.bytes - other.bytes) || (time && !s_.fits(rank, other.bytes - piece.bytes))) return;
    if (s_.holds(b.table, rank) || s_.holds(a.table, to)) return;
    best = {std::max(here, there), a, b, to, true};
  }

  /// Those with the largest pieces first.
  std::vector<std::size_t> tables_on(int rank) const {
    std::vector<Assignment::At> pieces = s_.pieces_on(rank);
    std::stable_sort(pieces.begin(), pieces.end(), [this](const Assignment::At& a, const Assignment::At& b) {
      return std::pair(s_.piece(b).seconds, a.table) < std::pair(s_.piece(a).seconds, b.table);
    });
    std::vector<std::size_t> tables;
    for (const Assignment::At& at : pieces)
      if (tables.size() < most_tables && (tables.empty() || tables.back() != at.table)) tables.push_back(at.table);
    return tables;
  }

  /// The best other option, placed anew, of the first table that has one.
  bool other_option(const std::vector<std::size_t>& tables, const Standing& now) {
    const bool time = now.missing <= 0;
    const double slack = s_.slack(now.worst);
    for (const std::size_t t : tables) {
      const auto& options = s_.problem().options[t];
      if (options.size() == 1 && options[0].owner_rule == OwnerRule::fixed) continue;
      const Choice old = s_.choice(t);
      const double total = options[old.option].total;
      Standing best = now;
      Choice chosen;
      for (std::size_t o = 0; o < options.size(); ++o) {
        if (time && (options[o].total - total > slack || options[o].biggest > now.worst)) continue;
        s_.remove(t);
        s_.place(t, o);
        const Standing then = s_.standing();
        if (then < best) best = then, chosen = s_.choice(t);
        s_.remove(t);
        s_.put(t, old);
      }
      if (!(best < now)) continue;
      s_.remove(t);
      s_.put(t, chosen);
      return true;
    }
    return false;
  }

  /// Any table that could load all ranks less.
  bool lighter_everywhere(const Standing& now) {
    std::vector<std::size_t> tables;
    for (std::size_t t = 0; t < s_.problem().options.size() && tables.size() < most_tables; ++t)
      for (const Option& option : s_.problem().options[t])
        if (option.each.seconds < s_.option(t).each.seconds * (1 - 1e-9)) {
          tables.push_back(t);
          break;
        }
    return other_option(tables, now);
  }

  Assignment& s_;
  double bound_;
};

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

/// Narrows where f is least to the share `step` of where that is.
template <class F>
void golden_section(double low, double high, double step, const F& f) {
  constexpr double part = 0.6180339887498949;
  double left = high - part * (high - low), right = low + part * (high - low);
  double at_left = f(left), at_right = f(right);
  while (high - low > step * high) {
    if (at_left < at_right) {
      high = right, right = left, at_right = at_left;
      at_left = f(left = high - part * (high - low));
    } else {
      low = left, left = right, at_left = at_right;
      at_right = f(right = low + part * (high - low));
    }
  }
}

}  // namespace

std::vector<Choice> search(Problem& problem, double bound) {
  std::vector<Choice> best;
  Standing best_standing;
  const auto good_enough = [&] {
    return !best.empty() && best_standing.missing <= 0 && best_standing.worst <= bound * (1 + close_enough);
  };
  const auto improve = [&](Assignment& assignment, int rounds) {
    LocalSearch(assignment, bound).run(rounds);
    const Standing standing = assignment.standing();
    if (best.empty() || standing < best_standing) best = assignment.choices(), best_standing = standing;
  };
  double best_room = 0;
  const auto attempt = [&](const auto& fill, double room) {
    std::vector<std::size_t> before;
    for (const auto& options : problem.options) before.push_back(options.size());
    const std::vector<Choice> filled = fill();
    if (filled.empty()) return std::numeric_limits<double>::infinity();
    const Outcome found = outcome(problem, filled);
    const Standing standing{found.missing, found.worst, 0};
    if (best.empty() || standing < best_standing)
      best = filled, best_standing = standing, best_room = room;
    else  // its cuts are no options to keep
      for (std::size_t t = 0; t < before.size(); ++t) problem.options[t].resize(before[t]);
    return found.worst;
  };
  const bool many = problem.options.size() > many_tables;
  const bool nodes = std::any_of(problem.options.begin(), problem.options.end(), [](const auto& options) {
    return options.size() > 1 && std::any_of(options.begin(), options.end(),
                                             [](const Option& option) { return option.owner_rule == OwnerRule::node; });
  });
  // Few tables: the least level up to which the ranks can be filled, by each style from where the last one came to.
  for (const FillStyle& style : styles) {
    if (many || (!style.on_nodes && !nodes)) break;
    Load reserved;
    const auto try_fill = [&](double most) {
      return attempt([&] { return fill_up(problem, most, style, reserved); }, 0) < infinity;
    };
    double low = bound, high = best.empty() ? 0 : best_standing.worst * (1 - least_step);
    if (best.empty())
      for (double step = 0.02; step < 40 && !try_fill(high = bound * (1 + step)); step *= 2) low = high;
    else if (!try_fill(high))
      continue;
    while (high - low > least_step * high) {
      const double middle = 0.5 * (low + high);
      (try_fill(middle) ? high : low) = middle;
      high = std::min(high, best_standing.worst);
    }
    if (good_enough()) return best;
  }
  // Many: with too little room tables are cut too often, with too much ranks stay idle. The best by golden section,
  // each style's near that of those before.
  for (std::size_t i = 0; many && i < std::size(styles_of_many); ++i) {
    if (problem.large && i >= most_styles_of_large) break;
    if (i >= few_styles && best_standing.worst <= bound * (1 + far)) break;
    const FillStyle& style = styles_of_many[i];
    if (!style.on_nodes && !nodes) break;
    const auto try_fill = [&](double room) { return attempt([&] { return fill_rooms(problem, room, style); }, room); };
    double low = best_room * (1 - near), high = best_room * (1 + near);
    if (best.empty()) {
      const double all = bound - problem.base;
      for (double step = 0; step < 40 && best.empty(); step = 2 * step + 0.02) try_fill(high = all * (1 + step));
      if (best.empty()) continue;
      low = least_room * high;
    }
    golden_section(low, high, problem.large ? room_step_of_large : room_step, try_fill);
    if (good_enough()) return best;
  }
  if (best.empty()) {
    for (const double share : {1.0, 1.15, 0.5, 0.0}) {
      Assignment assignment(problem);
      fill(assignment, choose(problem, share * (bound - problem.base)));
      improve(assignment, short_rounds);
    }
  }
  // One table after the other, a node whose ranks it shares looks worse than ranks with room: all tables at once.
  if (nodes) {
    Assignment assignment(problem);
    fill(assignment, choose(problem, std::numeric_limits<double>::infinity(), true));
    improve(assignment, short_rounds);
  }
  Assignment assignment(problem);
  for (std::size_t t = 0; t < best.size(); ++t) assignment.put(t, best[t]);
  improve(assignment, long_rounds);
  return best;
}

}  // namespace tesserec::planning
