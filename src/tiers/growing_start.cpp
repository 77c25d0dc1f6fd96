// SPDX-License-Identifier: Apache-2.0
#include "growing_start.hpp"

#include <array>

namespace tesserec::tiers {

void GrowingStart::write(const embedding::RowStore& store, std::span<const NewRow> rows) const {
  std::array<DrawnRow, at_once> drawn;
  for (; !rows.empty(); rows = rows.subspan(std::min(at_once, rows.size()))) {
    const std::size_t count = std::min(at_once, rows.size());
    for (std::size_t i = 0; i < count; ++i) {
      if (i + at_once < rows.size()) store.prefetch(rows[i + at_once].slot);
      write_states(store, rows[i].slot);
      drawn[i] = {rows[i].id, weights(store, rows[i].slot)};
      if (!weights_) std::fill_n(drawn[i].out, columns_.size(), 0.0f);
    }
    if (weights_) weights_->rows({drawn.data(), count}, columns_);
  }
}

void GrowingStart::write_states(const embedding::RowStore& store, Index slot) const {
  for (std::size_t s = 0; s < states_.size(); ++s) {
    const PlacedMatrix<float>& state = store.states()[s].values;
    std::fill_n(state.data() + slot * state.columns(), state.columns(), states_[s]);
  }
}

}  // namespace tesserec::tiers
