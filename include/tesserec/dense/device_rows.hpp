// SPDX-License-Identifier: Apache-2.0
/// Numbers of rows in device memory. Calls queue a kernel on `device` and return.
#pragma once

#include <cstdint>

#include <tesserec/core/kokkos.hpp>
#include <tesserec/dense/layer.hpp>

namespace tesserec::dense {

/// to = from
void copy_on(const Device& device, Index rows, Rows<const float> from, Rows<float> to);
/// to += from
void add_on(const Device& device, Index rows, Rows<const float> from, Rows<float> to);
/// to = 0
void clear_on(const Device& device, Index rows, Rows<float> to);
/// y = max(0, y), where not a number stays so
void relu_on(const Device& device, Index rows, Rows<float> y);
/// to = from, 0 where y <= 0 or is not a number
void mask_on(const Device& device, Index rows, Rows<const float> y, Rows<const float> from, Rows<float> to);
/// to = from, rounded to bf16 (its 16 bits)
void round_on(const Device& device, Index rows, Rows<const float> from, Rows<std::uint16_t> to);

}  // namespace tesserec::dense
