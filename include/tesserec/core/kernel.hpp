// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Marks a hot function on raw pointers. On x86-64 it is compiled for AVX-512, for AVX2 + FMA and for neither, one of
/// which is chosen at start. Its arithmetic must not depend on the vector width: elementwise, or reductions in a fixed
/// order, with std::fma.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define TESSEREC_KERNEL __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
/// Marks a loop over bodies in the same manner. All that the loop calls is inlined into each version.
#define TESSEREC_LOOPS TESSEREC_KERNEL __attribute__((flatten))
#else
#define TESSEREC_KERNEL
#define TESSEREC_LOOPS
#endif

/// Marks a small function that kernels call, on the host or a device. It is inlined into each version of its caller, so
/// that no version runs code compiled for another instruction set.
#if defined(__CUDACC__) || defined(__HIPCC__)
#define TESSEREC_FUNCTION __host__ __device__ __forceinline__
#else
#define TESSEREC_FUNCTION [[gnu::always_inline]] inline
#endif

/// Marks such a function on the host's vectors, which no device calls.
#define TESSEREC_HOST_FUNCTION [[gnu::always_inline]] inline

/// Marks a loop of few and constant iterations to be unrolled, so that its array stays in registers.
#if defined(__CUDA_ARCH__)
#define TESSEREC_UNROLL _Pragma("unroll")
#elif defined(__CUDACC__)
#define TESSEREC_UNROLL
#else
#define TESSEREC_UNROLL _Pragma("GCC unroll 32")
#endif
