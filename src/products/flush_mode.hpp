// SPDX-License-Identifier: Apache-2.0
/// MXCSR mode in which VFMADD flushes denormal values as VDPBF16PS does in any mode.
#pragma once

#include <immintrin.h>

namespace tesserec::products {
namespace {  // internal linkage: one copy per instruction set

struct FlushMode {
  static unsigned begin_flush() {
    const unsigned before = _mm_getcsr();
    _mm_setcsr(0x9fc0);  // FTZ, DAZ, round to nearest, no traps
    return before;
  }
  static void end_flush(unsigned before) { _mm_setcsr(before); }
};

}  // namespace
}  // namespace tesserec::products
