// SPDX-License-Identifier: Apache-2.0
#include "growing_start.hpp"

#include <tesserec/core/kernel.hpp>
#include <tesserec/core/philox_rounds.hpp>

namespace tesserec::tiers {
namespace {

constexpr Index quads_at_once = 32;  // four times those of Random::quads

TESSEREC_KERNEL void scale(const std::uint32_t* words, Index count, float bound, float* to) {
  for (Index i = 0; i < count; ++i) to[i] = philox::uniform(words[i], bound);
}

}  // namespace

void GrowingStart::draw(Index id, float* to) const {
  Index ids[quads_at_once], quads[quads_at_once];
  std::uint32_t words[4 * quads_at_once];
  const Index columns = columns_.size(), all_quads = (columns + 3) / 4;
  for (Index begin = 0; begin < all_quads; begin += quads_at_once) {
    const Index count = std::min(quads_at_once, all_quads - begin);
    for (Index q = 0; q < count; ++q) {
      ids[q] = id;
      quads[q] = columns_.begin / 4 + begin + q;
    }
    weights_->random().quads({ids, std::size_t(count)}, {quads, std::size_t(count)}, words);
    scale(words, std::min(columns - 4 * begin, 4 * count), weights_->bound(), to + 4 * begin);
  }
}

}  // namespace tesserec::tiers
