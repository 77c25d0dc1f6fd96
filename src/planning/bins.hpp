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
  /// `room`: of every rank beside the seconds of `each`, which are of no interest; without it, up to `most` with them.
  /// `reserved`: for the loads of every rank, which cuts add to.
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

  /// Whether all found room; `each` then tells what had to be reserved.
  bool run();
  /// The same by prices: pieces of all tables in falling order. `above`: one that no room holds goes above it, else its
  /// table is cut into the rooms.
  bool run(const Mixture& mixture, bool above);
  bool kept_level() const;
  /// The choices; uneven cuts become options.
  std::vector<Choice> choices();

 private:
  static constexpr int nobody = -1;

  /// Of the original options.
  std::size_t cheapest_of(std::size_t t) const;
  /// The cut of a table that costs least at the prices, `dual` of its counts; nothing where an option costs less, which
  /// is `given` then.
  std::optional<Option> cheapest_cut(std::size_t t, const Mixture& mixture, const DualFunction& dual,
                                     std::size_t& given) const;
  /// Seconds of all ranks that two halves of the rows take beyond the whole table.
  double cost_of_cut(std::size_t t, const Option& whole) const;
  bool fits(int rank, const Load& piece) const;
  bool whole(std::size_t t, std::size_t o);
  /// Each group on the fullest node that has room, one without a group of the table if there is one.
  bool on_nodes(std::size_t t, std::size_t o);
  Load room(int rank) const;
  /// Pieces into rooms, the largest first.
  bool cut(std::size_t t, std::size_t cheapest);
  /// On the fullest rank that holds the piece, and no other of the table; one that has a rank stays where none is
  /// fuller.
  /// `above`: on the rank with the least load that has the memory, whatever its room.
  bool put(Option& option, std::size_t place, bool above = false);
  void take_back(const Option& option);
  /// Each piece goes on to the fullest rank that holds it, the smallest first: what is left of a table fills what other
  /// tables left.
  void fill_gaps(Option& option);
  /// Rooms that as many ranks as there are columns have, side by side.
  std::vector<Load> shared_rooms(const std::vector<int>& ranks, std::size_t columns) const;

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
