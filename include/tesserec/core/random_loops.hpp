// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/core/loops.hpp>
#include <tesserec/core/random.hpp>

namespace tesserec {

/// Fills out [rows, columns] as Random::fill_rows does for columns [0, columns), on the thread or device of `where`.
/// The bits are the same on both.
void fill_rows(const Where& where, const Random& random, Range rows, Index columns, float bound, float* out);

}  // namespace tesserec
