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
  static constexpr float largest = std::numeric_limits<float>::max();
  const float* values;
  Index* first;
  KOKKOS_INLINE_FUNCTION void operator()(Index i) const {
    if (!(std::fabs(values[i]) <= largest)) atomic_min(first, i);
  }
};

}  // namespace

std::vector<Index> NotFinite::found(const Exec& exec) {
  std::vector<SearchedArray> arrays;
  arrays.swap(arrays_);
  std::vector<Index> found(arrays.size(), -1);
  const auto of_device = [](const SearchedArray& array) { return array.place == Place::device; };
  if (std::ranges::any_of(arrays, of_device)) search_device(exec, arrays, found);
  wait(exec);
  for (std::size_t i = 0; i < arrays.size(); ++i)
    if (!of_device(arrays[i])) found[i] = first_on_host(arrays[i].values, arrays[i].n);
  return found;
}

void NotFinite::search_device(const Exec& exec, std::span<const SearchedArray> arrays, std::span<Index> found) {
  const Device device = device_of(exec);
  const auto count = std::ssize(arrays);
  Index* const first = reserve_device(device, first_, "tesserec::core::first_not_finite", count);
  fill_on(device, "tesserec::core::clear_not_finite", first, count, none);
  for (Index i = 0; i < count; ++i)
    if (arrays[i].place == Place::device)
      over_numbers(device, "tesserec::core::first_not_finite", arrays[i].n, FirstOf{arrays[i].values, first + i});
  copy(exec, Place::device, first, Place::host, found.data(), count);
  std::ranges::replace(found, none, Index{-1});
}

}  // namespace tesserec
