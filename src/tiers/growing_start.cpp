// SPDX-License-Identifier: Apache-2.0
#include "growing_start.hpp"

#include <array>

namespace tesserec::tiers {
namespace {

constexpr std::size_t at_once = 8;

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
    std::array<DrawnRow, at_once> drawn;
    for (std::size_t i = 0; i < some.size(); ++i) {
      write_states(store, some[i].slot);
      drawn[i] = {some[i].id, weights(store, some[i].slot)};
      if (!weights_) std::fill_n(drawn[i].out, columns_.size(), 0.0f);
    }
    if (weights_) weights_->rows({drawn.data(), some.size()}, columns_);
  }
}

void GrowingStart::write_states(const embedding::RowStore& store, Index slot) const {
  for (std::size_t s = 0; s < states_.size(); ++s) {
    const PlacedMatrix<float>& state = store.states()[s].values;
    std::fill_n(state.data() + slot * state.columns(), state.columns(), states_[s]);
  }
}

}  // namespace tesserec::tiers
