// SPDX-License-Identifier: Apache-2.0
#include <tesserec/core/rows.hpp>

namespace tesserec {

void copy_rows(const Where& where, Index rows, Rows<const float> from, Rows<float> to) {
  over_elements(
      where, "tesserec::core::copy", rows, from.width, KOKKOS_LAMBDA(Index r, Index c) { to[r][c] = from[r][c]; });
}

void add_rows(const Where& where, Index rows, Rows<const float> from, Rows<float> to) {
  over_elements(
      where, "tesserec::core::add", rows, from.width, KOKKOS_LAMBDA(Index r, Index c) { to[r][c] += from[r][c]; });
}

void clear_rows(const Where& where, Index rows, Rows<float> to) {
  over_elements(
      where, "tesserec::core::clear", rows, to.width, KOKKOS_LAMBDA(Index r, Index c) { to[r][c] = 0.0f; });
}

}  // namespace tesserec
