// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include <tesserec/core/not_finite.hpp>

namespace tesserec {
namespace {

TESSEREC_KERNEL Index first_on_host(const float* values, Index n) {
  constexpr std::uint32_t exponent = 0x7f800000;
  std::uint32_t found = 0;  // Integers let the compiler vectorize the loop.
  for (Index i = 0; i < n; ++i) found |= (std::bit_cast<std::uint32_t>(values[i]) & exponent) == exponent;
  if (!found) return -1;
  Index at = 0;
  while (std::isfinite(values[at])) ++at;
  return at;
}

constexpr Index none = std::numeric_limits<Index>::max();

struct FirstOf {
  static constexpr float most = std::numeric_limits<float>::max();
  const float* values;
  Index* first;
  KOKKOS_INLINE_FUNCTION void operator()(Index i) const {
    if (!(std::fabs(values[i]) <= most)) atomic_min(first, i);
  }
};

}  // namespace

std::vector<Index> NotFinite::found(const Exec& exec) {
  std::vector<Look> looks;
  looks.swap(looks_);
  std::vector<Index> found(looks.size(), -1);
  const auto of_device = [](const Look& look) { return look.place == Place::device; };
  if (std::ranges::any_of(looks, of_device)) look_there(exec, looks, found);
  wait(exec);
  for (std::size_t i = 0; i < looks.size(); ++i)
    if (!of_device(looks[i])) found[i] = first_on_host(looks[i].values, looks[i].n);
  return found;
}

void NotFinite::look_there(const Exec& exec, std::span<const Look> looks, std::span<Index> found) {
  const Device device = device_of(exec);
  const auto count = std::ssize(looks);
  Index* const first = reserve_device(device, first_, "tesserec::core::first_not_finite", count);
  fill_on(device, "tesserec::core::clear_not_finite", first, count, none);
  for (Index i = 0; i < count; ++i)
    if (looks[i].place == Place::device)
      over_numbers(device, "tesserec::core::first_not_finite", looks[i].n, FirstOf{looks[i].values, first + i});
  copy(exec, Place::device, first, Place::host, found.data(), count);
  std::ranges::replace(found, none, Index{-1});
}

}  // namespace tesserec
