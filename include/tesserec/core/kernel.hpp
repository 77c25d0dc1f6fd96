// SPDX-License-Identifier: Apache-2.0
#pragma once

/// In front of a hot function on raw pointers: compiled for AVX-512, AVX2 + FMA and plain x86-64, chosen at start.
/// Its arithmetic must not depend on the vector width: elementwise, or reductions in an order that is written out,
/// with std::fma where a product is added.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__) && \
    !defined(__SANITIZE_ADDRESS__)
#define TESSEREC_KERNEL __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define TESSEREC_KERNEL
#endif
