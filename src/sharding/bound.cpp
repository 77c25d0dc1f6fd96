// SPDX-License-Identifier: Apache-2.0
// A plan whose largest load is M gives each rank pieces of at most M. For a dual feasible function f (numbers that
// sum to at most 1 have images that sum to at most 1; Fekete, Schepers, Math. Program. 2001) the images of all pieces,
// over M, sum to at most the number of ranks, whatever option each table takes. So M is too small when the sum of the
// tables' least images is larger. f(x) = x is the argument of the average load, where a table's least total is that of
// its options without a piece above M; f_k counts the pieces above M / (k + 1), at most k a rank: the pigeonhole.
#include <algorithm>
#include <cmath>
#include <limits>

#include "problem.hpp"

namespace tesserec::sharding {
namespace {

constexpr double rounding = 1e-9;
/// More tables than this are small beside a rank's share, and only work counts.
constexpr std::size_t most_tables = 400;

/// share * x + (1 - share) * f_k(x), k = 0: the identity; or large ones as 1, small ones as 0.
struct Dual {
  int k = 0;
  double share = 1;
  double small = 0;
  double operator()(double x) const {
    if (small > 0) return x > 1 - small + rounding ? 1 : x < small - rounding ? 0 : x;
    if (k == 0) return x;
    const double scaled = (k + 1) * x, nearest = std::round(scaled);
    // At a whole number f_k(x) = x; rounding must not lift it.
    const double f = std::fabs(scaled - nearest) < rounding ? std::min(x, nearest / (k + 1)) : std::floor(scaled) / k;
    return share * x + (1 - share) * f;
  }
};

std::vector<Dual> duals() {
  std::vector<Dual> list;
  for (int k = 1; k <= 3; ++k)
    for (const double share : {0.0, 0.2, 0.4, 0.6, 0.8}) list.push_back({k, share, 0});
  for (const double small : {0.1, 0.2, 0.25, 0.3, 1.0 / 3, 0.4, 0.45, 0.5}) list.push_back({0, 1, small});
  return list;
}

class Bound {
 public:
  explicit Bound(const Problem& problem) : problem_(problem), pieces_(2 * problem.options.size()) {
    for (std::size_t t = 0; t < problem.options.size(); ++t) {
      double least = std::numeric_limits<double>::infinity();
      for (const Option& option : problem.options[t]) least = std::min(least, option.each.seconds);
      if (problem.free_rows[t])
        for (const ExchangeForm form : {ExchangeForm::pooled, ExchangeForm::rows})
          least = std::min(least, problem.free_rows[t]->ideal(1, form).each.seconds);
      least_each_.push_back(least);
      each_ += least;
    }
  }

  /// Of the loads that every plan puts on each rank.
  double base() const { return problem_.base + each_; }

  /// Whether no plan has a load of at most `most`, by the work and bytes of all ranks: `memory` weighs the bytes.
  bool work_refutes(double most, double memory) const {
    const double room = (most - base()) * (1 + rounding);
    if (room < 0) return true;
    const double ranks = problem_.ranks;
    double sum = 0;
    for (std::size_t t = 0; t < least_each_.size(); ++t) {
      double least = std::numeric_limits<double>::infinity();
      for (const Option& option : problem_.options[t]) {
        if (option.biggest + option.each.seconds - least_each_[t] > room) continue;
        const double seconds = option.total - ranks * least_each_[t];
        least = std::min(least, (1 - memory) * seconds / room + memory * option.total_bytes / problem_.memory);
      }
      sum += std::min(least, cut_rows(t, room, memory));
    }
    return sum > ranks * (1 + rounding);
  }

  /// The least work of a table whose rows are cut into pieces of at most `room` seconds. With one vector a bag and piece,
  /// work is concave in a piece's share of the rows, so as many pieces as possible are as large as possible, and one is
  /// the rest. With the vectors that subtrees of blocks need, no piece but that of the last rows has less work a row
  /// than the best number of blocks.
  double cut_rows(std::size_t t, double room, double memory) const {
    double least = std::numeric_limits<double>::infinity();
    if (!problem_.free_rows[t]) return least;
    const TableCosts& costs = *problem_.free_rows[t];
    const double ranks = problem_.ranks, block = costs.block_share();
    for (const ExchangeForm form : {ExchangeForm::pooled, ExchangeForm::rows}) {
      const auto fits = [&](const Load& owner) { return owner.seconds <= room && owner.bytes <= problem_.memory; };
      const auto work = [&](const ShardLoad& load) {
        return (1 - memory) * (load.owner.seconds + ranks * load.each.seconds) / room +
               memory * (load.owner.bytes + ranks * load.each.bytes) / problem_.memory;
      };
      const auto ideal = [&](double share) { return work(costs.ideal(share, form)); };
      double all = 0;
      if (fits(costs.ideal(1, form).owner)) {
        all = ideal(1);
      } else {
        const Index used = costs.used_blocks();
        Index most = 0, above = used;  // blocks of a piece
        while (above - most > 1) {
          const Index middle = (most + above) / 2;
          (fits(costs.ideal(static_cast<double>(middle) * block, form).owner) ? most : above) = middle;
        }
        if (most == 0 || (used + most - 1) / most > problem_.ranks) continue;
        const double share = static_cast<double>(most) * block, full = std::floor(1 / share), rest = 1 - full * share;
        all = full * ideal(share) + (rest > 1e-12 ? ideal(rest) : 0);
        all = std::max(all, by_rate(t, form, most, fits, work));
      }
      least = std::min(least, all - (1 - memory) * ranks * least_each_[t] / room);
    }
    return least;
  }

  /// Least of a sum of `value` over pieces of at most `most` blocks each that `fits` takes: the piece of the last rows
  /// is as it is, no other has less value a row than the best.
  template <class Fits, class Value>
  double by_rate(std::size_t t, ExchangeForm form, Index most, const Fits& fits, const Value& value) const {
    const Pieces& pieces = this->pieces(t, form);
    const double none = std::numeric_limits<double>::infinity(), block = problem_.free_rows[t]->block_share();
    double rate = none, least = none;
    for (Index n = 1; n <= most; ++n) {
      const ShardLoad& load = pieces.any[static_cast<std::size_t>(n - 1)];
      if (fits(load.owner)) rate = std::min(rate, value(load) / (static_cast<double>(n) * block));
    }
    for (Index n = 1; n <= most; ++n) {
      const auto& [rows, load] = pieces.last[static_cast<std::size_t>(n - 1)];
      if (fits(load.owner)) least = std::min(least, (rows < 1 ? rate * (1 - rows) : 0) + value(load));
    }
    return least;
  }

  /// Loads of 1, 2, ... blocks of a table: anywhere at the least, and of the last ones with their share of the rows.
  struct Pieces {
    std::vector<ShardLoad> any;
    std::vector<std::pair<double, ShardLoad>> last;
  };
  const Pieces& pieces(std::size_t t, ExchangeForm form) const {
    Pieces& pieces = pieces_[2 * t + (form == ExchangeForm::rows)];
    if (!pieces.any.empty()) return pieces;
    const TableCosts& costs = *problem_.free_rows[t];
    const Index used = costs.used_blocks();
    for (Index n = 1; n <= used; ++n) {
      const double before = static_cast<double>(used - n) * costs.block_share();
      const Range blocks{n == used ? 0 : used - n, embedding::RowBlocks::count};
      pieces.any.push_back(costs.least(n, form));
      pieces.last.emplace_back(n == used ? 1 : 1 - before, costs.shard(blocks, {0, costs.dim()}, form));
    }
    return pieces;
  }

  bool refutes(double most, const Dual& f) const {
    const double room = (most - base()) * (1 + rounding);
    if (room < 0) return true;
    double sum = 0;
    for (std::size_t t = 0; t < least_each_.size(); ++t) {
      double least = std::numeric_limits<double>::infinity();
      if (problem_.free_rows[t])
        for (const ExchangeForm form : {ExchangeForm::pooled, ExchangeForm::rows}) {
          const double linear = f.small > 0 ? 0 : f.share * problem_.ranks / room;
          const auto fits = [&](const Load& owner) {
            return owner.seconds <= room && owner.bytes <= problem_.memory;
          };
          const auto image = [&](const ShardLoad& load) {
            return f(load.owner.seconds / room) + linear * load.each.seconds;
          };
          const double all = by_rate(t, form, problem_.free_rows[t]->used_blocks(), fits, image);
          least = std::min(least, std::max(0.0, all - linear * least_each_[t]));
        }
      for (const Option& option : problem_.options[t]) {
        const double extra = option.each.seconds - least_each_[t];
        if (option.biggest + extra > room) continue;
        double images = problem_.ranks * f(extra / room);
        for (const Option::Size& size : option.sizes) images += size.count * f(size.seconds / room);
        least = std::min(least, images);
      }
      sum += least;
    }
    return sum > problem_.ranks * (1 + rounding);
  }

  /// The largest load of pieces that the deck puts on ranks.
  double fixed() const {
    std::vector<double> load(static_cast<std::size_t>(problem_.ranks));
    for (const auto& options : problem_.options) {
      if (options.size() > 1 && options[0].place != Place::fixed) continue;
      for (std::size_t i = 0; i < options[0].owners.size(); ++i) {
        double least = std::numeric_limits<double>::infinity();
        for (const Option& option : options) least = std::min(least, option.pieces[i].seconds);
        load[static_cast<std::size_t>(options[0].owners[i])] += least;
      }
    }
    return *std::max_element(load.begin(), load.end());
  }

 private:
  const Problem& problem_;
  std::vector<double> least_each_;  // [table] of its options
  double each_ = 0;
  mutable std::vector<Pieces> pieces_;  // [table][form]
};

}  // namespace

double lower_bound(const Problem& problem, double target) {
  const Bound bound(problem);
  double low = bound.base() + bound.fixed(), high = std::max(target, low);
  std::vector<double> weights = {0};
  if (problem.memory < 1e17)
    for (const double weight : {0.1, 0.25, 0.5, 0.75, 0.9}) weights.push_back(weight);
  for (const double weight : weights) {  // what refutes a load refutes all smaller ones
    double below = low, above = high;
    if (!bound.work_refutes(below, weight)) continue;
    if (target <= 0)
      for (above = 2 * below + 1e-9; bound.work_refutes(above, weight) && above < 1e9; above *= 2) below = above;
    for (int i = 0; i < 40 && above - below > 1e-6 * above; ++i) {
      const double middle = 0.5 * (below + above);
      (bound.work_refutes(middle, weight) ? below : above) = middle;
    }
    low = std::max(low, below);
  }
  // The other functions refute single loads; the largest refuted one counts.
  if (problem.options.size() > most_tables || target <= 0) return target > 0 ? std::min(low, target) : low;
  constexpr int grid = 24;
  for (const Dual& f : duals())
    for (int i = grid; i > 0; --i) {
      const double most = low + (high - low) * (i - 1e-6) / grid;
      if (high - low < 2e-3 * high) break;
      if (!bound.refutes(most, f)) continue;
      low = most;
      break;
    }
  return target > 0 ? std::min(low, target) : low;
}

}  // namespace tesserec::sharding
