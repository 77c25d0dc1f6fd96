// SPDX-License-Identifier: Apache-2.0
#include "block_runs.hpp"

#include <numeric>

namespace tesserec::train {

Range run_of(const std::vector<Index>& counts, Range blocks) {
  const auto begin = counts.begin();
  const Index first = std::accumulate(begin, begin + blocks.begin, Index{0});
  return {first, std::accumulate(begin + blocks.begin, begin + blocks.end, first)};
}

}  // namespace tesserec::train
