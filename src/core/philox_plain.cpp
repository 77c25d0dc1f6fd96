// SPDX-License-Identifier: Apache-2.0
#include "philox.hpp"

namespace tesserec::philox {

void fill_plain(const Draw& draw, float* out) {
  fill(
      draw, [](const Words& a, std::uint32_t b, Words& product) { product = (a & 0xffffffff) * b; }, out);
}

}  // namespace tesserec::philox
