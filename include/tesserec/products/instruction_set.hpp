// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tesserec::products {

/// Returns the instruction set of the matrix kernels: "avx512_amx", "avx512_bf16", "avx512_vnni", "avx512", "avx2", "neon" or
/// "plain". The results' bits do not depend on it. The environment variable TESSEREC_INSTRUCTION_SET selects another
/// one. Throws Error if the machine lacks the selected one.
std::string instruction_set();

}  // namespace tesserec::products
