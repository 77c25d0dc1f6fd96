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
  /// `reserved`: for the loads of every rank, which cuts add to.
  Bins(Problem& problem, double most, const Load& reserved)
      : problem_(problem),
        most_(most),
        reserved_(reserved),
        own_(static_cast<std::size_t>(problem.ranks)),
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
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      const bool fixed_a = option(a).place == Place::fixed, fixed_b = option(b).place == Place::fixed;
      return fixed_a != fixed_b ? fixed_a : option(a).biggest > option(b).biggest;
    });
    for (const std::size_t t : order)
      if (!whole(t, cheapest[t]) && !cut_rows(t, cheapest[t])) return false;
    return true;
  }

  bool kept_level() const {
    for (const Load& own : own_)
      if (own.seconds + each_.seconds > most_ * (1 + 1e-9) || own.bytes + each_.bytes > problem_.memory) return false;
    return true;
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
    return own.seconds + piece.seconds + std::max(each_.seconds, reserved_.seconds) <= most_ &&
           own.bytes + piece.bytes + std::max(each_.bytes, reserved_.bytes) <= problem_.memory;
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
    cuts_.emplace_back(t, std::move(best));
    return true;
  }

  /// A border a little earlier may split fewer subtrees and send fewer vectors: the end with the most rows a second.
  template <class Loads>
  Index best_end(Index begin, Index last, const Loads& load) const {
    Index best = last;
    double best_rate = 0;
    for (Index unit = 1; unit <= embedding::RowBlocks::count; unit *= 2) {
      const Index end = last / unit * unit;
      if (end <= begin || 2 * (end - begin) < last - begin) break;
      const ShardLoad piece = load(end);
      const double rate = static_cast<double>(end - begin) / (piece.owner.seconds + problem_.ranks * piece.each.seconds);
      if (rate > best_rate * (1 + 1e-9)) best = end, best_rate = rate;
    }
    return best;
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
      low = best_end(begin, low, load);
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
  Load reserved_;
  std::vector<Load> own_;
  Load each_;
  std::vector<Choice> choices_;
  std::vector<std::pair<std::size_t, Option>> cuts_;
};

}  // namespace

std::vector<Choice> fill_up(Problem& problem, double most) {
  Load reserved;
  for (int pass = 0; pass < 4; ++pass) {
    Bins bins(problem, most, reserved);
    const bool filled = bins.run();
    if (filled && bins.kept_level()) return bins.choices();
    if (!filled && bins.each().seconds <= reserved.seconds) return {};
    reserved = bins.each();
  }
  return {};
}

}  // namespace tesserec::sharding
