// SPDX-License-Identifier: Apache-2.0
/// Verdict on preprocessed data.
#pragma once

#include <vector>

#include <tesserec/preprocess/report.hpp>

namespace tesserec::preprocess {

/// Returns the verdict on the data: what verdict::judge() finds, numbers that are too large, values that were cut or
/// have no ids, labels of one value, and labels that were not judged.
std::vector<verdict::Finding> find_oddities(const PreprocessReport& report);

/// Throws Error if there are warnings or errors, and logs them all.
void require_nothing_odd(const std::vector<verdict::Finding>& findings);

}  // namespace tesserec::preprocess
