// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Marks a hot function on raw pointers: on x86-64 compiled for AVX-512, AVX2 + FMA and neither, chosen at start. Its
/// arithmetic must not depend on the vector width: elementwise, or reductions in a written order, with std::fma.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define TESSEREC_KERNEL __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
/// The same of a loop over bodies: each version has their code and all that they call.
#define TESSEREC_LOOPS TESSEREC_KERNEL __attribute__((flatten))
#else
#define TESSEREC_KERNEL
#define TESSEREC_LOOPS
#endif

/// Mark in front of a small function that kernels call, on the host or a device: it becomes part of each version of its
/// caller, so that no version meets code of another one's instruction set.
#if defined(__CUDACC__) || defined(__HIPCC__)
#define TESSEREC_FUNCTION __host__ __device__ __forceinline__
#else
#define TESSEREC_FUNCTION [[gnu::always_inline]] inline
#endif

/// The same of a function of the host's vectors, which no device calls.
#define TESSEREC_HOST_FUNCTION [[gnu::always_inline]] inline

/// Mark in front of a loop of so few known turns that it is written out, its array in registers.
#if defined(__CUDA_ARCH__)
#define TESSEREC_UNROLL _Pragma("unroll")
#elif defined(__CUDACC__)
#define TESSEREC_UNROLL
#else
#define TESSEREC_UNROLL _Pragma("GCC unroll 32")
#endif
