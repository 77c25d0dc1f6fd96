// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <tesserec/data/settings.hpp>
#include <tesserec/data/source.hpp>

namespace tesserec::data {

/// Samples of a data set in which ids are counted, and runs in which they are read, evenly over the data set.
inline constexpr Index counted_samples = 65536, counted_runs = 64;

/// Frequencies of each feature's ids.
struct IdShares {
  struct IdCount {
    Index id = 0;
    double times = 0;  ///< or, of a generator, share
  };
  bool counted = false;  ///< by a sample, and with all ids in it; else by a generator's law, and its frequent ids alone
  std::string from;      ///< "counted in 65536 samples of train.h5"; empty = nothing is known
  std::map<std::string, std::vector<IdCount>> features;  ///< by rising ids
};

/// Counts ids in a sample of the files, or takes a planted model's shares. Pure. Warns and returns nothing if the files
/// cannot be read, of which training's source has the error.
IdShares id_shares(const Settings& settings, const SourceInfo& data, std::uint64_t seed);

}  // namespace tesserec::data
