// SPDX-License-Identifier: Apache-2.0
#include <cassert>

#include <tesserec/core/kernel.hpp>
#include <tesserec/core/number_type.hpp>
#include <tesserec/core/short_floats.hpp>

namespace tesserec {

void round_to(NumberType type, Index n, float* numbers) {
  if (type == NumberType::bf16)
    for (Index i = 0; i < n; ++i) numbers[i] = from_bf16(to_bf16(numbers[i]));
  if (type == NumberType::fp16)
    for (Index i = 0; i < n; ++i) numbers[i] = from_fp16(to_fp16(numbers[i]));
}

TESSEREC_KERNEL void widen(NumberType type, Index n, const std::uint16_t* from, float* to) {
  assert(type != NumberType::fp32);
  if (type == NumberType::bf16)
    for (Index i = 0; i < n; ++i) to[i] = from_bf16(from[i]);
  else
    for (Index i = 0; i < n; ++i) to[i] = from_fp16(from[i]);
}

TESSEREC_KERNEL Index narrow(NumberType type, Index n, const float* from, std::uint16_t* to) {
  assert(type != NumberType::fp32);
  const auto bits = [](float v) __attribute__((always_inline)) { return __builtin_bit_cast(std::uint32_t, v); };
  Index rounded = 0;
  if (type == NumberType::bf16)
    for (Index i = 0; i < n; ++i) {
      to[i] = to_bf16(from[i]);
      rounded += bits(from_bf16(to[i])) != bits(from[i]);
    }
  else
    for (Index i = 0; i < n; ++i) {
      to[i] = to_fp16(from[i]);
      rounded += bits(from_fp16(to[i])) != bits(from[i]);
    }
  return rounded;
}

}  // namespace tesserec
