// SPDX-License-Identifier: Apache-2.0
/// Reuse profile of a data set: how far back each id was used before. `tesserec generate --profile` writes one, and
/// data.synthetic.ids = "trace" makes ids that have it.
#pragma once

#include <string>
#include <vector>

#include <tesserec/comm/communicator.hpp>
#include <tesserec/core/json.hpp>
#include <tesserec/data/settings.hpp>

namespace tesserec::data {

/// Returns the bin of a stack distance: the number of other ids since the last use of an id. Distances below 16 have a
/// bin each, larger ones 8 bins an octave.
Index distance_bin(Index distance);
/// Returns the first distance of a bin.
Index bin_begin(Index bin);

/// Cell of a histogram.
struct ReuseCount {
  Index value = 0;  ///< bag length, or first distance of a bin
  Index times = 0;
};

/// Profile of one feature.
struct FeatureProfile {
  std::string name;
  Index rows = 0;                     ///< upper bound of the ids in the data set, exclusive; 0 = any 64-bit ids
  Index ids = 0;                      ///< ids of all samples
  Index distinct = 0;                 ///< different ids, each of which has one first use
  std::vector<ReuseCount> lengths;    ///< bag lengths, ascending
  std::vector<ReuseCount> distances;  ///< stack distances of all uses but the first, ascending
};

/// Profile of a data set.
struct ReuseProfile {
  Index samples = 0;
  std::vector<FeatureProfile> features;
  std::string digest = {};  ///< checksum of the file that was read

  Json json() const;
};

/// Records the profile of the ids of data sets, in the order of their samples. Ranks take the features in turn.
/// Throws the Errors of Dataset, which name `key`. Collective.
ReuseProfile record_profile(const comm::Communicator& comm, const std::vector<std::string>& patterns,
                            const std::string& key);

/// Reads a profile from a file of JSON. Throws Error, naming file and feature, if it is none.
ReuseProfile read_profile(const std::string& path);

/// Reads the profile that the settings name. Throws Error, naming the key, if rows or samples do not fit it.
ReuseProfile trace_profile(const SyntheticSettings& settings);

}  // namespace tesserec::data
