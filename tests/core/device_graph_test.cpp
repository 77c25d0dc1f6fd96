// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "catch.hpp"
#include "device_copies.hpp"
#include <tesserec/core/device_list.hpp>
#include <tesserec/core/device_loops.hpp>
#include <tesserec/core/upload.hpp>

using namespace tesserec;

namespace {

struct AddTo {
  const Index *from;
  Index *to;
  Index summand;
  TESSEREC_FUNCTION void operator()(Index i) const { to[i] += from[i] + summand; }
};

std::vector<Index> fetched(const Device &device, const Index *from, Index n) {
  std::vector<Index> numbers(n);
  copy_to_host(device, from, numbers.data(), n);
  device.fence();
  return numbers;
}

}  // namespace

TEST_CASE("RepeatedLaunches: repeats recorded launches in order with the arguments given by value") {
  const Device device;
  constexpr Index n = 5000;
  DeviceVector<Index> a, b, c;
  Index *const ones = reserve_device(device, a, "tesserec::test::a", n), *const sum = reserve_device(device, b, "b", n);
  fill_on(device, "tesserec::test::ones", ones, n, Index{1});
  fill_on(device, "tesserec::test::sum", sum, n, Index{0});
  RepeatedLaunches repeated;
  Index launched = 0;
  const auto run = [&](Index more) {
    LaunchKey key;
    key.add(ones, sum, more);
    repeated(device, key, [&] {
      ++launched;
      over_numbers(device, "tesserec::test::add", n, AddTo{ones, sum, more});  // s + 1 + more
      over_numbers(device, "tesserec::test::twice", n, AddTo{sum, sum, 0});    // shows the order
    });
  };
  Index expected = 0;
  const auto check = [&](Index more, Index calls) {
    launched = 0;
    run(more);
    expected = 2 * (expected + 1 + more);
    CHECK(fetched(device, sum, n) == std::vector<Index>(n, expected));
    CHECK(launched == calls);
  };
  check(1, 1);  // the first call launches directly
  check(1, 1);  // the second call records
  check(1, 0);
  check(2, 1);  // another key
  check(1, 0);  // both recordings are kept
  check(2, 1);
  check(2, 0);
  reserve_device(device, c, "tesserec::test::c", n);  // a reallocation makes every recording invalid
  check(1, 1);
  check(1, 1);
  check(1, 0);
  for (Index other = 3; other < 20; ++other) run(other), expected = 2 * (expected + 1 + other);
  check(1, 1);  // the oldest recordings are evicted
}

TEST_CASE("copy_on_device: is recorded and repeated by RepeatedLaunches") {
  const Device device;
  DeviceVector<Index> a, b;
  Index *const from = reserve_device(device, a, "tesserec::test::a", 3), *const to = reserve_device(device, b, "b", 3);
  RepeatedLaunches repeated;
  for (Index value = 0; value < 4; ++value) {
    fill_on(device, "tesserec::test::value", from, 3, value);
    repeated(device, {}, [&] { copy_on_device(device, from, to, 3); });
    CHECK(fetched(device, to, 3) == std::vector<Index>(3, value));
  }
}

TEST_CASE("scan_numbers: is recorded and repeated by RepeatedLaunches") {
  const Device device;
  DeviceVector<Index> a, b;
  Index *const from = reserve_device(device, a, "tesserec::test::a", 4), *const to = reserve_device(device, b, "b", 4);
  RepeatedLaunches repeated;
  for (Index value = 1; value < 4; ++value) {
    fill_on(device, "tesserec::test::value", from, 4, value);
    repeated(device, {}, [&] {
      scan_numbers(
          device, "tesserec::test::count", 4, KOKKOS_LAMBDA(Index i, Index & so_far, bool last) {
            so_far += from[i];
            if (last) to[i] = so_far;
          });
    });
    CHECK(fetched(device, to, 4) == std::vector<Index>{value, 2 * value, 3 * value, 4 * value});
  }
}

TEST_CASE("DeviceList: keeps the pointers of cached lists and counts an eviction in DeviceGraph::moves") {
  const Device device;
  DeviceList<Index> list;
  const auto upload = [&](const std::vector<Index> &given) { return list.upload(device, given); };
  const Index *const first = upload({1, 2, 3}), *const second = upload({1, 5, 3});
  CHECK(first != second);
  const std::uint64_t moves = DeviceGraph::moves();
  CHECK((upload({1, 2, 3}) == first && upload({1, 5, 3}) == second));
  CHECK(fetched(device, first, 3) == std::vector<Index>{1, 2, 3});
  CHECK(DeviceGraph::moves() == moves);
  for (Index i = 0; i < 7; ++i) upload({i});
  CHECK(fetched(device, upload({1, 5, 3}), 3) == std::vector<Index>{1, 5, 3});
  CHECK(DeviceGraph::moves() > moves);
}

TEST_CASE("Upload: keeps the list sent last until the next send even while the next is written") {
  const Device device;
  Upload<Index> upload;
  const Index *before = nullptr;
  for (Index batch = 0; batch < 5; ++batch) {
    const Index n = batch == 3 ? 70000 : 3;
    Index *const to = upload.reserve(device, "tesserec::test::upload", n);
    for (Index i = 0; i < n; ++i) to[i] = batch;
    if (before != nullptr) CHECK(fetched(device, before, 3) == std::vector<Index>(3, batch - 1));
    const Index *const sent = upload.send(device, n);
    CHECK(sent != before);  // kernels may still read the list sent before
    CHECK(sent == upload.view().data());
    before = sent;
    CHECK(fetched(device, before, n) == std::vector<Index>(n, batch));
  }
}
