// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string_view>

#include "catch.hpp"
#include <tesserec/core/device.hpp>
#include <tesserec/train/gpu_share.hpp>

using namespace tesserec;

TEST_CASE("count_equal_texts: counts the ranks whose GPU has the name of a rank's GPU") {
  constexpr std::string_view all = "0 a, PCI 10 a, PCI 20 a, PCI 11 a, PCI 10 b";
  constexpr std::array<Index, 5> sizes{10, 10, 10, 10, 3};
  const int expected[] = {2, 1, 2, 1, 1};
  for (int rank = 0; rank < 5; ++rank) CHECK(train::count_equal_texts(all, sizes, rank) == expected[rank]);
  const comm::Communicator world(MPI_COMM_WORLD);
  if (!device_is_host) return;
  CHECK(train::gpu_share(world).name == "");
  CHECK(train::gpu_share(world).memory == 0);
}
