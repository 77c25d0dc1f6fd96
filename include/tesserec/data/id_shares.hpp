// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <tesserec/data/settings.hpp>
#include <tesserec/data/source.hpp>

namespace tesserec::data {

/// Number of samples in which ids are counted, and number of evenly spaced runs in which they are read.
inline constexpr Index counted_samples = 65536, counted_runs = 64;

/// Frequencies of each feature's ids.
struct IdShares {
  struct IdCount {
    Index id = 0;
    double times = 0;  ///< count, or the share if a generator's law gives it
  };
  bool counted = false;  ///< true if a sample was counted (all its ids); else a generator's law gave the frequent ids
                         ///< only
  std::string from;      ///< origin, "counted in 65536 samples of train.h5"; empty = nothing is known
  std::map<std::string, std::vector<IdCount>> features;  ///< ids of each feature, ascending
};

/// Counts ids in a sample of the files, or takes the shares of a planted model. Pure. If the files cannot be read,
/// warns and returns nothing, because opening the training source reports the error.
IdShares id_shares(const Settings& settings, const SourceInfo& data, std::uint64_t seed);

}  // namespace tesserec::data
