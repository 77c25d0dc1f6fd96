// SPDX-License-Identifier: Apache-2.0
// Lower bound of the largest load. Let M be the largest load of a plan, and E the load that its tables put on every
// rank. The pieces of a rank have at most M - E. Let the least work of a table be the least over all cuts of it
// without a piece above M - E. M is too small if the tables' least work exceeds M times the number of ranks. The same
// holds for weighted sums of work and bytes.
//
// E is unknown, but it is at least the sum of the tables' least loads of every rank. Two steps raise this sum. Work in
// which E counts several times has a least value, too, from which a bound of E follows. Candidates that cost more than
// the other tables leave are dropped.
#include <algorithm>

#include "problem.hpp"

namespace tesserec::planning {
namespace {

constexpr int passes = 2;
/// Resolution of the bound, as a fraction of it.
constexpr double resolution = 5e-4;
/// Relative rounding error of the sums.
constexpr double rounding = 1e-9;

/// Least price of one table over its options and cuts.
class TableBound {
 public:
  TableBound(const std::deque<Option>& options, const FreeTable* free) {
    for (const Option& option : options) {
      const bool among_cuts = free && option.owner_rule == OwnerRule::anywhere && !option.pieces.empty() &&
                              (option.column_cuts == 1 || free->max_columns() >= option.column_cuts);
      if (!among_cuts) candidates_.push_back({&option});
    }
    if (free)
      for (const FreeTable::Cut& cut : free->cuts()) candidates_.push_back({nullptr, &cut});
  }

  /// Returns a lower bound of the price of all remaining candidates without a piece above `piece`; infinity if there is
  /// no such candidate.
  double least(const Load& piece, const Price& price) const {
    double best = infinity;
    for (const Candidate& candidate : candidates_)
      if (!candidate.dropped) best = std::min(best, price_of(candidate, piece, price, best));
    return best;
  }

  /// Drops candidates that cost more than `max_price`.
  void drop(const Load& piece, const Price& price, double max_price) {
    const double limit = max_price * (1 + rounding);
    for (Candidate& candidate : candidates_)
      candidate.dropped = candidate.dropped || price_of(candidate, piece, price, limit) > limit;
  }

  /// Restores all candidates.
  void restore() {
    for (Candidate& candidate : candidates_) candidate.dropped = false;
  }

 private:
  /// Option, or all cuts of rows with one form and one number of column pieces.
  struct Candidate {
    const Option* option = nullptr;
    const FreeTable::Cut* cut = nullptr;
    bool dropped = false;
  };

  /// Returns a lower bound of the price of a plan that uses this candidate. It may be loose once it reaches `limit`.
  static double price_of(const Candidate& candidate, const Load& piece, const Price& price, double limit) {
    if (const Option* option = candidate.option) {
      if (option->max_seconds > piece.seconds || option->max_bytes > piece.bytes) return infinity;
      double sum = price.of({{}, option->common});
      for (const Load& load : option->pieces) sum += price.of({load, {}});
      return sum;
    }
    const FreeTable::Cut& cut = *candidate.cut;
    const double columns = double(cut.columns), whole = columns * price.of(cut.whole);
    if (whole >= limit || cut.partitions.fits_whole(piece)) return whole;  // uncut rows are cheapest
    return std::max(whole, columns * cut.partitions.relaxed(piece, price));
  }

  std::vector<Candidate> candidates_;
};

class Bound {
 public:
  explicit Bound(const Problem& problem) : problem_(problem), ranks_(problem.ranks) {
    double bytes = 0;
    for (std::size_t t = 0; t < problem.options.size(); ++t) {
      const auto& options = problem.options[t];
      tables_.emplace_back(options, problem.free[t] ? &*problem.free[t] : nullptr);
      bytes += std::ranges::min_element(options, {}, &Option::total)->total_bytes;
    }
    least_.resize(tables_.size());
    memory_matters_ = bytes > 0.8 * ranks_ * problem.memory;
  }

  /// Returns whether work, or work and bytes, prove that no plan has a load of at most `limit`.
  bool refutes(double limit) {
    const double capacity = (limit - problem_.base) * (1 + rounding);
    double common_load = 0;  // least load that tables put on every rank
    for (TableBound& table : tables_) table.restore();
    for (int pass = 0; pass < passes; ++pass) {
      const auto sum = [&](const Price& price) {
        double sum = 0;
        for (std::size_t t = 0; t < tables_.size() && sum < infinity; ++t)
          sum += least_[t] = tables_[t].least({capacity - common_load, problem_.memory}, price);
        return sum;
      };
      const double before = common_load, common = sum({0, 1, 0, 0});
      common_load = std::max(common_load, common);
      if (common_load > capacity) return true;
      drop({capacity - common_load, problem_.memory}, {0, 1, 0, 0}, capacity - common);
      const double work = sum({1, ranks_, 0, 0});
      if (work > ranks_ * capacity) return true;
      drop({capacity - common_load, problem_.memory}, {1, ranks_, 0, 0}, ranks_ * capacity - work);
      for (const double times : {1.5, 4.0}) {
        const double more = sum({1, times * ranks_, 0, 0});
        common_load = std::max(common_load, (more - ranks_ * capacity) / ((times - 1) * ranks_));
      }
      if (common_load > capacity) return true;
      if (memory_matters_)
        for (const double weight : {0.1, 0.25, 0.5, 0.75, 0.9}) {
          const double seconds = (1 - weight) / capacity, bytes = weight / problem_.memory;
          if (sum({seconds, ranks_ * seconds, bytes, ranks_ * bytes}) > ranks_ * (1 + rounding)) return true;
        }
      if (common_load - before < 1e-3 * capacity) break;
    }
    return false;
  }

  /// Returns the largest load of the pieces whose ranks the deck sets.
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
  /// Drops candidates that cost a table more than `surplus` above its least price. The other tables leave no more than
  /// that.
  void drop(const Load& piece, const Price& price, double surplus) {
    for (std::size_t t = 0; t < tables_.size(); ++t) tables_[t].drop(piece, price, least_[t] + surplus);
  }

  const Problem& problem_;
  double ranks_;
  bool memory_matters_ = false;
  std::vector<TableBound> tables_;
  std::vector<double> least_;  ///< [table] price in the last sum
};

}  // namespace

double lower_bound(const Problem& problem) {
  Bound bound(problem);
  double low = problem.base + bound.fixed(), step = 1e-9 + low, high = low + step;
  while (bound.refutes(high) && high < 1e9) {
    low = high;
    high += step *= 2;
  }
  while (high - low > resolution * high) {
    const double middle = 0.5 * (low + high);
    (bound.refutes(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace tesserec::planning
