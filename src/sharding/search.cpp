// SPDX-License-Identifier: Apache-2.0
// Starts: every table takes its cheapest option without a piece above a limit, and pieces go, the largest first, to the
// ranks with the least load. Then moves, swaps and changes of options, each of which lightens the worst rank.
#include <algorithm>
#include <limits>
#include <numeric>

#include "problem.hpp"
#include "state.hpp"

namespace tesserec::sharding {
namespace {

constexpr double close_enough = 3e-4;
constexpr int most_rounds = 4000;

class LocalSearch {
 public:
  LocalSearch(State& state, double bound) : s_(state), bound_(bound) {}

  void run() {
    for (int round = 0; round < most_rounds; ++round) {
      const Standing now = s_.standing();
      if (now.missing <= 0 && now.worst <= bound_ * (1 + close_enough)) return;
      const int rank = now.missing > 0 ? s_.fullest() : s_.slowest();
      if (!move_or_swap(rank, now) && !other_option(s_.tables_on(rank), now) && !lighter_everywhere(now)) return;
    }
  }

 private:
  /// A piece of the rank to another rank, or exchanged for a smaller one there: the best of all.
  bool move_or_swap(int rank, const Standing& now) {
    const auto mine = s_.pieces_on(rank);
    struct Best {
      double worst;
      State::At a, b;
      int to = -1;
      bool swap = false;
    } best{now.worst * (1 - 1e-12), {}, {}, -1, false};
    const bool time = now.missing <= 0;
    if (!time) best.worst = std::numeric_limits<double>::infinity();
    for (const State::At& a : mine) {
      const Load piece = s_.piece(a);
      for (int to = 0; to < s_.ranks(); ++to) {
        if (to == rank) continue;
        const bool holds = s_.holds(a.table, to);
        if (!holds && s_.fits(to, piece.bytes) &&
            better(s_.load(rank) - piece.seconds, s_.load(to) + piece.seconds, best.worst))
          best = {std::max(s_.load(rank) - piece.seconds, s_.load(to) + piece.seconds), a, {}, to, false};
        if (holds || s_.load(to) >= s_.load(rank)) continue;
        for (const State::At& b : s_.pieces_on(to)) {
          const Load other = s_.piece(b);
          const double gain = piece.seconds - other.seconds;
          if (time && gain <= 0) continue;
          if (!time && piece.bytes <= other.bytes) continue;
          if (!better(s_.load(rank) - gain, s_.load(to) + gain, best.worst)) continue;
          if (s_.holds(b.table, rank) || b.table == a.table) continue;
          if (!s_.fits(to, piece.bytes - other.bytes)) continue;
          if (time && !s_.fits(rank, other.bytes - piece.bytes)) continue;
          best = {std::max(s_.load(rank) - gain, s_.load(to) + gain), a, b, to, true};
        }
      }
    }
    if (best.to < 0) return false;
    s_.move(best.a, best.to);
    if (best.swap) s_.move(best.b, rank);
    return true;
  }
  static bool better(double one, double other, double than) { return one < than && other < than; }

  /// Another option for one of the tables, placed anew.
  bool other_option(const std::vector<std::size_t>& tables, const Standing& now) {
    Standing best = now;
    std::size_t table = 0, option = 0;
    for (const std::size_t t : tables) {
      const Choice old = s_.choice(t);
      for (std::size_t o = 0; o < s_.problem().options[t].size(); ++o) {
        s_.remove(t);
        s_.place(t, o);
        const Standing then = s_.standing();
        if (then < best) best = then, table = t, option = o;
        s_.remove(t);
        s_.put(t, old);
      }
    }
    if (!(best < now)) return false;
    s_.remove(table);
    s_.place(table, option);
    return true;
  }

  /// Any table that could load all ranks less.
  bool lighter_everywhere(const Standing& now) {
    std::vector<std::size_t> tables;
    for (std::size_t t = 0; t < s_.problem().options.size(); ++t)
      for (const Option& option : s_.problem().options[t])
        if (option.each.seconds < s_.option(t).each.seconds * (1 - 1e-9)) {
          tables.push_back(t);
          break;
        }
    if (tables.size() > 64) tables.resize(64);
    return other_option(tables, now);
  }

  State& s_;
  double bound_;
};

/// Options of the least total without a piece above `limit`; `filter` narrows them where it can.
template <class Filter>
std::vector<std::size_t> choose(const Problem& problem, double limit, const Filter& filter) {
  std::vector<std::size_t> chosen;
  for (const auto& options : problem.options) {
    std::size_t best = 0;
    auto key = [&](const Option& option) {
      return std::tuple(!filter(option), option.biggest > limit,
                        option.biggest > limit ? option.biggest : option.total);
    };
    for (std::size_t o = 1; o < options.size(); ++o)
      if (key(options[o]) < key(options[best])) best = o;
    chosen.push_back(best);
  }
  return chosen;
}

void fill(State& state, const std::vector<std::size_t>& chosen) {
  const auto& options = state.problem().options;
  std::vector<std::size_t> order(chosen.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto size = [&](std::size_t t) { return options[t][chosen[t]].biggest; };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const bool fixed_a = options[a][chosen[a]].place == Place::fixed;
    const bool fixed_b = options[b][chosen[b]].place == Place::fixed;
    return fixed_a != fixed_b ? fixed_a : size(a) > size(b);
  });
  for (const std::size_t t : order) state.place(t, chosen[t]);
}

}  // namespace

std::vector<Choice> search(const Problem& problem, double bound) {
  std::vector<std::vector<std::size_t>> starts;
  const auto any = [](const Option&) { return true; };
  const double rest = bound - problem.base;
  for (const double share : {1.0, 0.7, 0.5, 0.35, 0.25, 0.12, 0.06}) starts.push_back(choose(problem, share * rest, any));
  const double none = std::numeric_limits<double>::infinity();
  for (const ShardingType type : {ShardingType::table_wise, ShardingType::data_parallel})
    starts.push_back(choose(problem, none, [type](const Option& option) { return option.type == type; }));
  for (const ShardingType type : {ShardingType::row_wise, ShardingType::column_wise})
    starts.push_back(choose(problem, 0, [type](const Option& option) { return option.type == type; }));

  std::vector<Choice> best;
  Standing best_standing;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    if (std::find(starts.begin(), starts.begin() + static_cast<std::ptrdiff_t>(i), starts[i]) !=
        starts.begin() + static_cast<std::ptrdiff_t>(i))
      continue;
    State state(problem);
    fill(state, starts[i]);
    LocalSearch(state, bound).run();
    const Standing standing = state.standing();
    if (best.empty() || standing < best_standing) best = state.choices(), best_standing = standing;
    if (best_standing.missing <= 0 && best_standing.worst <= bound * (1 + close_enough)) break;
  }
  return best;
}

}  // namespace tesserec::sharding
