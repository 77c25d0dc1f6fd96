// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cmath>
#include <limits>

#include <tesserec/core/not_finite.hpp>

namespace tesserec {
namespace {

TESSEREC_KERNEL Index first_on_host(const float* values, Index n) {
  constexpr std::uint32_t exponent = 0x7f800000;
  std::uint32_t found = 0;  // integers, so that the loop becomes vector code
  for (Index i = 0; i < n; ++i) found |= (std::bit_cast<std::uint32_t>(values[i]) & exponent) == exponent;
  if (!found) return -1;
  Index at = 0;
  while (std::isfinite(values[at])) ++at;
  return at;
}

struct FirstOf {
  static constexpr float most = std::numeric_limits<float>::max();
  const float* values;
  KOKKOS_INLINE_FUNCTION void operator()(Index i, Index& first) const {
    if (!(std::fabs(values[i]) <= most) && i < first) first = i;
  }
};

}  // namespace

Index first_not_finite(const Exec& exec, Place place, const float* values, Index n) {
  if (place == Place::host) {
    exec.fence();
    return first_on_host(values, n);
  }
  Index first = n;
  Kokkos::parallel_reduce(on_device("tesserec::core::first_not_finite"), DeviceRange(device_of(exec), 0, n),
                          FirstOf{values}, Kokkos::Min<Index>(first));
  return first < n ? first : -1;
}

}  // namespace tesserec
