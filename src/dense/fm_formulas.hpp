// SPDX-License-Identifier: Apache-2.0
/// In double, for the difference of two large squares is what counts.
#pragma once

#include "eight_chains.hpp"

namespace tesserec::dense {

/// The sums of x and of its squares grow.
template <class Threads>
TESSEREC_FUNCTION void add_to_fm(const Threads& threads, Index n, const float* x, EightChains<double>& sums,
                                 EightChains<double>& squares) {
  threads.walk(n, sums, [=](Index i, double sum) { return sum + double(x[i]); });
  threads.walk(n, squares, [=](Index i, double sum) { return sum + double(x[i]) * double(x[i]); });
}
TESSEREC_FUNCTION float fm_of(double sum, double squares) { return float(0.5 * (sum * sum - squares)); }
TESSEREC_FUNCTION float fm_slope(double upstream, double sum, float x) { return float(upstream * (sum - x)); }

}  // namespace tesserec::dense
