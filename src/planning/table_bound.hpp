// SPDX-License-Identifier: Apache-2.0
/// The least price of one table, whichever way it goes.
#pragma once

#include <deque>
#include <vector>

#include "dual_function.hpp"
#include "problem.hpp"

namespace tesserec::planning {

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
  /// `exact`: with each cut's own borders, else with the best length a block, which is at most that.
  TableBound(const std::deque<Option>& options, const FreeTable* free, bool exact);

  /// The least price of a table without a piece above `piece`. `counts`: of its pieces, also with each cut's own
  /// borders where `few`. `loaded`: what that way loads is added.
  double least(const Load& piece, const Price& price, const Counts* counts = nullptr, bool few = false,
               Loaded* loaded = nullptr) const;
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

  const FreeTable* free_;
  bool exact_;
  std::vector<Way> ways_;
};

}  // namespace tesserec::planning
