// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "recency_stack.hpp"
#include <tesserec/core/random.hpp>
#include <tesserec/data/reference.hpp>
#include <tesserec/data/reuse_profile.hpp>

namespace tesserec::data {

/// Ids of one feature that have the histograms of a profile: bag lengths and stack distances are drawn without
/// replacement, so that after all samples of the profile every cell has come as often as the profile says. A distance
/// that no id has yet waits until there are enough ids. Ids are numbered in the order of their first use.
class TraceReplay {
 public:
  /// Takes the profile and the numbers from which it draws.
  TraceReplay(const FeatureProfile& profile, std::uint64_t seed, Index feature);

  /// Appends the next bag.
  void add_bag(std::vector<Index>& ids);

 private:
  Index next_id();

  std::vector<Index> lengths_;   ///< bag length of each cell
  Fenwick<Index> lengths_left_;  ///< bags of each length that are still to come
  Fenwick<Index> uses_left_;     ///< first uses, then uses of each bin, that are still to come
  Index bags_ = 0, ids_ = 0;     ///< bags and ids that are still to come
  RecencyStack stack_;
  Random length_numbers_, id_numbers_;
};

/// Generator of samples whose ids replay a profile. Dense features and targets are those of ReferenceGenerator.
class TraceGenerator {
 public:
  TraceGenerator(const SyntheticSettings& settings, const ReuseProfile& profile, std::uint64_t seed);

  /// Fills the batch with the next samples, whose numbers must follow those of the call before.
  void fill(std::span<const Index> samples, Index global_size, Batch& batch);

 private:
  SyntheticSettings settings_;
  std::vector<std::string> features_;
  CounterStream uniform_;
  std::vector<TraceReplay> replays_;
};

}  // namespace tesserec::data
