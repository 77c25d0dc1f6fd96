// SPDX-License-Identifier: Apache-2.0
#include "sort_keys.hpp"

#include <array>
#include <bit>

#include <tesserec/core/error.hpp>
#ifdef KOKKOS_ENABLE_CUDA
#include <cub/device/device_radix_sort.cuh>
#endif

namespace tesserec::embedding {
namespace {

struct Count {
  std::uint32_t* places;
  TESSEREC_FUNCTION void operator()(const LaneGroup&, Index i) const { places[i] = std::uint32_t(i); }
};

#ifndef KOKKOS_ENABLE_CUDA
/// Pass of the radix sort: sorts the positions in `from` by one digit. The least significant digit is first.
struct SortDigit {
  const std::uint64_t* keys;
  Index count;
  int shift, digit_bits;
  const std::uint32_t* from;
  std::uint32_t* to;
  void operator()(const LaneGroup&, Index) const {
    std::array<Index, (1 << 11) + 1> start{};
    const std::uint64_t last = (std::uint64_t{1} << digit_bits) - 1;
    for (Index i = 0; i < count; ++i) ++start[(keys[i] >> shift & last) + 1];
    for (std::uint64_t d = 1; d <= last; ++d) start[d] += start[d - 1];
    for (Index i = 0; i < count; ++i) to[start[keys[from[i]] >> shift & last]++] = from[i];
  }
};

struct Gather {
  const std::uint64_t* keys;
  const std::uint32_t* places;
  std::uint64_t* sorted;
  TESSEREC_FUNCTION void operator()(const LaneGroup&, Index i) const { sorted[i] = keys[places[i]]; }
};
#endif

}  // namespace

void KeySort::operator()(const Device& exec, const DeviceVector<std::uint64_t>& keys,
                         DeviceVector<std::uint64_t>& sorted, DeviceVector<std::uint32_t>& places, Index count,
                         int bits) {
  if (std::uint64_t(count) >> 32 != 0)
    fail("a rank has ", count,
         " ids of a batch for its tables of one dimension, but portable kernels take fewer than 2^32; lower "
         "train.batch_size, or use more ranks");
  reserve_device(exec, sorted, "tesserec::embedding::sorted_keys", count);
  reserve_device(exec, places, "tesserec::embedding::sorted_places", count);
  reserve_device(exec, scratch_, "tesserec::embedding::sort_scratch", count);
#ifdef KOKKOS_ENABLE_CUDA
  launch(exec, "tesserec::embedding::count", count, 1, Count{scratch_.data()});
  std::size_t bytes = 0;
  const auto sort = [&](void* storage) {
    cub::DeviceRadixSort::SortPairs(storage, bytes, keys.data(), sorted.data(), scratch_.data(), places.data(), count,
                                    0, std::max(bits, 1), exec.cuda_stream());
  };
  sort(nullptr);
  reserve_device(exec, storage_, "tesserec::embedding::sort_storage", Index(bytes));
  sort(storage_.data());
#else
  launch(exec, "tesserec::embedding::count", count, 1, Count{places.data()});
  const int digit_bits = std::min(11, std::max(4, int(std::bit_width(std::uint64_t(count)))));
  for (int shift = 0; shift < bits; shift += digit_bits) {
    launch(exec, "tesserec::embedding::sort_digit", 1, 1,
           SortDigit{keys.data(), count, shift, digit_bits, places.data(), scratch_.data()});
    std::swap(places, scratch_);
  }
  launch(exec, "tesserec::embedding::gather_keys", count, 1, Gather{keys.data(), places.data(), sorted.data()});
#endif
}

}  // namespace tesserec::embedding
