// SPDX-License-Identifier: Apache-2.0
// What the stand-in for cuBLASLt was asked.
#pragma once

#include <cstdint>
#include <vector>

namespace stand_in {

struct Call {
  std::int64_t m, n, k;
  std::int32_t count;
  std::uint64_t algorithm;  // a number that all that it was chosen for gives
  int parts;                // that the depth is split into
};
inline std::vector<Call> calls;
inline int choices = 0;                  // of an algorithm
inline std::int64_t most_n = 1ll << 40;  // an algorithm takes no more columns
inline bool broken = false;              // no handle
inline bool one_product_alone = false;   // what is proposed for one product does not take several

}  // namespace stand_in
