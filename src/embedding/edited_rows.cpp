// SPDX-License-Identifier: Apache-2.0
#include "edited_rows.hpp"

#include <bit>

#include "row_format.hpp"

namespace tesserec::embedding {
namespace {

/// Halves of random words. The lower half comes first in memory.
using Half [[gnu::may_alias]] = std::uint16_t;
static_assert(std::endian::native == std::endian::little);

TESSEREC_KERNEL void round_row(bool is_bf16, Index n, const float* from, const Half* random, std::uint16_t* to) {
  if (is_bf16)
    for (Index c = 0; c < n; ++c) to[c] = to_bf16_by(from[c], random[c]);
  else
    for (Index c = 0; c < n; ++c) to[c] = to_fp16_by(from[c], random[c]);
}

}  // namespace

EditedRows::EditedRows(const EmbeddingTable& table, Index step, bool writes)
    : store_(table.store()),
      is_short_(store_.weight_matrix().is_short()),
      writes_(writes),
      rounding_(table.rounding(step)),
      dim_(table.dim()),
      first_quad_(table.columns().begin / 4) {
  if (is_short_) weights_.resize(rows_at_once * dim_);
}

optim::Row EditedRows::widened(Index slot, const float* gradient) {
  if (std::ssize(slots_) == rows_at_once) write_back();
  float* const weights = weights_.data() + std::ssize(slots_) * dim_;
  slots_.push_back(slot);
  store_.weight_matrix().get(store_.weight_matrix().row(slot), dim_, weights);
  return store_.row(slot, gradient, weights);
}

void EditedRows::write_back() {
  if (writes_ && !slots_.empty()) {
    const Index first = first_quad_ / 2, last = (first_quad_ + (dim_ + 3) / 4 + 1) / 2, counters = last - first;
    rows_.clear();
    columns_.clear();
    for (const Index slot : slots_)
      for (Index block = first; block < last; ++block) {
        rows_.push_back(store_.row_at(slot));
        columns_.push_back(block);
      }
    random_.resize(rows_.size() * 4);
    rounding_.quads(rows_, columns_, random_.data());
    const Half* random = reinterpret_cast<const Half*>(random_.data()) + first_quad_ % 2 * 4;
    for (std::size_t i = 0; i < slots_.size(); ++i, random += counters * columns_per_counter)
      round_row(store_.weight_matrix().format == NumberType::bf16, dim_, weights_.data() + Index(i) * dim_, random,
                reinterpret_cast<std::uint16_t*>(store_.weight_matrix().row(slots_[i])));
  }
  slots_.clear();
}

}  // namespace tesserec::embedding
