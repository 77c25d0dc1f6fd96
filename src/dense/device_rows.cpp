// SPDX-License-Identifier: Apache-2.0
#include <tesserec/core/device_loops.hpp>
#include <tesserec/core/short_floats.hpp>
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
void relu_on(const Device& device, Index rows, Rows<float> y) {
  const Index width = y.width;
  over_numbers(
      device, "tesserec::dense::relu", rows * width, KOKKOS_LAMBDA(Index i) {
        float& number = y[i / width][i % width];
        if (number < 0.0f) number = 0.0f;
      });
}
void mask_on(const Device& device, Index rows, Rows<const float> y, Rows<const float> from, Rows<float> to) {
  const Index width = to.width;
  over_numbers(
      device, "tesserec::dense::mask", rows * width, KOKKOS_LAMBDA(Index i) {
        const Index r = i / width, c = i % width;
        to[r][c] = y[r][c] > 0.0f ? from[r][c] : 0.0f;
      });
}
void round_on(const Device& device, Index rows, Rows<const float> from, Rows<std::uint16_t> to) {
  const Index width = from.width;
  over_numbers(
      device, "tesserec::dense::round", rows * width, KOKKOS_LAMBDA(Index i) {
        const Index r = i / width, c = i % width;
        to[r][c] = std::uint16_t(round_to_bf16(from[r][c]) >> 16);
      });
}

}  // namespace tesserec::dense
