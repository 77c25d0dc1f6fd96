// SPDX-License-Identifier: Apache-2.0
#include <tesserec/core/number_type.hpp>
#include <tesserec/core/short_floats.hpp>

namespace tesserec {

void round_to(NumberType type, Index n, float* numbers) {
  if (type == NumberType::bf16)
    for (Index i = 0; i < n; ++i) numbers[i] = from_bf16(to_bf16(numbers[i]));
  if (type == NumberType::fp16)
    for (Index i = 0; i < n; ++i) numbers[i] = from_fp16(to_fp16(numbers[i]));
}

}  // namespace tesserec
