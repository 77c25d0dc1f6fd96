// SPDX-License-Identifier: Apache-2.0
#include "growing_start.hpp"

#include <tesserec/core/kernel.hpp>
#include <tesserec/core/philox_rounds.hpp>

namespace tesserec::tiers {
namespace {

constexpr Index quads_at_once = 32;  // four times those of Random::quads
constexpr std::size_t at_once = 8;

TESSEREC_KERNEL void scale(const std::uint32_t* words, Index count, float bound, float* to) {
  for (Index i = 0; i < count; ++i) to[i] = philox::uniform(words[i], bound);
}

/// Prefetches some rows. Inline, because GCC drops the call of a function that only prefetches.
[[gnu::always_inline]] inline void prefetch(const embedding::RowStore& store, std::span<const NewRow> rows,
                                            std::size_t begin) {
  for (std::size_t i = begin; i < std::min(begin + at_once, rows.size()); ++i) store.prefetch(rows[i].slot);
}

}  // namespace

void GrowingStart::write(const embedding::RowStore& store, std::span<const NewRow> rows) const {
  prefetch(store, rows, 0);
  for (std::size_t begin = 0; begin < rows.size(); begin += at_once) {
    const std::span some = rows.subspan(begin, std::min(at_once, rows.size() - begin));
    prefetch(store, rows, begin + at_once);
    for (const NewRow& row : some) {
      write_states(store, row.slot);
      if (!weights_ || weights_->ones()) std::fill_n(weights(store, row.slot), columns_.size(), weights_ ? 1.0f : 0.0f);
    }
    if (weights_ && !weights_->ones()) draw(store, some);
  }
}

void GrowingStart::write_states(const embedding::RowStore& store, Index slot) const {
  for (std::size_t s = 0; s < states_.size(); ++s) {
    const PlacedMatrix<float>& state = store.states()[s].values;
    std::fill_n(state.data() + slot * state.columns(), state.columns(), states_[s]);
  }
}

/// Draws the weights of rows. The quads of all rows are one list, because a row may have fewer than fill a vector.
void GrowingStart::draw(const embedding::RowStore& store, std::span<const NewRow> rows) const {
  Index ids[quads_at_once], quads[quads_at_once];
  std::uint32_t words[4 * quads_at_once];
  const Index columns = columns_.size(), quads_per_row = (columns + 3) / 4;
  Index quad = 0;  // of the first row
  while (!rows.empty()) {
    Index count = 0;
    for (std::size_t row = 0; row < rows.size() && count < quads_at_once; ++row)
      for (Index q = row == 0 ? quad : 0; q < quads_per_row && count < quads_at_once; ++q, ++count) {
        ids[count] = rows[row].id;
        quads[count] = columns_.begin / 4 + q;
      }
    weights_->random().quads({ids, std::size_t(count)}, {quads, std::size_t(count)}, words);
    for (Index begin = 0, n = 0; begin < count; begin += n) {
      n = std::min(count - begin, quads_per_row - quad);
      scale(words + 4 * begin, std::min(columns - 4 * quad, 4 * n), weights_->bound(),
            weights(store, rows.front().slot) + 4 * quad);
      quad += n;
      if (quad < quads_per_row) break;
      quad = 0;
      rows = rows.subspan(1);
    }
  }
}

}  // namespace tesserec::tiers
