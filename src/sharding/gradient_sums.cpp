// SPDX-License-Identifier: Apache-2.0
#include <tesserec/sharding/gradient_sums.hpp>

namespace tesserec::sharding {

ExactSum GradientSums::squares(const Exec& exec) {
  ExactSum sum;
  for (Shard& shard : shards_)
    if (shard.counts) shard.sums.add_squares(exec, sum);
  return sum;
}

}  // namespace tesserec::sharding
