// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace tesserec::planning {

/// How often the rows of a table are asked for: by Zipf's law, row k (from 1) in proportion to 1 / k^exponent; 0 is
/// uniform. Which rows are the frequent ones is not known: they lie scattered, so that a part of the rows has its share
/// of all that is said here.
class IdFrequencies {
 public:
  IdFrequencies(double rows, double exponent);

  /// Different rows among so many ids: concave.
  double distinct(double ids) const { return distinct(ids, rows_); }
  /// The same of the most frequent `hot` rows alone.
  double distinct(double ids, double hot) const;
  /// Share of the ids that fall on these.
  double share(double hot) const;
  /// Ids that would fall on as many different rows, were they uniform; for one id or less, as many.
  double as_uniform(double ids) const;

 private:
  /// Rows of about one frequency, the most frequent first.
  struct Class {
    double rows, share;  ///< share of the ids: of each row
  };
  double rows_;
  std::vector<Class> classes_;
};

}  // namespace tesserec::planning
