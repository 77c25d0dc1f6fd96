// SPDX-License-Identifier: Apache-2.0
#include "recency_stack.hpp"

#include <algorithm>
#include <cassert>

namespace tesserec::data {
namespace {

constexpr Index least_slots = 1024;

}  // namespace

RecencyStack::RecencyStack() : numbers_(least_slots, empty), taken_(least_slots) {}

/// Moves the numbers to the first slots, of twice as many as there are numbers.
void RecencyStack::compact() {
  const Index slots = std::max(least_slots, 2 * size());
  std::vector<std::int64_t> numbers(std::size_t(slots), empty);
  Fenwick<std::int32_t> taken(slots);
  Index end = 0;
  for (const std::int64_t number : numbers_) {
    if (number == empty) continue;
    slots_[std::size_t(number)] = end;
    numbers[std::size_t(end)] = number;
    taken.add(end++, 1);
  }
  numbers_ = std::move(numbers);
  taken_ = std::move(taken);
  end_ = end;
}

void RecencyStack::place(Index number) {
  slots_[std::size_t(number)] = end_;
  numbers_[std::size_t(end_)] = number;
  taken_.add(end_++, 1);
}

Index RecencyStack::use(Index number) {
  assert(number <= size());
  if (end_ == taken_.size()) compact();
  if (number == size()) {
    slots_.push_back(end_);
    place(number);
    return -1;
  }
  const Index slot = slots_[std::size_t(number)];
  const Index depth = size() - taken_.sum(slot + 1);
  numbers_[std::size_t(slot)] = empty;
  taken_.add(slot, -1);
  place(number);
  return depth;
}

Index RecencyStack::at(Index depth) const {
  assert(depth < size());
  Index before = size() - 1 - depth;
  return numbers_[std::size_t(taken_.find(before))];
}

}  // namespace tesserec::data
