// SPDX-License-Identifier: Apache-2.0
#include "philox.hpp"

namespace tesserec::philox {

namespace {
constexpr auto multiply = [](const Words& a, std::uint32_t b, Words& product) { product = (a & 0xffffffff) * b; };
}

void fill_plain(const Draw& draw, float* out) { fill(draw, multiply, out); }
void quads_plain(const Counters& counters, std::uint32_t* out) { quads(counters, multiply, out); }

}  // namespace tesserec::philox
