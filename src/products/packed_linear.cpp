// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "panels.hpp"
#include <tesserec/products/packed_linear.hpp>

namespace tesserec::products {
namespace {

Index padded(Index columns) { return panel_count(columns, kernels().width) * kernels().width; }

}  // namespace

PackedLinear::PackedLinear(Index begin, Index in, Index out, Precision precision)
    : in_(in), out_(out), precision_(precision) {
  const auto depth = [&](Index numbers) { return precision == Precision::bf16 ? (numbers + 1) / 2 : numbers; };
  forward_ = begin;
  backward_ = forward_ + padded(out) * depth(in);
  bias_ = backward_ + padded(in) * depth(out);
  end_ = bias_ + padded(out);
}

Index PackedLinear::panels() const { return panel_count(out_, kernels().width); }
Index PackedLinear::first_weight(Index panel) const { return panel * kernels().width * in_; }

void PackedLinear::pack(Index panel, const float* weight, const float* bias, bool backward, float* packed) const {
  const PanelKernels& products = precision_ == Precision::bf16 ? kernels().bf16 : kernels().fp32;
  products.pack_rows(out_, in_, panel, weight, packed + forward_, backward ? packed + backward_ : nullptr);
  const Index width = kernels().width, begin = panel * width, end = std::min(begin + width, out_);
  std::fill_n(packed + bias_ + begin, width, 0.0f);
  if (bias != nullptr) std::copy(bias + begin, bias + end, packed + bias_ + begin);
}

}  // namespace tesserec::products
