// SPDX-License-Identifier: Apache-2.0
// DeviceLanes: the host's copy of the rows of a rank's lanes agrees with the device's.
#include "src/network/device_lanes.hpp"

#include <vector>

#include "catch.hpp"

using namespace tesserec;

TEST_CASE("DeviceLanes: the host knows the first row of each lane on the device") {
  const Device device;
  network::DeviceLanes lanes;
  for (const Index samples : {Index{2048}, Index{1001}, Index{3}})  // 3: some lanes have no samples
    for (const Range own_lanes : {Range{0, 8}, Range{2, 4}, Range{5, 8}, Range{7, 8}}) {
      CAPTURE(samples, own_lanes.begin, own_lanes.end);
      lanes.start(device, Lanes(8), own_lanes, samples);
      const Pieces& chunks = lanes.chunks();
      std::vector<Index> of_lane(chunks.lanes + 1), rows(chunks.count + 1);
      copy_to_host(device, chunks.of_lane, of_lane.data(), std::ssize(of_lane));
      copy_to_host(device, chunks.rows, rows.data(), std::ssize(rows));
      device.fence();
      REQUIRE(chunks.lanes == own_lanes.size());
      for (Index lane = 0; lane <= chunks.lanes; ++lane) CHECK(chunks.lane_rows[lane] == rows[of_lane[lane]]);
    }
}
