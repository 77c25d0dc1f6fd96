// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/core/index.hpp>

namespace tesserec::sharding {

/// The form in which a rank's bags of one shard go to its owner: one length a sample and feature, or, where that is
/// shorter, the samples that have ids and the lengths of these. Both sides know it from the counts.
struct BagForm {
  Index samples = 0;   ///< of the sender
  Index features = 0;  ///< of the shard's table
  Index listed = 0;    ///< samples with ids of some feature
  bool own = false;    ///< The sender is the owner, whose sums and gradients have a place for each sample.

  bool all() const { return own || (1 + features) * listed >= features * samples; }
  /// Returns the bags of a feature.
  Index bags() const { return all() ? samples : listed; }
  /// Returns how many numbers of 32 bits go before the ids: the list, then lengths feature by feature.
  Index numbers() const { return all() ? features * samples : (1 + features) * listed; }
  /// Returns the words of 64 bits that these take.
  Index words() const { return (numbers() + 1) / 2; }
};

/// Puts number `i`, which is not negative, into words of two that are 0 so far.
inline void put_number(Index* words, Index i, Index number) { words[i / 2] |= number << (i % 2 * 32); }
inline Index number_at(const Index* words, Index i) { return words[i / 2] >> (i % 2 * 32) & 0xffffffff; }

}  // namespace tesserec::sharding
