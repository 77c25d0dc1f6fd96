// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cassert>
#include <numeric>

#include "kernels.hpp"
#include <tesserec/dense/interaction.hpp>

namespace tesserec::dense {

FeatureInteraction::FeatureInteraction(Interaction type, bool itself, Index bottom_dim, std::vector<Index> pooled_dims)
    : type_(type), itself_(itself), dim_(bottom_dim), vectors_(std::ssize(pooled_dims) + 1) {
  pooled_width_ = std::accumulate(pooled_dims.begin(), pooled_dims.end(), Index{0});
  assert(type == Interaction::cat ||
         std::all_of(pooled_dims.begin(), pooled_dims.end(), [&](Index d) { return d == bottom_dim; }));
  const Index pairs = vectors_ * (vectors_ - 1) / 2 + (itself ? vectors_ : 0);
  width_ = dim_ + (type == Interaction::dot ? pairs : pooled_width_);
}

double FeatureInteraction::flops() const {
  return type_ == Interaction::dot ? 2.0 * double((width_ - dim_) * dim_) : 0.0;
}

Index FeatureInteraction::scratch() const {
  return type_ == Interaction::dot ? kernels().dots_scratch({vectors_, dim_, itself_}) : 0;
}

void FeatureInteraction::forward(Index rows, const float* bottom, const float* pooled, float* out,
                                 float* scratch) const {
  if (type_ == Interaction::dot)
    return kernels().dots_forward({vectors_, dim_, itself_}, rows, bottom, pooled, out, scratch);
  for (Index row = 0; row < rows; ++row) {
    std::copy_n(bottom + row * dim_, dim_, out + row * width_);
    std::copy_n(pooled + row * pooled_width_, pooled_width_, out + row * width_ + dim_);
  }
}

void FeatureInteraction::backward(Index rows, const float* bottom, const float* pooled, const float* upstream,
                                  float* bottom_gradient, float* pooled_gradient, float* scratch) const {
  if (type_ == Interaction::dot)
    return kernels().dots_backward({vectors_, dim_, itself_}, rows, bottom, pooled, upstream, bottom_gradient,
                                   pooled_gradient, scratch);
  for (Index row = 0; row < rows; ++row) {
    std::copy_n(upstream + row * width_, dim_, bottom_gradient + row * dim_);
    std::copy_n(upstream + row * width_ + dim_, pooled_width_, pooled_gradient + row * pooled_width_);
  }
}

}  // namespace tesserec::dense
