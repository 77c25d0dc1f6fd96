// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cassert>
#include <utility>

#include <tesserec/core/kernel.hpp>
#include <tesserec/core/lane_sums.hpp>

namespace tesserec {
namespace {

struct AddNumbers {
  float* a;
  const float* b;
  TESSEREC_FUNCTION void operator()(Index i) const { a[i] += b[i]; }
};

}  // namespace

TESSEREC_KERNEL void add_floats(float* a, const float* b, Index n) {
  for (Index i = 0; i < n; ++i) a[i] += b[i];
}

void LaneSums::start(Range lanes) {
  for (int i = order_.size(); i-- > 0;) free_.push_back(take(i));
  order_ = TreeOrder(lanes);
  slots_.resize(TreeOrder::max_slots);
}

void LaneSums::reserve(Index lanes) {
  const auto buffers = 2 * std::bit_width(std::uint64_t(lanes));
  while (free_.size() + order_.size() < buffers) free_.push_back(make_buffer());
}

PlacedVector<float> LaneSums::next(Index lane) {
  push(lane, {});  // The merges free a buffer, which this lane may use.
  if (free_.empty()) free_.push_back(make_buffer());
  slots_[order_.size() - 1] = free_.back();
  free_.pop_back();
  return slots_[order_.size() - 1];
}

PlacedVector<float> LaneSums::take(int slot) { return std::exchange(slots_[slot], PlacedVector<float>()); }

void LaneSums::merge(int into, int from) {
  float* const a = slots_[into].data();
  const float* const b = slots_[from].data();
  if (place_ == Place::host)
    add_floats(a, b, length_);
  else
    over_numbers(device_of(exec_), "tesserec::core::add", length_, AddNumbers{a, b});
  free_.push_back(take(from));
}

void LaneSums::push(Index leaf, const PlacedVector<float>& vector) {
  const int slot = order_.push(leaf, [this](int into, int from) { merge(into, from); });
  slots_[slot] = vector;
}

void LaneSums::finish() {
  order_.finish([this](int into, int from) { merge(into, from); });
}

void LaneSums::absorb(LaneSums& run) {
  assert(run.length_ == length_);
  for (int i = 0; i < run.count(); ++i) {
    push(run.leaf(i), run.take(i));
    if (free_.empty()) continue;
    run.free_.push_back(free_.back());  // The exchange keeps both objects from allocating at each step.
    free_.pop_back();
  }
  run.order_.clear();
}

}  // namespace tesserec
