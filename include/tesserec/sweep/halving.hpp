// SPDX-License-Identifier: Apache-2.0
/// Successive halving (Jamieson and Talwalkar, AISTATS 2016; the inner loop of Hyperband, Li et al., JMLR 2018). All
/// points train to the first rung, the best fraction trains on to the next rung, and so on to the end. Rungs are
/// synchronous: the points that train on are chosen when all points of the rung have a value. So the order in which
/// points end has no influence.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include <tesserec/sweep/settings.hpp>

namespace tesserec::sweep {

/// Length of a run that the deck's epochs determine.
inline constexpr Index to_the_end = 0;

/// Returns the steps at which points are compared: first_steps * eta^i below `last`, then `last`. Without halving it
/// returns `last` alone.
std::vector<Index> rungs(const Halving& halving, Index last);

/// Returns the points of `among` with finite values, the best first; ties keep the order of `among`.
std::vector<Index> ranked(std::vector<Index> among, const std::function<double(Index)>& value, bool more_is_better);

/// Standing of a sweep.
struct Standing {
  std::vector<std::vector<Index>> in;  ///< [rung] points of each open or ended rung, ascending
  std::vector<Index> waiting;          ///< points of the open rung without a value; empty = the sweep has ended

  /// Returns the index of the open rung, or of the last one after the sweep's end.
  std::size_t open() const { return in.size() - 1; }
  /// Returns whether the point is in the rung.
  bool is_in(std::size_t rung, Index point) const;
};

/// Computes the standing from value(point, rung): nothing if the point has not reached the rung, NaN if it diverged and
/// is out. A rung of n points promotes max(1, n / eta) points, or all points with finite values if these are fewer.
Standing standing(const Halving& halving, std::size_t rungs, Index points,
                  const std::function<std::optional<double>(Index point, std::size_t rung)>& value,
                  bool more_is_better);

}  // namespace tesserec::sweep
