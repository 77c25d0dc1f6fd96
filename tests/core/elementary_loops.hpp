// SPDX-License-Identifier: Apache-2.0
/// Loops over the elementary functions, compiled for several instruction sets.
#pragma once

#include <string>
#include <vector>

#include <tesserec/core/elementary.hpp>
#include <tesserec/core/index.hpp>

namespace tesserec::loops {

template <class T>
using Loop = void (*)(const T*, T*, Index);

inline const std::vector<std::string> names = {"exp", "expm1", "log", "log1p", "sin", "cos", "tanh", "sigmoid", "erf"};

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define LOOPS_AVX2 __attribute__((target("avx2,fma")))
#define LOOPS_AVX512 __attribute__((target("arch=x86-64-v4")))
inline bool has_avx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
inline bool has_avx512() { return __builtin_cpu_supports("x86-64-v4"); }
#else
#define LOOPS_AVX2
#define LOOPS_AVX512
inline bool has_avx2() { return false; }
inline bool has_avx512() { return false; }
#endif

#define LOOP(SET, FROM, NAME)                                      \
  template <class T>                                               \
  SET void NAME(const T* __restrict x, T* __restrict y, Index n) { \
    for (Index i = 0; i < n; ++i) y[i] = FROM::NAME(x[i]);         \
  }
/// Defines `all`, which returns the loops over the functions of FROM in the order of `names`, compiled with SET.
#define LOOPS(SET, FROM)                                                                      \
  LOOP(SET, FROM, exp)                                                                        \
  LOOP(SET, FROM, expm1)                                                                      \
  LOOP(SET, FROM, log)                                                                        \
  LOOP(SET, FROM, log1p)                                                                      \
  LOOP(SET, FROM, sin)                                                                        \
  LOOP(SET, FROM, cos)                                                                        \
  LOOP(SET, FROM, tanh)                                                                       \
  LOOP(SET, FROM, sigmoid)                                                                    \
  LOOP(SET, FROM, erf)                                                                        \
  template <class T>                                                                          \
  std::vector<Loop<T>> all() {                                                                \
    return {exp<T>, expm1<T>, log<T>, log1p<T>, sin<T>, cos<T>, tanh<T>, sigmoid<T>, erf<T>}; \
  }
namespace plain {
LOOPS(, elementary)
}
namespace avx2 {
LOOPS(LOOPS_AVX2, elementary)
}
namespace avx512 {
LOOPS(LOOPS_AVX512, elementary)
}

}  // namespace tesserec::loops
