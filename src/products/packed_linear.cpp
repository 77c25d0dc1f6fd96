// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "int8.hpp"
#include "panels.hpp"
#include <tesserec/products/packed_linear.hpp>

namespace tesserec::products {

PackedLinear::PackedLinear(Index begin, Index in, Index out, Precision precision)
    : in_(in), out_(out), precision_(precision) {
  forward_ = begin;
  backward_ = forward_ + padded_width(out) * depth_of(precision, in);
  const bool is_int8 = precision == Precision::int8;
  bias_ = backward_ + (is_int8 ? 0 : padded_width(in) * depth_of(precision, out));
  scales_ = bias_ + padded_width(out);
  end_ = scales_ + (is_int8 ? 2 * padded_width(out) : 0);
}

Index PackedLinear::panels() const { return panel_count(out_, kernels().width); }
Index PackedLinear::first_weight(Index panel) const { return panel * kernels().width * in_; }

void PackedLinear::pack(Index panel, const float* weight, const float* bias, bool backward, float* packed) const {
  if (precision_ == Precision::int8) {
    float* const scales = packed + scales_;
    pack_codes(out_, in_, panel, weight, packed + forward_, {scales, scales + padded_width(out_)});
  } else {
    float* const packed_backward = backward ? packed + backward_ : nullptr;
    kernels(precision_).pack_rows(out_, in_, panel, weight, packed + forward_, packed_backward);
  }
  const Index width = kernels().width, begin = panel * width, end = std::min(begin + width, out_);
  std::fill_n(packed + bias_ + begin, width, 0.0f);
  if (bias != nullptr) std::copy(bias + begin, bias + end, packed + bias_ + begin);
}

}  // namespace tesserec::products
