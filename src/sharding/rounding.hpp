// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/core/placed.hpp>
#include <tesserec/sharding/exchange_precision.hpp>

namespace tesserec::sharding {

/// Conversion of floats to 16 bits and back, in the memory where they lie. Does not block on a device.
class Rounding {
 public:
  Rounding(NumberType type, float scale) : type_(type), scale_(type == NumberType::fp16 ? scale : 1.0f) {}

  explicit operator bool() const { return type_ != NumberType::fp32; }
  /// Rounds in place, to the values that pack() and unpack() would give.
  void round(const Exec& exec, Place place, float* numbers, Index n) const;
  void pack(const Exec& exec, Place place, const float* from, std::uint16_t* to, Index n) const;
  void unpack(const Exec& exec, Place place, const std::uint16_t* from, float* to, Index n) const;

 private:
  template <class Launch>  // launch(Bf16 or Fp16)
  void with_type(const Launch& launch) const;

  NumberType type_;
  float scale_;
};

}  // namespace tesserec::sharding
