// SPDX-License-Identifier: Apache-2.0
// Ranks as bins of one height, beside what tables cost every rank: tables in falling order to the fullest rank that
// holds them whole (best fit); one that fits nowhere is cut into the rooms that are left (row_partitions.hpp).
#include <algorithm>
#include <limits>
#include <numeric>

#include "problem.hpp"
#include "row_partitions.hpp"

namespace tesserec::planning {
namespace {

constexpr int most_passes = 8;

class Bins {
 public:
  /// `room`: of every rank beside the seconds of `each`, which are of no interest; without it, up to `most` with them.
  /// `reserved`: for the loads of every rank, which cuts add to.
  Bins(Problem& problem, double most, bool room, const Load& reserved, const FillStyle& style)
      : problem_(problem),
        most_(most),
        room_(room),
        reserved_(reserved),
        style_(style),
        own_(problem.ranks),
        each_{problem.base, 0},
        choices_(problem.options.size()) {}

  const Load& each() const { return each_; }

  /// Whether all found room; `each` then tells what had to be reserved.
  bool run() {
    const std::size_t count = choices_.size();
    std::vector<std::size_t> order(count), cheapest(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t t = 0; t < count; ++t) {
      cheapest[t] = cheapest_of(t);
      each_ += problem_.options[t][cheapest[t]].each;
    }
    const auto option = [&](std::size_t t) -> const Option& { return problem_.options[t][cheapest[t]]; };
    std::vector<double> key(count);
    for (std::size_t t = 0; t < count; ++t) {
      const double size = option(t).biggest * double(option(t).group);  // on one node
      key[t] = style_.order == FillStyle::Order::dear_first    ? cost_of_cut(t, option(t))
               : style_.order == FillStyle::Order::small_first ? -size
                                                               : size;
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      const bool fixed_a = option(a).owner_rule == OwnerRule::fixed, fixed_b = option(b).owner_rule == OwnerRule::fixed;
      if (fixed_a != fixed_b) return fixed_a;
      return key[a] > key[b];
    });
    for (const std::size_t t : order)
      if (!whole(t, cheapest[t]) && !cut(t, cheapest[t])) return false;
    return true;
  }

  bool kept_level() const {
    return std::all_of(own_.begin(), own_.end(), [this](const Load& own) {
      return (room_ || own.seconds + each_.seconds <= most_ * (1 + 1e-9)) && own.bytes + each_.bytes <= problem_.memory;
    });
  }

  /// The choices; uneven cuts become options.
  std::vector<Choice> choices() {
    for (auto& [t, option] : cuts_) {
      choices_[t] = {problem_.options[t].size(), option.owners};
      option.owners.clear();
      problem_.options[t].push_back(std::move(option));
    }
    return choices_;
  }

 private:
  /// Of the original options.
  std::size_t cheapest_of(std::size_t t) const {
    const auto& options = problem_.options[t];
    const double room = room_ ? most_ : most_ - problem_.base;
    const auto key = [&](const Option& option) {
      const bool large = option.biggest > room && !problem_.free[t];
      return std::pair(large, option.total);
    };
    std::size_t best = 0;
    for (std::size_t o = 1; o < options.size(); ++o)
      if (options[o].borders.empty() && key(options[o]) < key(options[best])) best = o;
    return best;
  }

  /// Seconds of all ranks that two halves of the rows take beyond the whole table.
  double cost_of_cut(std::size_t t, const Option& whole) const {
    double least = std::numeric_limits<double>::infinity();
    if (!problem_.free[t]) return least;
    for (const FreeTable::Cut& cut : problem_.free[t]->cuts()) {
      if (cut.columns > 1) continue;
      const TableCosts& costs = problem_.free[t]->costs(cut);
      const double filled = costs.filled(0.5), vectors = cut.form == ExchangeForm::pooled ? filled : 0;
      const ShardLoad half = costs.load(costs.rows() / 2, filled, vectors, costs.dim(), cut.form);
      least = std::min(least, 2 * (half.owner.seconds + problem_.ranks * half.each.seconds) - whole.total);
    }
    return least;
  }

  bool fits(int rank, const Load& piece) const {
    const Load left = room(rank);
    return piece.seconds <= left.seconds && piece.bytes <= left.bytes;
  }

  bool whole(std::size_t t, std::size_t o) {
    const Option& option = problem_.options[t][o];
    if (option.owner_rule == OwnerRule::node) return style_.on_nodes && on_nodes(t, o);
    std::vector<int> owners;
    for (std::size_t i = 0; i < option.pieces.size(); ++i) {
      int best = -1;
      for (int rank = 0; rank < problem_.ranks; ++rank) {
        if (option.owner_rule == OwnerRule::fixed && rank != option.owners[i]) continue;
        if (!fits(rank, option.pieces[i]) || std::find(owners.begin(), owners.end(), rank) != owners.end()) continue;
        if (best < 0 || own_[rank].seconds > own_[best].seconds) best = rank;
      }
      if (best < 0) return false;
      owners.push_back(best);
    }
    for (std::size_t i = 0; i < owners.size(); ++i) own_[owners[i]] += option.pieces[i];
    choices_[t] = {o, owners};
    return true;
  }

  /// Each group on the fullest node that has room, one without a group of the table if there is one.
  bool on_nodes(std::size_t t, std::size_t o) {
    const Option& option = problem_.options[t][o];
    const int inside = problem_.ranks_per_node, nodes = problem_.ranks / inside;
    const std::vector<Load> before = own_;
    std::vector<int> owners, used(nodes);
    for (std::size_t first = 0; first < option.pieces.size(); first += option.group) {
      int best = -1;
      std::pair<int, double> best_key;
      std::vector<int> best_ranks;
      for (int node = 0; node < nodes; ++node) {
        std::vector<int> ranks(inside);
        std::iota(ranks.begin(), ranks.end(), node * inside);
        if (option.group < inside)
          std::stable_sort(ranks.begin(), ranks.end(), [&](int a, int b) { return own_[a].seconds < own_[b].seconds; });
        bool room = true;
        double load = 0;
        for (Index i = 0; i < option.group; ++i)
          room = room && fits(ranks[i], option.pieces[first + i]), load += own_[ranks[i]].seconds;
        const std::pair key{used[node], -load};
        if (room && (best < 0 || key < best_key)) best = node, best_key = key, best_ranks = ranks;
      }
      if (best < 0) {
        own_ = before;
        return false;
      }
      ++used[best];
      for (Index i = 0; i < option.group; ++i) {
        owners.push_back(best_ranks[i]);
        own_[best_ranks[i]] += option.pieces[first + i];
      }
    }
    choices_[t] = {o, owners};
    return true;
  }

  Load room(int rank) const {
    const double each = room_ ? 0 : std::max(each_.seconds, reserved_.seconds);
    return {most_ - own_[rank].seconds - each,
            problem_.memory - own_[rank].bytes - std::max(each_.bytes, reserved_.bytes)};
  }

  /// Pieces into rooms, the largest first.
  bool cut(std::size_t t, std::size_t cheapest) {
    if (!problem_.free[t]) return false;
    const FreeTable& free = *problem_.free[t];
    each_.seconds -= problem_.options[t][cheapest].each.seconds;
    each_.bytes -= problem_.options[t][cheapest].each.bytes;
    std::vector<int> ranks(own_.size());
    std::iota(ranks.begin(), ranks.end(), 0);
    std::stable_sort(ranks.begin(), ranks.end(), [this](int a, int b) { return room(a).seconds > room(b).seconds; });
    const Load largest{room(ranks[0]).seconds, problem_.memory};
    struct Candidate {
      double least;  // no placement costs less
      const FreeTable::Cut* cut;
      Price price;
    };
    std::vector<Candidate> candidates;
    for (const FreeTable::Cut& cut : free.cuts()) {
      const double columns = cut.columns;
      const Price price{columns, columns * problem_.ranks * style_.each, 0, 0};
      if (cut.columns > problem_.ranks) continue;
      candidates.push_back({price.of(cut.whole), &cut, price});
    }
    const auto cheaper = [](const Candidate& a, const Candidate& b) { return a.least < b.least; };
    std::stable_sort(candidates.begin(), candidates.end(), cheaper);
    RowPartitions::Placed best;
    const FreeTable::Cut* best_cut = nullptr;
    for (const auto& [least, cut, price] : candidates) {
      if (least >= best.price) break;
      const RowPartitions& partitions = free.partitions(*cut);
      if (partitions.relaxed(largest, price, [](double) { return 0.0; }) >= best.price) continue;
      const std::vector<Load> rooms = shared_rooms(ranks, cut->columns);
      RowPartitions::Placed placed = partitions.into(rooms, price, double(cut->columns) * style_.waste, free.step());
      if (placed.price < best.price) best = std::move(placed), best_cut = cut;
    }
    if (!best_cut) return false;
    const bool rows = best.rooms.size() > 1;
    Option option;
    option.type = best_cut->columns > 1 ? rows ? ShardingType::grid : ShardingType::column_wise
                  : rows                ? ShardingType::row_wise
                                        : ShardingType::table_wise;
    option.kernel = free.kernel(*best_cut);
    option.form = best_cut->form;
    option.column_cuts = best_cut->columns;
    option.borders = best.borders;
    for (Index c = 0; c < best_cut->columns; ++c)
      for (std::size_t i = 0; i < best.rooms.size(); ++i) {
        const ShardLoad load = free.costs(*best_cut).shard({best.borders[i], best.borders[i + 1]},
                                                           free.columns(c, best_cut->columns), best_cut->form);
        option.owners.push_back(ranks[best.rooms[i] * best_cut->columns + c]);
        option.pieces.push_back(load.owner);
        option.each += load.each;
        own_[option.owners.back()] += load.owner;
      }
    derive(option, problem_.ranks);
    each_ += option.each;
    fill_gaps(option);
    cuts_.emplace_back(t, std::move(option));
    return true;
  }

  /// Each piece goes on to the fullest rank that holds it, the smallest first: what is left of a table fills what other
  /// tables left.
  void fill_gaps(Option& option) {
    std::vector<std::size_t> order(option.pieces.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return option.pieces[a].seconds < option.pieces[b].seconds; });
    for (const std::size_t i : order) {
      const Load& piece = option.pieces[i];
      int& owner = option.owners[i];
      own_[owner].seconds -= piece.seconds, own_[owner].bytes -= piece.bytes;
      int best = owner;
      for (int rank = 0; rank < problem_.ranks; ++rank)
        if (own_[rank].seconds > own_[best].seconds && fits(rank, piece) &&
            std::find(option.owners.begin(), option.owners.end(), rank) == option.owners.end())
          best = rank;
      owner = best;
      own_[owner] += piece;
    }
  }

  /// Rooms that as many ranks as there are columns have, side by side.
  std::vector<Load> shared_rooms(const std::vector<int>& ranks, std::size_t columns) const {
    std::vector<Load> rooms;
    for (std::size_t i = 0; i + columns <= ranks.size(); i += columns) {
      rooms.push_back(room(ranks[i]));
      for (std::size_t c = 1; c < columns; ++c) {
        const Load other = room(ranks[i + c]);
        rooms.back() = {std::min(rooms.back().seconds, other.seconds), std::min(rooms.back().bytes, other.bytes)};
      }
    }
    return rooms;
  }

  Problem& problem_;
  double most_;
  bool room_;
  Load reserved_;
  FillStyle style_;
  std::vector<Load> own_;
  Load each_;
  std::vector<Choice> choices_;
  std::vector<std::pair<std::size_t, Option>> cuts_;
};

}  // namespace

std::vector<Choice> fill_up(Problem& problem, double most, const FillStyle& style, Load& reserved) {
  for (int pass = 0; pass < most_passes; ++pass) {
    Bins bins(problem, most, false, reserved, style);
    const bool filled = bins.run();
    if (filled && bins.kept_level()) return bins.choices();
    if (!filled && bins.each().seconds <= reserved.seconds) return {};
    reserved = bins.each();
  }
  return {};
}

std::vector<Choice> fill_rooms(Problem& problem, double room, const FillStyle& style) {
  Load reserved;
  for (int pass = 0; pass < most_passes; ++pass) {
    Bins bins(problem, room, true, reserved, style);
    if (!bins.run()) return {};
    if (bins.kept_level()) return bins.choices();
    reserved = bins.each();
  }
  return {};
}

}  // namespace tesserec::planning
