// SPDX-License-Identifier: Apache-2.0
/// Numbers of rows in device memory. Calls queue a kernel on `device` and return.
#pragma once

#include <tesserec/core/kokkos.hpp>
#include <tesserec/dense/layer.hpp>

namespace tesserec::dense {

/// to = from
void copy_on(const Device& device, Index rows, Rows<const float> from, Rows<float> to);
/// to += from
void add_on(const Device& device, Index rows, Rows<const float> from, Rows<float> to);
/// to = 0
void clear_on(const Device& device, Index rows, Rows<float> to);

}  // namespace tesserec::dense
