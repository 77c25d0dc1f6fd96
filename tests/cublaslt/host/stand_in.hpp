// SPDX-License-Identifier: Apache-2.0
// Record of the calls to the stand-in for cuBLASLt, and switches for its errors.
#pragma once

#include <cstdint>
#include <vector>

namespace stand_in {

struct Call {
  std::int64_t m, n, k;
  std::int32_t count;
  std::uint64_t algorithm;  // equal for equal choices
  int parts;                // number of splits of the depth
};
inline std::vector<Call> calls;
inline int choices = 0;                  // number of choices of an algorithm
inline std::int64_t most_n = 1ll << 40;  // largest number of columns that an algorithm takes
inline bool broken = false;              // cublasLtCreate fails
inline bool one_product_alone = false;   // algorithms proposed for one product do not take several

}  // namespace stand_in
