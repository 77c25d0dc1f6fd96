// SPDX-License-Identifier: Apache-2.0
#include <tesserec/dense/rows.hpp>

namespace tesserec::dense {

void copy_rows(const Where& where, Index rows, Rows<const float> from, Rows<float> to) {
  over_elements(
      where, "tesserec::dense::copy", rows, from.width, KOKKOS_LAMBDA(Index r, Index c) { to[r][c] = from[r][c]; });
}
void add_rows(const Where& where, Index rows, Rows<const float> from, Rows<float> to) {
  over_elements(
      where, "tesserec::dense::add", rows, from.width, KOKKOS_LAMBDA(Index r, Index c) { to[r][c] += from[r][c]; });
}
void clear_rows(const Where& where, Index rows, Rows<float> to) {
  over_elements(
      where, "tesserec::dense::clear", rows, to.width, KOKKOS_LAMBDA(Index r, Index c) { to[r][c] = 0.0f; });
}

}  // namespace tesserec::dense
