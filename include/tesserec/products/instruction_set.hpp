// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tesserec::products {

/// Names what the matrix kernels use: "avx512_bf16", "avx512", "avx2", "neon" or "plain"; the bits are the same. The
/// environment variable TESSEREC_INSTRUCTION_SET names another that the machine has. Error: one that it has not.
std::string instruction_set();

}  // namespace tesserec::products
