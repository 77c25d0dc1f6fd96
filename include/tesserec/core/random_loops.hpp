// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/core/loops.hpp>
#include <tesserec/core/random.hpp>

namespace tesserec {

/// As Random::fill_rows of columns [0, columns), wherever loops run: there the same numbers, on a thread vectorised.
void fill_rows(const Where& where, const Random& random, Range rows, Index columns, float bound, float* out);

}  // namespace tesserec
