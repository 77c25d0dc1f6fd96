// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <tesserec/data/batch.hpp>
#include <tesserec/data/dataset.hpp>

namespace tesserec::data {

/// One window of a stream in memory.
struct Window {
  int stream = 0;
  Index number = 0;
  std::vector<std::uint16_t> order;  ///< position in the window -> sample of `samples`
  Samples samples;
};

/// Consecutive samples of a batch that come from one window.
struct Segment {
  std::shared_ptr<const Window> window;
  Index first = 0;  ///< position in the window
  Index size = 0;
};

/// Puts the segments' samples, one after the other, into the batch: room for labels, dense and offsets is
/// there.
void gather(const std::vector<Segment>& segments, const SourceInfo& info, bool packed, Batch& batch);

}  // namespace tesserec::data
