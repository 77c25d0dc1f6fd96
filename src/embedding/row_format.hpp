// SPDX-License-Identifier: Apache-2.0
/// Formats of stored weights, as kernels read and write them. All sums are in fp32.
#pragma once

#include <cstdint>

#include <tesserec/core/index.hpp>
#include <tesserec/core/number_type.hpp>
#include <tesserec/core/philox_rounds.hpp>
#include <tesserec/core/short_floats.hpp>

namespace tesserec::embedding {

struct Fp32Rows {
  using Number = float;
  static constexpr bool is_short = false;
  TESSEREC_FUNCTION float widen(float v) const { return v; }
};
struct Fp16Rows {
  using Number = std::uint16_t;
  static constexpr bool is_short = true;
  TESSEREC_FUNCTION float widen(std::uint16_t v) const { return from_fp16(v); }
};
struct Bf16Rows {
  using Number = std::uint16_t;
  static constexpr bool is_short = true;
  TESSEREC_FUNCTION float widen(std::uint16_t v) const { return from_bf16(v); }
};

/// Either format of 16 bits, for updates, whose kernels would be too many with one for each format.
struct NarrowRows {
  using Number = std::uint16_t;
  static constexpr bool is_short = true;
  bool is_bf16;
  TESSEREC_FUNCTION float widen(std::uint16_t v) const { return is_bf16 ? from_bf16(v) : from_fp16(v); }
  /// Rounds stochastically by a random number in [0, 2^16).
  TESSEREC_FUNCTION std::uint16_t rounded(float v, std::uint32_t random) const {
    return is_bf16 ? to_bf16_by(v, random) : to_fp16_by(v, random);
  }
};

/// Columns that share one counter of random numbers: four words of two halves each. The lower half of a word belongs
/// to the even column.
inline constexpr Index columns_per_counter = 8;

/// Random numbers by which a step rounds the weights of a row (EmbeddingTable::rounding).
struct RowRounding {
  std::uint32_t key0, key1;
  Index row;         // of the logical table
  Index first_quad;  // number of the shard's first four columns, in the logical row

  /// Computes the numbers, of 16 bits, of the shard's columns 4 q to 4 q + 3.
  TESSEREC_FUNCTION void operator()(Index q, std::uint32_t (&random)[4]) const {
    const Index quad = first_quad + q;
    std::uint32_t words[4] = {std::uint32_t(row), std::uint32_t(std::uint64_t(row) >> 32), std::uint32_t(quad / 2), 0};
    philox::ten_rounds(key0, key1, words);
    const bool upper = quad % 2 == 1;
    const std::uint32_t low = upper ? words[2] : words[0];
    const std::uint32_t high = upper ? words[3] : words[1];
    random[0] = low & 0xffffu;
    random[1] = low >> 16;
    random[2] = high & 0xffffu;
    random[3] = high >> 16;
  }
};

/// Calls call(format) with the format of a type.
template <class Call>
void with_format(NumberType type, const Call& call) {
  switch (type) {
    case NumberType::fp32:
      return call(Fp32Rows());
    case NumberType::fp16:
      return call(Fp16Rows());
    case NumberType::bf16:
      return call(Bf16Rows());
  }
}
/// Calls call(Fp32Rows or NarrowRows).
template <class Call>
void with_updated_format(NumberType type, const Call& call) {
  if (type == NumberType::fp32)
    call(Fp32Rows());
  else
    call(NarrowRows{type == NumberType::bf16});
}

}  // namespace tesserec::embedding
