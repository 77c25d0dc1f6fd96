// SPDX-License-Identifier: Apache-2.0
#include <tesserec/core/device_loops.hpp>
#include <tesserec/dense/device_rows.hpp>

namespace tesserec::dense {

void copy_on(const Device& device, Index rows, Rows<const float> from, Rows<float> to) {
  const Index width = from.width;
  over_numbers(
      device, "tesserec::dense::copy", rows * width, KOKKOS_LAMBDA(Index i) {
        const Index r = i / width, c = i % width;
        to[r][c] = from[r][c];
      });
}
void add_on(const Device& device, Index rows, Rows<const float> from, Rows<float> to) {
  const Index width = from.width;
  over_numbers(
      device, "tesserec::dense::add", rows * width, KOKKOS_LAMBDA(Index i) {
        const Index r = i / width, c = i % width;
        to[r][c] += from[r][c];
      });
}
void clear_on(const Device& device, Index rows, Rows<float> to) {
  const Index width = to.width;
  over_numbers(
      device, "tesserec::dense::clear", rows * width, KOKKOS_LAMBDA(Index i) { to[i / width][i % width] = 0.0f; });
}

}  // namespace tesserec::dense
