// SPDX-License-Identifier: Apache-2.0
/// Ranks as bins of one height, beside what tables cost every rank.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "problem.hpp"

namespace tesserec::planning {

class Bins {
 public:
  /// `most`: seconds of a rank, with those of `each` unless `room`. `reserved`: for later loads of every rank.
  Bins(Problem& problem, double most, bool room, const Load& reserved, const FillStyle& style)
      : problem_(problem),
        most_(most),
        room_(room),
        reserved_(reserved),
        style_(style),
        own_(problem.ranks),
        each_{problem.base, 0},
        choices_(problem.options.size()) {}

  const Load& each() const { return each_; }

  /// Places all tables; returns whether all found room. each() then tells the load that had to be reserved.
  bool run();
  bool kept_level() const;
  /// The choices; uneven cuts become options.
  std::vector<Choice> choices();

 private:
  static constexpr int nobody = -1;

  bool run_tables();
  bool run_pieces();
  /// Returns the cheapest of the original options.
  std::size_t cheapest_of(std::size_t t) const;
  /// Returns the cheapest cut into pieces that fit a rank's room, or nothing if an option, then `given`, costs less.
  std::optional<Option> cheapest_cut(std::size_t t, std::size_t& given) const;
  /// Returns the seconds of all ranks that two halves of the rows take beyond the whole table.
  double cost_of_cut(std::size_t t, const Option& whole) const;
  bool fits(int rank, const Load& piece) const;
  bool whole(std::size_t t, std::size_t o);
  /// Puts each group on the fullest node that has room, and prefers nodes without a group of the table.
  bool on_nodes(std::size_t t, std::size_t o);
  Load room(int rank) const;
  /// Pieces into rooms, the largest first.
  bool cut(std::size_t t, std::size_t cheapest);
  /// Puts the piece on the fullest rank that holds it and no other piece of the table, or leaves it where it is.
  bool put(Option& option, std::size_t place);
  void take_back(const Option& option);
  /// Moves each piece to the fullest rank that holds it, the smallest first: the rest of a table fills gaps.
  void fill_gaps(Option& option);
  /// Returns the rooms that groups of as many ranks as there are columns have in common.
  std::vector<Load> shared_rooms(const std::vector<std::size_t>& ranks, std::size_t columns) const;

  Problem& problem_;
  double most_;
  bool room_;
  Load reserved_;
  FillStyle style_;
  std::vector<Load> own_;
  Load each_;
  std::vector<Choice> choices_;
  std::vector<std::pair<std::size_t, Option>> cuts_;
};

}  // namespace tesserec::planning
