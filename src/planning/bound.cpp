// SPDX-License-Identifier: Apache-2.0
// A plan whose largest load is M gives each rank pieces of at most M - E, where E is what its tables cost
// every rank. So M is too small when the least work of all tables, each without a piece above M - E, exceeds
// M times the ranks; the same for work and bytes, weighed. E is not known, but at least the sum of the
// tables' least, and more when little work is left to choose: work that counts E more than once also has a
// least value, and ways to cut a table that cost it more than the least of the others leaves are out. The
// least work of a table that may be cut anywhere is found over all ways to do so (row_partitions.hpp). Work is
// mixed with counts of large pieces (dual_function.hpp), and E is walked through from its least value on: a mixture
// that refutes M at one E refutes it up to a larger one, from where the next mixture goes on.
#include <algorithm>
#include <cmath>
#include <limits>

#include "dual_function.hpp"
#include "mixture.hpp"
#include "problem.hpp"

namespace tesserec::planning {
namespace {

constexpr double rounding = 1e-9;
constexpr double each_step = 0.03;
constexpr int passes = 2;
constexpr int most_sums = 50, most_steps = 25;
constexpr double sums_of_large = 1.8e5;  // in all bounds together, times tables
constexpr double least_walk = 3e-3;
constexpr int halvings = 6;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// What is added for a piece of so many seconds on a rank with so much room.
struct Counts {
  const DualFunction& dual;
  double room;
  double operator()(double own) const { return dual.of(own / room); }
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
    sums_left_ = all_sums();
    memory_matters_ = bytes > 0.8 * ranks_ * problem.memory;
  }

  /// Whether no plan of the ways at hand has a load of at most `most`.
  bool refutes_within(double most, double& all_each, double most_each, bool counted) {
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
    return counted && counts_refute(room, all_each, most_each);
  }

  /// Whether no plan has a load of at most `most`: at once, or step by step of what its tables cost every rank.
  bool refutes(double most, bool walk) {
    const bool few = tables_.size() <= few_tables;
    const double room = (most - problem_.base) * (1 + rounding);
    double each = 0;
    if (refutes_within(most, each, infinity, walk && few)) return true;
    if (!walk) return false;
    for (int i = 0; few && i < most_steps; ++i) {
      const double next = each + each_step * (most - problem_.base);
      double from = each;
      if (!refutes_within(most, from, next, true)) break;
      each = next;
      if (refutes_within(most, each, infinity, true)) return true;
    }
    if (few && refutes_within(most, each, infinity, false)) return true;     // ways are in again
    const double most_each = room - sum(each, room, {1, 0, 0, 0}) / ranks_;  // work alone leaves no more
    int sums = problem_.large ? std::min(all_sums() / 2, sums_left_) : most_sums;
    sums_left_ -= sums;
    while (each < room && each <= most_each) {
      const double next = reach(room, each, sums);
      if (next <= each) prices_ = {mixture_, room - each};
      if (next <= each) break;
      each = next;
    }
    sums_left_ += std::max(sums, 0);
    return each >= room || each > most_each;
  }

  /// Of what was refuted last, the least load of all.
  const Prices& prices() const { return prices_; }

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

  /// Whether work mixed with one count at a time exceeds what the ranks hold; for few tables, whose ways were left out.
  bool counts_refute(double room, double all_each, double most_each) const {
    const double left = room - all_each;
    for (std::size_t k = 0; k < 3; ++k)
      for (const double share : {0.3, 0.6, 0.8, 0.9}) {
        DualShares shares{};
        shares[k] = 1 - share;
        const DualFunction dual(shares);
        const Counts counts{dual, left};
        for (const double times : {1.0, 1.6}) {
          if (times > 1 && most_each == infinity) break;
          double sum = 0;
          const double linear = share / left;
          for (const TableBound& table : tables_)
            sum += least(table, {left, problem_.memory}, {linear, times * ranks_ * linear, 0, 0}, &counts);
          const double each = times > 1 ? all_each + (times - 1) * most_each : all_each;
          if (sum > ranks_ * (1 + linear * each) * (1 + rounding)) return true;
        }
      }
    return false;
  }

  /// No plan whose tables cost every rank `each` has a load of `room`, nor up to what is returned: `each` when no
  /// mixture says so. The mixture is climbed from the one that did last, for at most `sums` sums over tables.
  double reach(double room, double each, int& sums) {
    const double left = room - each;
    // Of what tables cost every rank beyond `each`, a second weighs so much more than one of work.
    const auto slope = [&](const Mixture& mixture) { return (mixture.each - mixture.work()) / left; };
    double above = 0;  // how far the tables are above what ranks hold, by the mixture tried last
    const auto ahead = [&](const Mixture& mixture) {
      const DualFunction dual(mixture.counts);
      const Counts counts{dual, left};
      const double sum = this->sum(each, room, {mixture.work() / left, mixture.each * ranks_ / left, 0, 0}, &counts);
      above = sum / ranks_ - (1 + mixture.each * each / left) * (1 + rounding);
      return above - std::max(0.0, slope(mixture)) * least_walk * room;
    };
    if (!climb(mixture_, ahead, sums)) return each;
    return slope(mixture_) <= 0 ? infinity : each + above / slope(mixture_);
  }

  int all_sums() const { return int(std::clamp(sums_of_large / double(tables_.size()), 60.0, 540.0)); }

  /// The least price of all tables that cost every rank at least `each`.
  double sum(double each, double room, const Price& price, const Counts* counts = nullptr) const {
    double sum = 0;
    for (const TableBound& table : tables_) sum += least(table, {room - each, problem_.memory}, price, counts);
    return sum;
  }

  /// No plan has the table this way, without a piece above `piece`, for less; of no interest from `most` on.
  static double at_least(const TableBound& table, const Way& way, const Load& piece, const Price& price,
                         const Counts* counts, double most) {
    if (const Option* option = way.option) {
      if (option->biggest > piece.seconds || option->most_bytes > piece.bytes) return infinity;
      double value = price.of({{}, option->each});
      for (const Load& load : option->pieces) value += price.of({load, {}}) + (counts ? (*counts)(load.seconds) : 0);
      return value;
    }
    const FreeTable::Cut& cut = *way.cut;
    const double columns = double(cut.columns), whole = columns * price.of(cut.whole);
    if (whole >= most) return whole;  // uncut rows cost least
    const RowPartitions& partitions = table.free->partitions(cut);
    const bool counted = counts && (*counts)(cut.whole.owner.seconds) > 0;
    if (!counted && partitions.fits_whole(piece)) return whole;
    const auto f = [&](double own) { return counted ? (*counts)(own * cut.narrowest) : 0; };
    return std::max(whole, columns * partitions.relaxed(piece, price, f));
  }

  /// Ways that cost a table more than `left` above its least are out: the other tables leave no more.
  void leave_out(const Load& piece, const Price& price, double left) {
    for (TableBound& table : tables_) {
      const double most = (table.least + left) * (1 + rounding);
      for (Way& way : table.ways) way.out = way.out || at_least(table, way, piece, price, nullptr, most) > most;
    }
  }

  /// The least price of a table without a piece above `piece`.
  double least(const TableBound& table, const Load& piece, const Price& price, const Counts* counts = nullptr) const {
    double best = infinity;
    struct Candidate {
      double least;
      const FreeTable::Cut* cut;
    };
    std::vector<Candidate> candidates;
    for (const Way& way : table.ways) {
      if (way.out) continue;
      const double least = at_least(table, way, piece, price, counts, best);
      if (least >= best) continue;
      if (way.cut && exact_ && (!counts || tables_.size() <= few_tables))
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
          (cut->form == ExchangeForm::rows && !counts) || least <= columns * price.of(cut->whole) * (1 + rounding);
      const RowPartitions& partitions = table.free->partitions(*cut);
      const auto f = [&](double own) { return counts ? (*counts)(own * cut->narrowest) : 0; };
      best = std::min(best, exact     ? least
                            : !counts ? columns * partitions.least(piece, price)
                                      : columns * partitions.least(piece, price, f));
    }
    return best;
  }

  const Problem& problem_;
  double ranks_;
  bool exact_;
  bool memory_matters_ = false;
  Mixture mixture_;
  Prices prices_;
  int sums_left_ = 0;  ///< of a large problem
  std::vector<TableBound> tables_;
};

}  // namespace

double lower_bound(const Problem& problem, double known, double target, Prices* prices) {
  Bound bound(problem, !problem.large);
  if (target > 0) {
    double low = known, high = target;
    if (!problem.large && bound.refutes(target * (1 - rounding), true)) return target;
    for (int i = 0; i < halvings && high - low > close_enough * high; ++i) {
      const double middle = 0.5 * (low + high);
      (bound.refutes(middle, true) ? low : high) = middle;
    }
    if (prices) *prices = bound.prices();
    return low;
  }
  double low = std::max(known, problem.base + bound.fixed()), step = 1e-9 + low;
  double high = low + step;
  while (bound.refutes(high, false) && high < 1e9) low = high, high += step *= 2;
  while (high - low > (problem.large ? 2e-3 : 5e-4) * high) {
    const double middle = 0.5 * (low + high);
    (bound.refutes(middle, false) ? low : high) = middle;
  }
  return low;
}

}  // namespace tesserec::planning
