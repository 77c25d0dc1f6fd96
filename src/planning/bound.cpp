// SPDX-License-Identifier: Apache-2.0
// A plan whose largest load is M gives each rank pieces of at most M - E, where E is what its tables cost
// every rank. So M is too small when the least work of all tables, each without a piece above M - E, exceeds
// M times the ranks; the same for work and bytes, weighed. E is not known, but at least the sum of the
// tables' least, and more when little work is left to choose: work that counts E more than once also has a
// least value, and ways to cut a table that cost it more than the least of the others leaves are out. The
// least work of a table that may be cut anywhere is found over all ways to do so (row_partitions.hpp). Pieces above
// M / (k + 1), at most k a rank, count 1 / k, those above 2 M / (k + 1) 2 / k and so on: a dual feasible
// function (numbers that sum to at most 1 have images that sum to at most 1; Fekete, Schepers, Math. Program.
// 2001), which is mixed with work. Of c pieces side by side the images sum to at least that of their sum less
// (c - 1) / k.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "problem.hpp"

namespace tesserec::planning {
namespace {

constexpr double rounding = 1e-9;
constexpr double each_step = 0.03;
constexpr int passes = 2;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// `share` of the counts of pieces above room / (k + 1), 2 room / (k + 1), ...
struct Dual {
  int k = 1;
  double share = 0, room = 1;
  /// Of `columns` pieces of `own` seconds each on average.
  double operator()(double own, double columns) const {
    return share == 0 ? 0 : share * std::max(0.0, std::ceil((k + 1) * columns * own / room - 1e-9) - columns) / k;
  }
};

class Bound {
 public:
  /// `exact`: with each cut's own borders, else with the best length a block, which is at most that.
  Bound(const Problem& problem, bool exact) : problem_(problem), ranks_(problem.ranks), exact_(exact) {
    double bytes = 0;
    for (std::size_t t = 0; t < problem.options.size(); ++t) {
      const FreeTable* free = problem.free[t] ? &*problem.free[t] : nullptr;
      TableBound table{free, {}};
      const Option* least = &problem.options[t][0];
      for (const Option& option : problem.options[t]) {
        if (option.total < least->total) least = &option;
        const bool among_cuts = free && option.owner_rule == OwnerRule::anywhere && !option.pieces.empty() &&
                                (option.column_cuts == 1 || free->most_columns() >= option.column_cuts);
        if (!among_cuts) table.ways.push_back({&option});
      }
      if (free)
        for (const FreeTable::Cut& cut : free->cuts()) table.ways.push_back({nullptr, &cut});
      tables_.push_back(std::move(table));
      bytes += least->total_bytes;
    }
    memory_matters_ = bytes > 0.8 * ranks_ * problem.memory;
  }

  /// Whether no plan of the ways at hand has a load of at most `most`.
  bool refutes_within(double most, double& all_each, double most_each, bool duals) {
    const double room = (most - problem_.base) * (1 + rounding);
    for (TableBound& table : tables_)
      for (Way& way : table.ways) way.out = false;
    for (int pass = 0; pass < passes; ++pass) {
      const auto sum = [&](const Price& price) {
        double sum = 0;
        for (TableBound& table : tables_) {
          if (sum == infinity) break;
          sum += table.least = least(table, {room - all_each, problem_.memory}, price);
        }
        return sum;
      };
      const double before = all_each, each = sum({0, 1, 0, 0});
      all_each = std::max(all_each, each);
      if (all_each > std::min(room, most_each)) return true;
      leave_out({room - all_each, problem_.memory}, {0, 1, 0, 0}, std::min(room, most_each) - each);
      const double work = sum({1, ranks_, 0, 0});
      if (work > ranks_ * room) return true;
      leave_out({room - all_each, problem_.memory}, {1, ranks_, 0, 0}, ranks_ * room - work);
      for (const double times : {1.5, 4.0}) {
        const double more = sum({1, times * ranks_, 0, 0});
        all_each = std::max(all_each, (more - ranks_ * room) / ((times - 1) * ranks_));
      }
      if (all_each > std::min(room, most_each)) return true;
      if (memory_matters_)
        for (const double weight : {0.1, 0.25, 0.5, 0.75, 0.9}) {
          const double seconds = (1 - weight) / room, bytes = weight / problem_.memory;
          if (sum({seconds, ranks_ * seconds, bytes, ranks_ * bytes}) > ranks_ * (1 + rounding)) return true;
        }
      if (all_each - before < 1e-3 * room) break;
    }
    if (!duals) return false;
    const double left = room - all_each;
    for (int k = 1; k <= 3; ++k)
      for (const double share : {0.3, 0.6, 0.8, 0.9}) {
        if (problem_.large && share != 0.6 && share != 0.9) continue;
        for (const double times : {1.0, 1.6}) {
          if (times > 1 && most_each == infinity) break;
          double sum = 0;
          const double linear = share / left;
          for (const TableBound& table : tables_)
            sum += least(table, {left, problem_.memory}, {linear, times * ranks_ * linear, 0, 0},
                         Dual{k, 1 - share, left});
          const double each = times > 1 ? all_each + (times - 1) * most_each : all_each;
          if (sum > ranks_ * (1 + linear * each) * (1 + rounding)) return true;
        }
      }
    return false;
  }

  /// Whether no plan has a load of at most `most`: at once, or step by step of what its tables cost every
  /// rank.
  bool refutes(double most, bool duals, int steps) {
    double each = 0;
    if (refutes_within(most, each, infinity, duals)) return true;
    for (int i = 0; i < steps; ++i) {
      const double next = each + each_step * (most - problem_.base);
      double from = each;
      if (!refutes_within(most, from, next, true)) return false;
      each = next;
      if (refutes_within(most, each, infinity, true)) return true;
    }
    return false;
  }

  /// The largest load of pieces that the deck puts on ranks.
  double fixed() const {
    std::vector<double> load(problem_.ranks);
    for (const auto& options : problem_.options) {
      if (options.size() > 1 && options[0].owner_rule != OwnerRule::fixed) continue;
      for (std::size_t i = 0; i < options[0].owners.size(); ++i) {
        double least = infinity;
        for (const Option& option : options) least = std::min(least, option.pieces[i].seconds);
        load[options[0].owners[i]] += least;
      }
    }
    return *std::max_element(load.begin(), load.end());
  }

 private:
  /// An option, or all cuts of rows in one form with as many columns.
  struct Way {
    const Option* option = nullptr;
    const FreeTable::Cut* cut = nullptr;
    bool out = false;
  };
  struct TableBound {
    const FreeTable* free = nullptr;
    std::vector<Way> ways;
    double least = 0;  ///< of what was summed last
  };

  static double image(const Dual& dual, double own, double columns) {
    return dual.share == 0 ? 0 : dual(own, columns) / columns;
  }

  /// No plan has the table this way, without a piece above `piece`, for less; of no interest from `most` on.
  static double at_least(const TableBound& table, const Way& way, const Load& piece, const Price& price,
                         const Dual& dual, double most) {
    if (const Option* option = way.option) {
      if (option->biggest > piece.seconds || option->most_bytes > piece.bytes) return infinity;
      double value = price.of({{}, option->each});
      for (const Load& load : option->pieces) value += price.of({load, {}}) + dual(load.seconds, 1);
      return value;
    }
    const double columns = double(way.cut->columns), whole = columns * price.of(way.cut->whole);
    if (whole >= most) return whole;  // uncut rows cost least
    if (dual.share == 0 && table.free->partitions(*way.cut).fits_whole(piece)) return whole;
    const auto f = [&](double own) { return image(dual, own, columns); };
    return std::max(whole, columns * table.free->partitions(*way.cut).relaxed(piece, price, f));
  }

  /// Ways that cost a table more than `left` above its least are out: the other tables leave no more.
  void leave_out(const Load& piece, const Price& price, double left) {
    for (TableBound& table : tables_) {
      const double most = (table.least + left) * (1 + rounding);
      for (Way& way : table.ways) way.out = way.out || at_least(table, way, piece, price, {}, most) > most;
    }
  }

  /// The least price of a table without a piece above `piece`.
  double least(const TableBound& table, const Load& piece, const Price& price, const Dual& dual = {}) const {
    double best = infinity;
    struct Candidate {
      double least;
      const FreeTable::Cut* cut;
    };
    std::vector<Candidate> candidates;
    for (const Way& way : table.ways) {
      if (way.out) continue;
      const double least = at_least(table, way, piece, price, dual, best);
      if (least >= best) continue;
      if (way.cut)
        candidates.push_back({least, way.cut});
      else
        best = least;
    }
    std::sort(candidates.begin(), candidates.end(),
              [](const Candidate& a, const Candidate& b) { return a.least < b.least; });
    for (const auto& [least, cut] : candidates) {
      if (least >= best) break;
      const double columns = cut->columns;
      const bool exact =
          !exact_ || cut->form == ExchangeForm::rows || (least <= columns * price.of(cut->whole) * (1 + rounding));
      const RowPartitions& partitions = table.free->partitions(*cut);
      best = std::min(best, exact             ? least
                            : dual.share == 0 ? columns * partitions.least(piece, price)
                                              : columns * partitions.least(piece, price, [&](double own) {
                                                  return image(dual, own, columns);
                                                }));
    }
    return best;
  }

  const Problem& problem_;
  double ranks_;
  bool exact_;
  bool memory_matters_ = false;
  std::vector<TableBound> tables_;
};

}  // namespace

double lower_bound(const Problem& problem, double known, double target) {
  Bound bound(problem, !problem.large);
  if (target > 0) {
    const bool duals = problem.large || problem.options.size() <= 20;
    const int steps = problem.options.size() <= 8 ? 25 : 0;
    double low = known, high = target;
    if (bound.refutes(target * (1 - rounding), duals, steps)) return target;
    for (int i = 0; i < (problem.large ? 4 : 7); ++i) {
      const double middle = 0.5 * (low + high);
      (bound.refutes(middle, duals, steps) ? low : high) = middle;
    }
    return low;
  }
  double low = std::max(known, problem.base + bound.fixed()), step = 1e-9 + low;
  double high = low + step;
  while (bound.refutes(high, false, 0) && high < 1e9) low = high, high += step *= 2;
  while (high - low > (problem.large ? 2e-3 : 5e-4) * high) {
    const double middle = 0.5 * (low + high);
    (bound.refutes(middle, false, 0) ? low : high) = middle;
  }
  return low;
}

}  // namespace tesserec::planning
