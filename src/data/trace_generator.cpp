// SPDX-License-Identifier: Apache-2.0
#include "trace_generator.hpp"

#include <algorithm>

#include <tesserec/data/batch.hpp>
#include <tesserec/data/synthetic.hpp>

namespace tesserec::data {
namespace {

/// Streams of a feature's numbers.
enum class TraceNumbers : std::uint64_t { lengths = 0, ids = 1 };

Random numbers_of(std::uint64_t seed, Index feature, TraceNumbers stream) {
  return {seed, Purpose::trace, std::uint64_t(stream) << 32 | std::uint64_t(feature)};
}

Index bins_of(const FeatureProfile& profile) {
  return profile.distances.empty() ? 0 : distance_bin(profile.distances.back().value) + 1;
}

}  // namespace

TraceReplay::TraceReplay(const FeatureProfile& profile, std::uint64_t seed, Index feature)
    : lengths_left_(std::ssize(profile.lengths)),
      uses_left_(1 + bins_of(profile)),
      ids_(profile.ids),
      length_numbers_(numbers_of(seed, feature, TraceNumbers::lengths)),
      id_numbers_(numbers_of(seed, feature, TraceNumbers::ids)) {
  for (const ReuseCount& length : profile.lengths) {
    lengths_left_.add(std::ssize(lengths_), length.times);
    lengths_.push_back(length.value);
    bags_ += length.times;
  }
  uses_left_.add(0, profile.distinct);
  for (const ReuseCount& distance : profile.distances) uses_left_.add(1 + distance_bin(distance.value), distance.times);
}

void TraceReplay::add_bag(std::vector<Index>& ids) {
  Index drawn = Index(length_numbers_.below(std::uint64_t(bags_), bags_, 0));
  const Index cell = lengths_left_.find(drawn);
  lengths_left_.add(cell, -1);
  --bags_;
  for (Index i = 0; i < lengths_[std::size_t(cell)]; ++i) ids.push_back(next_id());
}

Index TraceReplay::next_id() {
  // Only distances below the size of the stack can be drawn. The bin of the largest of them is the last one.
  const Index size = stack_.size();
  const Index bins = size == 0 ? 0 : std::min(distance_bin(size - 1) + 1, uses_left_.size() - 1);
  Index drawn = Index(id_numbers_.below(std::uint64_t(uses_left_.sum(1 + bins)), ids_, 0));
  const Index use = uses_left_.find(drawn);
  uses_left_.add(use, -1);
  Index number = size;
  if (use > 0) {
    const Index begin = bin_begin(use - 1), end = std::min(bin_begin(use), size);
    number = stack_.at(begin + Index(id_numbers_.below(std::uint64_t(end - begin), ids_, 1)));
  }
  --ids_;
  stack_.use(number);
  return number;
}

TraceGenerator::TraceGenerator(const SyntheticSettings& settings, const ReuseProfile& profile, std::uint64_t seed)
    : settings_(settings), features_(synthetic_features(settings)), uniform_(seed, std::ssize(features_)) {
  for (std::size_t f = 0; f < features_.size(); ++f) replays_.emplace_back(profile.features[f], seed, Index(f));
}

void TraceGenerator::fill(std::span<const Index> samples, Index global_size, Batch& batch) {
  reserve_batch(batch, std::ssize(samples), global_size, settings_.dense_features, features_);
  draw_dense(samples, uniform_, batch);
  std::vector<Index> ids;
  Index bag = 0;
  batch.sparse.offsets(0) = 0;
  for (TraceReplay& replay : replays_)
    for (std::size_t b = 0; b < samples.size(); ++b) {
      replay.add_bag(ids);
      batch.sparse.offsets(++bag) = std::ssize(ids);
    }
  reserve_values(batch, std::ssize(ids), false);
  std::copy(ids.begin(), ids.end(), batch.sparse.values.data());
  draw_targets(samples, settings_.round_targets, uniform_, batch);
}

}  // namespace tesserec::data
