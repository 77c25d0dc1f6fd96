// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <tesserec/planning/settings.hpp>

namespace tesserec::planning {

/// Lookup frequencies of a table's rows. Popular rows have known blocks. The other rows lie scattered evenly over the
/// blocks and follow Zipf's law: the k-th most frequent row of the table has a share proportional to 1 / k^exponent.
class IdFrequencies {
 public:
  /// Takes the number of rows, the exponent of Zipf's law, and the popular rows; null = none are known.
  IdFrequencies(double rows, double exponent, const Popularity* popular = nullptr);

  /// Rows of about equal frequency.
  struct Class {
    double rows;
    double share;  ///< fraction of all lookups, per row
    Index block;   ///< row block that holds them, or `scattered`
  };
  static constexpr Index scattered = -1;
  /// Returns the classes of all rows, most frequent first.
  const std::vector<Class>& classes() const { return classes_; }
  /// Returns the number of rows with exactly this share.
  double rows_with(double share) const;
  /// Returns the probability that at least one of `ids` lookups hits a given row with this share.
  static double found(double ids, double share);

  /// Returns the share of the lookups that the `rows` most frequent rows have: no cache of so many rows finds more.
  double share_of_most(double rows) const;
  /// Returns the expected number of distinct rows among `ids` lookups, a concave function of `ids`.
  double distinct(double ids) const;
  /// Returns the number of uniform ids that would hit as many distinct rows. Returns `ids` if it is at most 1.
  double as_uniform(double ids) const;

 private:
  double rows_;
  std::vector<Class> classes_;
};

}  // namespace tesserec::planning
