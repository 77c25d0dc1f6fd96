// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "catch.hpp"
#include "device_copies.hpp"
#include <tesserec/core/device_list.hpp>
#include <tesserec/core/device_loops.hpp>

using namespace tesserec;

namespace {

constexpr int members = device_is_host ? 1 : 32;
constexpr Index shared = 64;

struct CountNumber {
  int* times;
  TESSEREC_FUNCTION void operator()(Index i) const { ++times[i]; }
};
/// Team kernel that counts each team once, after all members wrote the team's scratch memory.
struct CountTeam {
  int* times;
  template <class Team>
  TESSEREC_FUNCTION void operator()(const Team& team) const {
    float* const ones = scratch_of(team, shared);
    for (Index i = team.team_rank(); i < shared; i += members) ones[i] = 1.0f;
    team.team_barrier();
    if (team.team_rank() == 0) times[team.league_rank()] += int(ones[0] * ones[shared - 1]);
  }
};

}  // namespace

TEST_CASE("over_numbers and over_teams and fill_on: visit every index and every team exactly once") {
  for (const Index n : {0, 1, 4095, 4096, 4097, 10000}) {
    std::vector<int> numbers(n + 1, 0), teams(n + 1, 0), filled(n + 1, 0), expected(n + 1, 1);
    expected[n] = 0;
    DeviceCopies copies;
    over_numbers(copies.device, "tesserec::test::numbers", n, CountNumber{copies(numbers)});
    over_teams<members, 1>(copies.device, "tesserec::test::teams", n, shared * sizeof(float), CountTeam{copies(teams)});
    fill_on(copies.device, "tesserec::test::fill", copies(filled), n, 1);
    copies.fetch();
    CAPTURE(n);
    CHECK((numbers == expected && teams == expected && filled == expected));
  }
}

TEST_CASE("DeviceList: holds the list uploaded last") {
  const Device device;
  DeviceList<Index> list;
  for (const std::vector<Index>& given :
       std::vector<std::vector<Index>>{{1, 2, 3}, {1, 2, 3}, {1, 5, 3}, {1}, {4, 5, 6, 7}}) {
    std::vector<Index> received(given.size());
    copy_to_host(device, list.upload(device, given), received.data(), std::ssize(received));
    device.fence();
    CHECK(received == given);
  }
}
