// SPDX-License-Identifier: Apache-2.0
/// The mode in which VFMADD does with denormal numbers what VDPBF16PS does in any.
#pragma once

#include <immintrin.h>

namespace tesserec::products {
namespace {  // an object for each instruction set

struct FlushMode {
  static unsigned begin_flush() {
    const unsigned before = _mm_getcsr();
    _mm_setcsr(0x9fc0);  // FTZ, DAZ, to the nearest, no traps
    return before;
  }
  static void end_flush(unsigned before) { _mm_setcsr(before); }
};

}  // namespace
}  // namespace tesserec::products
