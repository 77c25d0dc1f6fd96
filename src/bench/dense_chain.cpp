// SPDX-License-Identifier: Apache-2.0
#include "dense_chain.hpp"

#include <algorithm>
#include <cmath>

namespace tesserec::bench {

Vector<float> numbers(const Exec& exec, Index n) {
  const Vector<float> made = make_vector<float>(exec, "tesserec::bench::numbers", n);
  for (Index i = 0; i < n; ++i) made.data()[i] = 1e-3f * float(i % 1000 - 500);
  return made;
}

DenseChain::DenseChain(const Exec& exec, const network::Network& dense, const Lanes& lanes, int rank, int size,
                       Index global_size)
    : exec_(exec),
      dense_(dense),
      samples_(lanes.samples_of_rank(rank, size, global_size).size()),
      parameters_(exec, place_of(dense.settings().kernels), "tesserec::bench::parameters", dense.parameters()),
      x_(numbers(exec, samples_ * dense.dense_features())),
      pooled_(numbers(exec, samples_ * dense.pooled_width())),
      pooled_gradient_(numbers(exec, samples_ * dense.pooled_width())),
      labels_(numbers(exec, samples_ * dense.settings().labels())),
      sums_(exec, dense.parameters(), parameters_.place()),
      input_{lanes, lanes.of_rank(rank, size), global_size, x_.data(), pooled_.data(), labels_.data()} {
  for (const network::EmbeddedFeature& feature : dense.unpooled()) {  // all samples have the mean length
    const Index length = std::max<Index>(1, std::lround(feature.ids)), vectors = samples_ * length;
    const Vector<Index> offsets = make_vector<Index>(exec, "tesserec::bench::offsets", samples_ + 1);
    for (Index s = 0; s <= samples_; ++s) offsets(s) = s * length;
    for (std::vector<jagged::JaggedVectors>* to : {&input_.unpooled, &unpooled_gradient_}) {
      const Matrix<float> values = make_matrix<float>(exec, "tesserec::bench::vectors", vectors, feature.dim);
      Kokkos::deep_copy(exec, values, 1e-3f);
      to->push_back({values, {}, offsets});
    }
  }
  dense.initialize(exec, 1, parameters_);
  Kokkos::deep_copy(exec, labels_, 1.0f);
  exec.fence();
}

}  // namespace tesserec::bench
