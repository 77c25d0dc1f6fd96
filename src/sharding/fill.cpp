// SPDX-License-Identifier: Apache-2.0
// Ranks as bins of one height: tables in falling order to the fullest rank that holds them whole (best fit); one that
// fits nowhere is cut, the largest room first, each piece as large as its rank has room for.
#include <algorithm>
#include <limits>
#include <numeric>

#include "problem.hpp"

namespace tesserec::sharding {
namespace {

class Bins {
 public:
  Bins(Problem& problem, double most)
      : problem_(problem),
        most_(most),
        own_(static_cast<std::size_t>(problem.ranks)),
        each_{problem.base, 0},
        choices_(problem.options.size()) {}

  std::vector<Choice> run() {
    const std::size_t count = choices_.size();
    std::vector<std::size_t> order(count), cheapest(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t t = 0; t < count; ++t) {
      cheapest[t] = cheapest_of(t);
      each_ += problem_.options[t][cheapest[t]].each;
    }
    const auto option = [&](std::size_t t) -> const Option& { return problem_.options[t][cheapest[t]]; };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      const bool fixed_a = option(a).place == Place::fixed, fixed_b = option(b).place == Place::fixed;
      return fixed_a != fixed_b ? fixed_a : option(a).biggest > option(b).biggest;
    });
    for (const std::size_t t : order)
      if (!whole(t, cheapest[t]) && !cut_rows(t, cheapest[t])) return {};
    for (const Load& own : own_)
      if (own.seconds + each_.seconds > most_ * (1 + 1e-9) || own.bytes + each_.bytes > problem_.memory) return {};
    return choices_;
  }

 private:
  /// Of the original options; nodes are left to the search.
  std::size_t cheapest_of(std::size_t t) const {
    const auto& options = problem_.options[t];
    const double room = most_ - problem_.base;
    const auto key = [&](const Option& option) {
      const bool large = option.biggest > room && !problem_.free_rows[t];
      return std::pair(large, option.total);
    };
    std::size_t best = 0;
    for (std::size_t o = 1; o < options.size(); ++o)
      if (options[o].borders.empty() && key(options[o]) < key(options[best])) best = o;
    return best;
  }

  bool fits(int rank, const Load& piece) const {
    const Load& own = own_[static_cast<std::size_t>(rank)];
    return own.seconds + piece.seconds + each_.seconds <= most_ &&
           own.bytes + piece.bytes + each_.bytes <= problem_.memory;
  }

  bool whole(std::size_t t, std::size_t o) {
    const Option& option = problem_.options[t][o];
    if (option.place == Place::node) return false;
    std::vector<int> owners;
    for (std::size_t i = 0; i < option.pieces.size(); ++i) {
      int best = -1;
      for (int rank = 0; rank < problem_.ranks; ++rank) {
        if (option.place == Place::fixed && rank != option.owners[i]) continue;
        if (!fits(rank, option.pieces[i]) || std::find(owners.begin(), owners.end(), rank) != owners.end()) continue;
        if (best < 0 || own_[static_cast<std::size_t>(rank)].seconds > own_[static_cast<std::size_t>(best)].seconds)
          best = rank;
      }
      if (best < 0) return false;
      owners.push_back(best);
    }
    for (std::size_t i = 0; i < owners.size(); ++i) own_[static_cast<std::size_t>(owners[i])] += option.pieces[i];
    choices_[t] = {o, owners};
    return true;
  }

  /// Pieces of rows to the ranks with most room, in the form that costs less in all.
  bool cut_rows(std::size_t t, std::size_t cheapest) {
    if (!problem_.free_rows[t]) return false;
    Option best;
    for (const ExchangeForm form : {ExchangeForm::pooled, ExchangeForm::rows}) {
      Option option = cut_rows(*problem_.free_rows[t], form);
      if (option.pieces.empty()) continue;
      derive(option, problem_.ranks);
      if (best.pieces.empty() || option.total < best.total) best = std::move(option);
    }
    if (best.pieces.empty()) return false;
    each_.seconds += best.each.seconds - problem_.options[t][cheapest].each.seconds;
    each_.bytes += best.each.bytes - problem_.options[t][cheapest].each.bytes;
    for (std::size_t i = 0; i < best.pieces.size(); ++i) own_[static_cast<std::size_t>(best.owners[i])] += best.pieces[i];
    choices_[t] = {problem_.options[t].size(), best.owners};
    best.owners.clear();
    problem_.options[t].push_back(std::move(best));
    return true;
  }

  Option cut_rows(const TableCosts& costs, ExchangeForm form) const {
    constexpr Index count = embedding::RowBlocks::count;
    std::vector<int> ranks(own_.size());
    std::iota(ranks.begin(), ranks.end(), 0);
    std::stable_sort(ranks.begin(), ranks.end(), [this](int a, int b) {
      return own_[static_cast<std::size_t>(a)].seconds < own_[static_cast<std::size_t>(b)].seconds;
    });
    Option option;
    option.type = ShardingType::row_wise;
    option.form = form;
    option.borders = {0};
    for (const int rank : ranks) {
      const Index begin = option.borders.back();
      const auto load = [&](Index end) { return costs.shard({begin, end}, {0, costs.dim()}, form); };
      if (begin == count) break;
      Index low = begin, high = count;  // low fits
      if (fits(rank, load(high).owner)) low = high;
      while (high - low > 1) {
        const Index middle = (low + high) / 2;
        (fits(rank, load(middle).owner) ? low : high) = middle;
      }
      if (low == begin) continue;
      const ShardLoad piece = load(low);
      option.borders.push_back(low);
      option.owners.push_back(rank);
      option.pieces.push_back(piece.owner);
      option.each += piece.each;
    }
    if (option.borders.back() != count) return {};
    return option;
  }

  Problem& problem_;
  double most_;
  std::vector<Load> own_;
  Load each_;
  std::vector<Choice> choices_;
};

}  // namespace

std::vector<Choice> fill_up(Problem& problem, double most) { return Bins(problem, most).run(); }

}  // namespace tesserec::sharding
