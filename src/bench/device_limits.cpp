// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "kernels.hpp"
#include <tesserec/core/device_loops.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/core/upload.hpp>

namespace tesserec::bench {
namespace {

struct alignas(16) WordPair {
  std::uint64_t a, b;
};

struct ReadWords {
  const WordPair* from;
  KOKKOS_INLINE_FUNCTION void operator()(Index i, std::uint64_t& sum) const { sum += from[i].a ^ from[i].b; }
};
struct CopyWords {
  const WordPair* from;
  WordPair* to;
  KOKKOS_INLINE_FUNCTION void operator()(Index i) const { to[i] = from[i]; }
};

/// Kernel whose items each read `rows_an_item` random rows of `width` words (16 bytes) out of `rows`, less than 2^32.
struct ReadRows {
  static constexpr Index rows_an_item = 32;
  const WordPair* from;
  Index rows, width;
  std::uint64_t* sums;  // [items, width]
  TESSEREC_FUNCTION void operator()(const LaneGroup& lanes, Index item) const {
    for (Index word = lanes.lane; word < width; word += lanes.width) {
      std::uint64_t sum = 0;
      for (Index n = 0; n < rows_an_item; ++n) {
        const WordPair read = from[row(std::uint64_t(item * rows_an_item + n)) * width + word];
        sum += read.a ^ read.b;
      }
      sums[item * width + word] = sum;
    }
  }
  TESSEREC_FUNCTION Index row(std::uint64_t n) const {
    n = (n + 1) * 0x9e3779b97f4a7c15u;
    n = (n ^ (n >> 32)) * 0xd6e8feb86659fd93u;
    return Index(((n ^ (n >> 32)) >> 32) * std::uint64_t(rows) >> 32);
  }
};

}  // namespace

DeviceLimits measure_device(const Context& context, std::vector<Figure>& figures) {
  const Device device = device_of(context.exec);
  const Index n = context.settings.memory / Index{2 * sizeof(WordPair)}, bytes = n * Index{sizeof(WordPair)};
  DeviceVector<WordPair> from, to;
  PinnedVector<WordPair> host;
  reserve_device(device, from, "tesserec::bench::from", n);
  reserve_device(device, to, "tesserec::bench::to", n);
  fill_on(device, "tesserec::bench::fill", from.data(), n, WordPair{1, 2});
  const Index words = std::min(n, Index{1} << 24);  // words of pinned memory, 256 MiB at most
  reserve_pinned(device, host, "tesserec::bench::host", words);
  std::fill_n(host.data(), words, WordPair{3, 4});
  const auto add = [&](const std::string& name, double rate, double limit = 0) {
    figures.push_back({"kernels", name, rate, "bytes/s", limit, limit > 0 ? "device memory, read" : "", 0});
    return rate;
  };
  const auto rate = [&](Index moved, const auto& body) {
    return double(moved) / context.seconds([&] {
      body();
      device.fence();
    });
  };

  DeviceLimits limits;
  limits.read = add("device memory, read", double(bytes) / context.seconds([&] {
    std::uint64_t sum = 0;
    const Kokkos::RangePolicy<Device, Kokkos::IndexType<Index>> range(device, 0, n);
    Kokkos::parallel_reduce(on_device("tesserec::bench::read"), range, ReadWords{from.data()}, sum);
    keep(sum);
  }));
  limits.copy = add("device memory, copied (read and written)", rate(2 * bytes, [&] {
                      over_numbers(device, "tesserec::bench::copy", n, CopyWords{from.data(), to.data()});
                    }));
  for (const Index floats : {32, 64, 128}) {
    const Index width = floats * Index{sizeof(float)} / Index{sizeof(WordPair)};
    const Index rows = std::min(n / width, Index{1} << 31), items = rows / ReadRows::rows_an_item;
    if (items == 0) continue;
    const ReadRows body{from.data(), rows, width, reinterpret_cast<std::uint64_t*>(to.data())};
    add(concat("device memory, random rows of ", floats, " floats"),
        rate(items * ReadRows::rows_an_item * floats * Index{sizeof(float)},
             [&] { launch(device, "tesserec::bench::random_rows", items, width, body); }),
        limits.read);
  }
  const Index host_bytes = words * Index{sizeof(WordPair)};
  add("pinned memory to the device", rate(host_bytes, [&] { copy_to_device(device, host.data(), to.data(), words); }));
  add("device to pinned memory", rate(host_bytes, [&] { copy_to_host(device, to.data(), host.data(), words); }));
  return limits;
}

}  // namespace tesserec::bench
