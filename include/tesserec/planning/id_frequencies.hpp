// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <tesserec/planning/settings.hpp>

namespace tesserec::planning {

/// Frequencies with which the rows of a table are looked up. Popular rows are given with their blocks. The others
/// follow Zipf's law, row k (from 1) in proportion to 1 / k^exponent, and lie scattered evenly over the blocks.
class IdFrequencies {
 public:
  IdFrequencies(double rows, double exponent, const Popularity* popular = nullptr);

  /// Rows of about one frequency.
  struct Class {
    double rows;
    double share;  ///< share of the lookups, of each row
    Index block;   ///< where they lie; `scattered`: anywhere
  };
  static constexpr Index scattered = -1;
  /// Returns all rows, the most frequent first.
  const std::vector<Class>& classes() const { return classes_; }
  /// Returns the number of rows with exactly this share.
  double rows_with(double share) const;
  /// Returns the chance that one of so many lookups finds a row with this share.
  static double found(double ids, double share);

  /// Returns the number of distinct rows among so many ids: concave.
  double distinct(double ids) const;
  /// Returns how many uniform ids would fall on as many distinct rows; for one id or less, as many.
  double as_uniform(double ids) const;

 private:
  double rows_;
  std::vector<Class> classes_;
};

}  // namespace tesserec::planning
