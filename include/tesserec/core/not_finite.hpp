// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/core/placed.hpp>

namespace tesserec {

/// The first of n numbers that is not finite, or -1. Waits for what was launched before.
Index first_not_finite(const Exec& exec, Place place, const float* values, Index n);

}  // namespace tesserec
