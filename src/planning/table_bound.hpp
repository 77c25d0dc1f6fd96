// SPDX-License-Identifier: Apache-2.0
/// The least price of one table, whichever way it goes.
#pragma once

#include <deque>
#include <vector>

#include "dual_function.hpp"
#include "problem.hpp"

namespace tesserec::planning {

/// Share by which sums may be off.
constexpr double rounding = 1e-9;

/// What is added for a piece of so many seconds on a rank with so much room.
struct Counts {
  const DualFunction& dual;
  double room;
  double operator()(double own) const { return dual.of(own / room); }
};

/// What ways of tables load: seconds of their pieces, seconds of every rank, and each f_k of the pieces.
struct Loaded {
  double own = 0, each = 0;
  DualShares counts{};
  void add(const RowPartitions::Pieces& pieces, double narrowest, double room);
};

class TableBound {
 public:
  /// With each cut's own borders where `exact`, with counts where `exact_counts` too; else with the best length a
  /// block, which is at most that.
  TableBound(const std::deque<Option>& options, const FreeTable* free, bool exact, bool exact_counts);

  /// The least price, with `counts` of its pieces, of a way that is in and has no piece above `piece`; infinity where
  /// there is none. What that way loads is added to `loaded`.
  double least(const Load& piece, const Price& price, const Counts* counts = nullptr, Loaded* loaded = nullptr) const;
  /// Ways that cost more than `most` are out.
  void leave_out(const Load& piece, const Price& price, double most);
  /// All ways are in again.
  void take_in();

 private:
  /// An option, or all cuts of rows in one form with as many columns.
  struct Way {
    const Option* option = nullptr;
    const FreeTable::Cut* cut = nullptr;
    bool out = false;
  };
  struct Priced {
    double price;
    const Way* way;
    RowPartitions::Relaxed relaxed;
    bool whole;
  };
  Priced at_least(const Way& way, const Load& piece, const Price& price, const Counts* counts, double most) const;

  bool exact_, exact_counts_;
  std::vector<Way> ways_;
};

}  // namespace tesserec::planning
