// SPDX-License-Identifier: Apache-2.0
#include <tesserec/embedding/gathered_rows.hpp>

namespace tesserec::embedding {

void GatheredRows::clear() {
  micro_batches_ = 0;
  order_.clear();
  if (slots_.empty()) slots_.resize(1);
  slots_[0].rows.clear();
  slots_[0].gradients.clear();
}

GatheredRows::Rows& GatheredRows::next() {
  const std::size_t slot = order_.push(micro_batches_++, [this](int into, int from) { merge(into, from); });
  if (slots_.size() <= slot) slots_.resize(slot + 1);
  slots_[slot].rows.clear();
  slots_[slot].gradients.clear();
  return slots_[slot];
}

GatheredRows::Rows& GatheredRows::finish() {
  order_.finish([this](int into, int from) { merge(into, from); });
  return slots_[0];
}

void GatheredRows::merge(int into, int from) {
  Rows &a = slots_[into], &b = slots_[from], &sum = scratch_;
  sum.rows.clear();
  sum.gradients.clear();
  std::size_t i = 0, j = 0;
  while (i < a.rows.size() || j < b.rows.size()) {
    const bool in_a = i < a.rows.size() && (j == b.rows.size() || a.rows[i] <= b.rows[j]);
    const bool in_b = j < b.rows.size() && (i == a.rows.size() || b.rows[j] <= a.rows[i]);
    const float *x = a.gradients.data() + Index(i) * dim_, *y = b.gradients.data() + Index(j) * dim_;
    sum.rows.push_back(in_a ? a.rows[i] : b.rows[j]);
    const float* const lower = in_a ? x : y;
    sum.gradients.insert(sum.gradients.end(), lower, lower + dim_);
    float* both = sum.gradients.data() + sum.gradients.size() - dim_;
    for (Index c = 0; in_a && in_b && c < dim_; ++c) both[c] += y[c];
    i += in_a;
    j += in_b;
  }
  std::swap(a, sum);
}

}  // namespace tesserec::embedding
