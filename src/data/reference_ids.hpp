// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "zipf.hpp"
#include <tesserec/data/settings.hpp>

namespace tesserec::data {

/// Law by which the reference's generator draws the ids of one table.
class ReferenceIds {
 public:
  ReferenceIds(const SyntheticSettings& settings, Index rows);

  Index rows() const { return rows_; }
  /// Appends the ids of a bag of `draws` draws, ascending.
  void add_bag(Index draws, UniformStream& uniform, std::vector<Index>& ids) const;
  /// Returns the mean number of ids of a bag of `draws` draws.
  double mean_length(Index draws) const;

 private:
  void add_gaussian(Index draws, UniformStream& uniform, std::vector<Index>& ids) const;

  Index rows_;
  IdLaw law_;
  double low_, high_;  ///< range of gaussian ids, both ends included
  double mu_, sigma_;  ///< mean and standard deviation of gaussian ids
  std::optional<Zipf> zipf_;
};

}  // namespace tesserec::data
