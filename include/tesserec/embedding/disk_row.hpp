// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/core/index.hpp>

namespace tesserec::embedding {

/// Bytes of the longest row of kernel disk with its optimizer state: 16 pages of 4 KiB, which one request reads.
inline constexpr Index longest_disk_row = 16 * 4096;

}  // namespace tesserec::embedding
