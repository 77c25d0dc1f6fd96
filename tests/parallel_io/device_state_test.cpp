// SPDX-License-Identifier: Apache-2.0
// State in device memory compared with the same state in host memory. It spans several of the pieces in which the host
// reads device memory.
#include "catch.hpp"
#include "store/scratch.hpp"
#include <tesserec/core/random.hpp>
#include <tesserec/parallel_io/state.hpp>
#include <tesserec/store/checksum.hpp>
#include <tesserec/store/state.hpp>

using namespace tesserec;
using store::StateItem;

TEST_CASE("write_state: device memory gives the checksums and the file of host memory") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Scratch scratch(world);
  const Exec exec;
  constexpr Index rows = 1100000, columns = 9;  // 40 MB
  std::vector<float> numbers(rows * columns);
  Random(1, Purpose::test).fill_rows({0, rows}, {0, columns}, 1.0f, numbers.data());
  const PlacedMatrix<float> host(exec, Place::host, "tesserec::test::host", rows, columns),
      device(exec, Place::device, "tesserec::test::device", rows, columns);
  host.from_host(exec, numbers), device.from_host(exec, numbers);
  const auto items = [&](const PlacedMatrix<float>& of) {
    const Range own{rows * world.rank() / world.size(), rows * (world.rank() + 1) / world.size()};
    return std::vector<StateItem>{{"table",
                                   rows,
                                   columns,
                                   {own.begin, own.size()},
                                   store::placed_rows(of.data() + own.begin * columns, columns, of.place()),
                                   true}};
  };
  const std::string host_path = scratch / "here.h5", device_path = scratch / "there.h5";
  CHECK(parallel_io::write_state(exec, world, host_path, items(host), {}) ==
        parallel_io::write_state(exec, world, device_path, items(device), {}));
  for (const PlacedMatrix<float>* to : {&host, &device}) {
    to->fill(exec, "tesserec::test::fill", 0.0f);
    parallel_io::read_state(exec, world, parallel_io::open_state(world, to == &host ? device_path : host_path),
                            items(*to));
    const std::vector<float> values = to->to_host(exec);
    const Index first = rows * world.rank() / world.size() * columns,
                last = rows * (world.rank() + 1) / world.size() * columns;
    CHECK(std::equal(values.begin() + first, values.begin() + last, numbers.begin() + first));
  }

  numbers.back() = 1e30f;
  device.from_host(exec, numbers);
  std::string not_finite;
  parallel_io::state_checksums(exec, world, items(device), &not_finite);
  CHECK(not_finite == (world.rank() + 1 == world.size() ? "table is 1e+30 in row 1099999, column 8" : ""));
}
