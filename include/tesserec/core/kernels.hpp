// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tesserec {

/// What computes: the host's vector instructions, or portable kernels, one text for hosts and GPUs. The bits are the
/// same. automatic: portable where kernels run on a GPU, simd elsewhere.
enum class Kernels { automatic, simd, portable };

}  // namespace tesserec
