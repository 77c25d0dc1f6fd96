// SPDX-License-Identifier: Apache-2.0
/// Successive halving (Jamieson and Talwalkar, AISTATS 2016; the inner loop of Hyperband, Li et al., JMLR 2018): all
/// points train to the first rung, the best part of them goes on to the next, and so on to the end. Rungs are
/// synchronous: who goes on is decided when all have a value, so the order in which they end decides nothing.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include <tesserec/sweep/settings.hpp>

namespace tesserec::sweep {

/// Stands for a run's whole length, where the deck leaves that to its epochs.
inline constexpr Index to_the_end = 0;

/// Steps at which points are compared: first_steps * eta^i below `last`, then `last`; without halving `last` alone.
std::vector<Index> rungs(const Halving& halving, Index last);

/// The indices of the finite values, the best first; equal ones in the order of `among`.
std::vector<Index> ranked(std::vector<Index> among, const std::function<double(Index)>& value, bool more_is_better);

/// State of a sweep.
struct Standing {
  std::vector<std::vector<Index>> in;  ///< the points of each rung that is open or over, in the order of their indices
  std::vector<Index> waiting;          ///< of the open rung: those without a value; empty: the sweep is over

  std::size_t open() const { return in.size() - 1; }
  bool is_in(std::size_t rung, Index point) const;
};

/// Returns the standing, by value(point, rung): nothing if not reached, NaN if diverged and out. A rung of n points
/// sends on max(1, n / eta), or all that are finite if fewer.
Standing standing(const Halving& halving, std::size_t rungs, Index points,
                  const std::function<std::optional<double>(Index point, std::size_t rung)>& value,
                  bool more_is_better);

}  // namespace tesserec::sweep
