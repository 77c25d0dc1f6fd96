// SPDX-License-Identifier: Apache-2.0
#include "catch.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/optim/schedule.hpp>

using namespace tesserec;
using namespace tesserec::optim;

TEST_CASE("warm-up, hold and decay") {
  const ScheduleSettings schedule{4, 6, 2};
  validate(schedule);
  const double expected[] = {0.25, 0.5, 0.75, 0.75, 0.75, 1.0, 0.25, 0.25, 0.25};
  for (Index step = 1; step <= 9; ++step)
    REQUIRE(scheduled_rate(schedule, 2.0, step) == Approx(2.0 * expected[step - 1]));
  for (Index step = 1; step <= 9; ++step) REQUIRE(scheduled_rate({}, 0.3, step) == 0.3);
  REQUIRE(scheduled_rate({4, 0, 0}, 1.0, 4) == 1.0);
  REQUIRE(scheduled_rate({0, 5, 2}, 0.3, 1) == 0.3);
  REQUIRE(scheduled_rate({0, 0, 1000000}, 0.1, 999999) == 1e-7);
}

TEST_CASE("a schedule that contradicts itself is refused") {
  validate({10, 0, 0});
  REQUIRE_THROWS_AS(validate({10, 9, 1}), Error);
  REQUIRE_THROWS_AS(validate({-1, 0, 0}), Error);
  REQUIRE_THROWS_AS(validate({0, -1, 5}), Error);
  REQUIRE_THROWS_AS(validate({0, 0, -5}), Error);
}
