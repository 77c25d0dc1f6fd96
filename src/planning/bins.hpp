// SPDX-License-Identifier: Apache-2.0
/// Ranks as bins of equal height, next to the load that tables put on every rank.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "problem.hpp"

namespace tesserec::planning {

class Bins {
 public:
  /// Takes the `level` to fill [seconds of a rank]. It includes the load of every rank unless `excludes_common` is set.
  /// `reserved`: capacity kept free for the load of every rank.
  Bins(Problem& problem, double level, bool excludes_common, const Load& reserved, const FillStyle& style)
      : problem_(problem),
        level_(level),
        excludes_common_(excludes_common),
        reserved_(reserved),
        style_(style),
        own_(problem.ranks),
        common_{problem.base, 0},
        choices_(problem.options.size()) {}

  const Load& common() const { return common_; }

  /// Places all tables, and returns whether all of them fit. common() is then the load that had to be reserved.
  bool run();
  bool kept_level() const;
  /// Returns the choices, and adds uneven cuts to the options of the problem.
  std::vector<Choice> choices();

 private:
  static constexpr int nobody = -1;

  bool run_tables();
  bool run_pieces();
  /// Returns the cheapest of the original options.
  std::size_t cheapest_of(std::size_t t) const;
  /// Returns the cheapest cut into pieces that fit an empty rank. Returns nothing if an option is cheaper, which
  /// becomes `given`.
  std::optional<Option> cheapest_cut(std::size_t t, std::size_t& given) const;
  /// Returns the seconds over all ranks that two halves of the rows take more than the whole table.
  double cost_of_cut(std::size_t t, const Option& whole) const;
  bool fits(int rank, const Load& piece) const;
  bool place_whole(std::size_t t, std::size_t o);
  /// Puts each group on the fullest node where it fits. Prefers nodes without a group of the table.
  bool place_on_nodes(std::size_t t, std::size_t o);
  Load capacity(int rank) const;
  /// Cuts the table into the capacities that ranks have left.
  bool place_cut(std::size_t t, std::size_t cheapest);
  /// Puts the piece on the fullest rank where it fits and no other piece of the table lies; else its owner stays.
  bool place_piece(Option& option, std::size_t index);
  void remove(const Option& option);
  /// Moves each piece to the fullest rank where it fits, smallest first, so that small remainders fill gaps.
  void fill_gaps(Option& option);
  /// Returns the capacity that all ranks of a group have. A group has one rank per piece of columns.
  std::vector<Load> common_capacities(const std::vector<std::size_t>& ranks, std::size_t columns) const;

  Problem& problem_;
  double level_;
  bool excludes_common_;
  Load reserved_;
  FillStyle style_;
  std::vector<Load> own_;
  Load common_;
  std::vector<Choice> choices_;
  std::vector<std::pair<std::size_t, Option>> cuts_;
};

}  // namespace tesserec::planning
