// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "assignment.hpp"

namespace tesserec::planning {
namespace {

constexpr int patience = 40;
constexpr std::size_t tables_tried = 24;

class LocalSearch {
 public:
  LocalSearch(Assignment& assignment, double bound) : s_(assignment), bound_(bound) {}

  void run(int max_rounds) {
    Score mark = s_.score();
    for (int round = 1; round <= max_rounds; ++round) {
      const Score now = s_.score();
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
  static bool better(double load, double other, double limit) { return load < limit && other < limit; }

  /// Makes the best single change of the rank's load: moves a piece to another rank, or swaps it for a smaller piece
  /// there.
  bool move_or_swap(int rank, const Score& now) {
    const bool time = now.missing <= 0;
    Best best;
    best.worst = time ? now.worst * (1 - 1e-12) : infinity;
    for (const Assignment::At& a : s_.pieces_on(rank)) {
      if (!movable(a)) continue;
      const Load piece = s_.piece(a);
      for (int to = 0; to < s_.ranks(); ++to) {
        if (to == rank) continue;
        const double from_load = s_.load(rank) - piece.seconds, to_load = s_.load(to) + piece.seconds;
        if (better(from_load, to_load, best.worst) && s_.fits(to, piece.bytes) && !s_.holds(a.table, to))
          best = {std::max(from_load, to_load), a, {}, to, false};
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
    const double from_load = s_.load(rank) - gain, to_load = s_.load(to) + gain;
    if (!better(from_load, to_load, best.worst) || b.table == a.table || !movable(b)) return;
    if (!s_.fits(to, piece.bytes - other.bytes) || (time && !s_.fits(rank, other.bytes - piece.bytes))) return;
    if (s_.holds(b.table, rank) || s_.holds(a.table, to)) return;
    best = {std::max(from_load, to_load), a, b, to, true};
  }

  /// Lists tables with pieces on the rank, largest piece first.
  std::vector<std::size_t> tables_on(int rank) const {
    std::vector<Assignment::At> pieces = s_.pieces_on(rank);
    std::ranges::stable_sort(pieces, {},
                             [this](const Assignment::At& at) { return std::pair(-s_.piece(at).seconds, at.table); });
    std::vector<std::size_t> tables;
    for (const Assignment::At& at : pieces)
      if (tables.size() < tables_tried && (tables.empty() || tables.back() != at.table)) tables.push_back(at.table);
    return tables;
  }

  /// Changes the first of the tables that can improve to its best other option, with new owners. Returns whether one
  /// changed.
  bool other_option(const std::vector<std::size_t>& tables, const Score& now) {
    const bool time = now.missing <= 0;
    const double slack = s_.slack(now.worst);
    for (const std::size_t t : tables) {
      const auto& options = s_.problem().options[t];
      if (options.size() == 1 && options[0].owner_rule == OwnerRule::fixed) continue;
      const Choice old = s_.choice(t);
      const double total = options[old.option].total;
      Score best = now;
      Choice chosen;
      for (std::size_t o = 0; o < options.size(); ++o) {
        if (time && (options[o].total - total > slack || options[o].max_seconds > now.worst)) continue;
        s_.remove(t);
        s_.place(t, o);
        const Score then = s_.score();
        if (then < best) {
          best = then;
          chosen = s_.choice(t);
        }
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

  /// Changes the option of a table that could put less load on every rank.
  bool lighter_everywhere(const Score& now) {
    std::vector<std::size_t> tables;
    for (std::size_t t = 0; t < s_.problem().options.size() && tables.size() < tables_tried; ++t)
      for (const Option& option : s_.problem().options[t])
        if (option.common.seconds < s_.option(t).common.seconds * (1 - 1e-9)) {
          tables.push_back(t);
          break;
        }
    return other_option(tables, now);
  }

  Assignment& s_;
  double bound_;
};

}  // namespace

void lighten(Assignment& assignment, double bound, int max_rounds) { LocalSearch(assignment, bound).run(max_rounds); }

}  // namespace tesserec::planning
