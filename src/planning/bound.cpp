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

#include "ascent.hpp"
#include "table_bound.hpp"

namespace tesserec::planning {
namespace {

constexpr int passes = 2;
constexpr int most_sums = 200;
constexpr double sums_of_large = 1.2e5;  // in all bounds together, times tables
constexpr double least_walk = 3e-3;
constexpr int halvings = 8;

class Bound {
 public:
  /// `exact`: with each cut's own borders, else with the best length a block, which is at most that.
  Bound(const Problem& problem, bool exact) : problem_(problem), ranks_(problem.ranks) {
    double bytes = 0;
    for (std::size_t t = 0; t < problem.options.size(); ++t) {
      const auto& options = problem.options[t];
      tables_.emplace_back(options, problem.free[t] ? &*problem.free[t] : nullptr, exact,
                           problem.options.size() <= few_tables);
      const auto least = std::min_element(options.begin(), options.end(),
                                          [](const Option& a, const Option& b) { return a.total < b.total; });
      bytes += least->total_bytes;
    }
    least_.resize(tables_.size());
    sums_left_ = all_sums();
    memory_matters_ = bytes > 0.8 * ranks_ * problem.memory;
  }

  /// Whether work, or work and bytes, refute that load. Ways that cost too much are out afterwards, and `all_each` is
  /// what tables cost every rank at least.
  bool refutes_at_once(double room, double& all_each) {
    for (TableBound& table : tables_) table.take_in();
    for (int pass = 0; pass < passes; ++pass) {
      const auto sum = [&](const Price& price) {
        double sum = 0;
        for (std::size_t t = 0; t < tables_.size() && sum < infinity; ++t)
          sum += least_[t] = tables_[t].least({room - all_each, problem_.memory}, price);
        return sum;
      };
      const double before = all_each, each = sum({0, 1, 0, 0});
      all_each = std::max(all_each, each);
      if (all_each > room) return true;
      leave_out({room - all_each, problem_.memory}, {0, 1, 0, 0}, room - each);
      const double work = sum({1, ranks_, 0, 0});
      if (work > ranks_ * room) return true;
      leave_out({room - all_each, problem_.memory}, {1, ranks_, 0, 0}, ranks_ * room - work);
      for (const double times : {1.5, 4.0}) {
        const double more = sum({1, times * ranks_, 0, 0});
        all_each = std::max(all_each, (more - ranks_ * room) / ((times - 1) * ranks_));
      }
      if (all_each > room) return true;
      if (memory_matters_)
        for (const double weight : {0.1, 0.25, 0.5, 0.75, 0.9}) {
          const double seconds = (1 - weight) / room, bytes = weight / problem_.memory;
          if (sum({seconds, ranks_ * seconds, bytes, ranks_ * bytes}) > ranks_ * (1 + rounding)) return true;
        }
      if (all_each - before < 1e-3 * room) break;
    }
    return false;
  }

  /// Whether no plan has a load of at most `most`: at once, or step by step of what its tables cost every rank.
  bool refutes(double most, bool walk) {
    const double room = (most - problem_.base) * (1 + rounding);
    double each = 0;
    if (refutes_at_once(room, each)) return true;
    if (!walk) return false;
    const double most_each = room - sum(each, room, {1, 0, 0, 0}) / ranks_;  // work alone leaves no more
    int sums = problem_.large ? std::min(all_sums() / 2, sums_left_) : most_sums;
    sums_left_ -= sums;
    while (each < room && each <= most_each) {
      const double next = reach(room, each, sums);
      if (next <= each) prices_.push_back({mixture_, room - each});
      if (next <= each) break;
      each = next;
    }
    sums_left_ += std::max(sums, 0);
    return each >= room || each > most_each;
  }

  /// Of what was not refuted, the last at the end.
  const std::vector<Prices>& prices() const { return prices_; }

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
  /// No plan whose tables cost every rank `each` has a load of `room`, nor up to what is returned: `each` when no
  /// mixture says so. Steps begin at the mixture that did last, for at most `sums` sums over tables.
  double reach(double room, double each, int& sums) {
    const double left = room - each;
    // Of what tables cost every rank beyond `each`, a second weighs so much more than one of work.
    const auto slope = [&](const Mixture& mixture) { return (mixture.each - mixture.work()) / left; };
    double above = 0;  // how far the tables are above what ranks hold, by the mixture tried last
    const auto ahead = [&](const Mixture& mixture, Mixture& gradient) {
      const DualFunction dual(mixture.counts);
      const Counts counts{dual, left};
      Loaded loaded;
      const Price price{mixture.work() / left, mixture.each * ranks_ / left, 0, 0};
      const double sum = this->sum(each, room, price, &counts, &loaded);
      above = sum / ranks_ - (1 + mixture.each * each / left) * (1 + rounding);
      const double walk = slope(mixture) > 0 ? least_walk * room / left : 0;
      gradient.each = (loaded.each - each) / left - walk;
      for (std::size_t k = 0; k < loaded.counts.size(); ++k)
        gradient.counts[k] = (loaded.counts[k] - loaded.own / left) / ranks_ - walk;
      return above - std::max(0.0, slope(mixture)) * least_walk * room;
    };
    if (!ascend(mixture_, ahead, sums)) return each;
    return slope(mixture_) <= 0 ? infinity : each + above / slope(mixture_);
  }

  int all_sums() const { return int(std::clamp(sums_of_large / double(tables_.size()), 60.0, 540.0)); }

  /// The least price of all tables that cost every rank at least `each`.
  double sum(double each, double room, const Price& price, const Counts* counts = nullptr,
             Loaded* loaded = nullptr) const {
    double sum = 0;
    for (const TableBound& table : tables_) sum += table.least({room - each, problem_.memory}, price, counts, loaded);
    return sum;
  }

  /// Ways that cost a table more than `left` above its least are out: the other tables leave no more.
  void leave_out(const Load& piece, const Price& price, double left) {
    for (std::size_t t = 0; t < tables_.size(); ++t) tables_[t].leave_out(piece, price, least_[t] + left);
  }

  const Problem& problem_;
  double ranks_;
  bool memory_matters_ = false;
  Mixture mixture_;
  std::vector<Prices> prices_;
  int sums_left_ = 0;  ///< of a large problem
  std::vector<TableBound> tables_;
  std::vector<double> least_;  ///< [table] of what was summed last
};

}  // namespace

double lower_bound(const Problem& problem, double known, double target, std::vector<Prices>* prices) {
  Bound bound(problem, !problem.large);
  if (target > 0) {
    double low = known, high = target, resolution = problem.large ? close_enough : close_enough / 4;
    if (!problem.large && bound.refutes(target * (1 - rounding), true)) return target;
    for (int i = 0; i < halvings && high - low > resolution * high; ++i) {
      const double middle = 0.5 * (low + high);
      (bound.refutes(middle, true) ? low : high) = middle;
    }
    if (prices) *prices = bound.prices();
    return low;
  }
  double low = std::max(known, problem.base + bound.fixed()), step = 1e-9 + low;
  double high = low + step;
  while (bound.refutes(high, false) && high < 1e9) {
    low = high;
    high += step *= 2;
  }
  while (high - low > (problem.large ? 2e-3 : 5e-4) * high) {
    const double middle = 0.5 * (low + high);
    (bound.refutes(middle, false) ? low : high) = middle;
  }
  return low;
}

}  // namespace tesserec::planning
