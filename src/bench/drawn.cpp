// SPDX-License-Identifier: Apache-2.0
#include "drawn.hpp"

#include <tesserec/core/error.hpp>

namespace tesserec::bench {

Drawn::Drawn(const Context& context, data::Source& from, int count) : info_(from.info()) {
  std::vector<double> seconds;
  for (int i = 0; i < count; ++i) {
    const double start = context.now();
    if (!from.next(batches_.emplace_back(context.exec))) {
      from.seek(++epoch_, 0);
      if (!from.next(batches_.back())) fail("the data have no samples");
    }
    seconds.push_back(context.now() - start);
  }
  read_seconds_ = context.slowest(median(std::move(seconds)));
}

bool Drawn::next(data::Batch& batch) {
  if (next_ == batches_.size()) return false;
  batch = batches_[next_++];
  return true;
}

}  // namespace tesserec::bench
