// SPDX-License-Identifier: Apache-2.0
/// Vector register of AVX-512 VNNI for products of int8.hpp.
#pragma once

#include "avx512_codes.hpp"

namespace tesserec::products {
namespace {  // internal linkage: one copy per instruction set

struct Avx512Vnni : Avx512Codes {
  static TESSEREC_INLINE Register fma(Register a, Register b, Register c) {
    return _mm512_castsi512_ps(
        _mm512_dpbusd_epi32(_mm512_castps_si512(c), _mm512_castps_si512(a), _mm512_castps_si512(b)));
  }
};

}  // namespace
}  // namespace tesserec::products
