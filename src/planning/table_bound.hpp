// SPDX-License-Identifier: Apache-2.0
/// The least price of one table over its options and cuts.
#pragma once

#include <deque>
#include <vector>

#include "problem.hpp"

namespace tesserec::planning {

/// Share by which sums may be off.
constexpr double rounding = 1e-9;

class TableBound {
 public:
  TableBound(const std::deque<Option>& options, const FreeTable* free);

  /// Returns a price that no remaining way without a piece above `piece` goes below; infinity if there is no such way.
  double least(const Load& piece, const Price& price) const;
  /// Drops ways that cost more than `most`.
  void leave_out(const Load& piece, const Price& price, double most);
  /// Restores all ways.
  void take_in();

 private:
  /// An option, or all cuts of rows in one form with as many columns.
  struct Way {
    const Option* option = nullptr;
    const FreeTable::Cut* cut = nullptr;
    bool out = false;
  };
  static double price_of(const Way& way, const Load& piece, const Price& price, double most);

  std::vector<Way> ways_;
};

}  // namespace tesserec::planning
