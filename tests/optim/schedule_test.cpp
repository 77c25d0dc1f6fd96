// SPDX-License-Identifier: Apache-2.0
#include "catch.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/random.hpp>
#include <tesserec/optim/schedule.hpp>

using namespace tesserec;
using namespace tesserec::optim;

TEST_CASE("scheduled_rate: warms up and holds and decays") {
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

TEST_CASE("validate: throws for a schedule that contradicts itself") {
  validate({10, 0, 0});
  REQUIRE_THROWS_AS(validate({10, 9, 1}), Error);
  REQUIRE_THROWS_AS(validate({-1, 0, 0}), Error);
  REQUIRE_THROWS_AS(validate({0, -1, 5}), Error);
  REQUIRE_THROWS_AS(validate({0, 0, -5}), Error);
}

TEST_CASE("scheduled_rate: has the rate of each stage's policy and the base rate after the last") {
  const auto rate = [](ScheduleStage stage, Index done) {
    stage.max_steps = 8;
    ScheduleSettings schedule;
    schedule.stages = {stage};
    validate(schedule);
    return scheduled_rate(schedule, 2.0, done + 1);
  };
  const auto stage = [](Policy policy, double value) {
    ScheduleStage made;
    made.policy = policy;
    made.value = value;
    return made;
  };
  REQUIRE(rate(stage(Policy::constant, 0.25), 8) == 0.5);
  REQUIRE(rate(stage(Policy::constant, 0.25), 9) == 2.0);
  REQUIRE(rate(stage(Policy::linear, 0.5), 0) == 1.0);
  REQUIRE(rate(stage(Policy::linear, 0.5), 4) == 1.5);
  REQUIRE(rate(stage(Policy::poly, 2.0), 4) == Approx(0.5).epsilon(1e-14));
  REQUIRE(rate(stage(Policy::poly, 2.0), 8) == 0.0);
  REQUIRE(rate(stage(Policy::step, 0.5), 3) == 0.25);
  REQUIRE(rate(stage(Policy::exponential, 0.5), 3) == Approx(0.25).epsilon(1e-14));
  REQUIRE(rate(stage(Policy::inv_sqrt, 1.0), 0) == 2.0);
  REQUIRE(rate(stage(Policy::inv_sqrt, 1.0), 4) == 1.0);
  REQUIRE(rate(stage(Policy::cosine, 0.5), 4) == Approx(1.5).epsilon(1e-14));
  REQUIRE(rate(stage(Policy::cosine, 0.5), 8) == 2.0);  // a new period
  ScheduleStage slow = stage(Policy::exponential, 0.25);
  slow.decay_steps = 4;
  slow.scale = 3.0;
  REQUIRE(rate(slow, 2) == Approx(3.0).epsilon(1e-14));
  slow.policy = Policy::poly;  // falls to zero before the stage ends and stays there
  REQUIRE(rate(slow, 7) == 0.0);
}

TEST_CASE("fault: names the key of a stage that contradicts another") {
  const auto fault_of = [](const std::vector<ScheduleStage>& stages, Index warmup = 0) {
    const auto found = fault({warmup, 0, 0, stages});
    return found ? found->key : "";
  };
  const ScheduleStage ten{Policy::constant, 10}, twenty{Policy::linear, 20};
  REQUIRE(fault_of({ten, twenty}) == "");
  REQUIRE(fault_of({ten, twenty}, 5) == "stages");
  REQUIRE(fault_of({twenty, ten}) == "stages.1.max_steps");
  REQUIRE(fault_of({{Policy::constant, 0}}) == "stages.0.max_steps");
  REQUIRE(fault_of({ten, {Policy::linear, 20, 1.0, 1.0, 20}}) == "stages.1.start_steps");
  REQUIRE(fault_of({{Policy::exponential, 10, 0.0}}) == "stages.0.value");
  REQUIRE(fault_of({ten, {Policy::linear, 20, 1.0, 1.0, 11}}) == "");
  REQUIRE(fault_of({ten, {Policy::linear, 20, 1.0, 1.0, 12}}) == "stages.1.start_steps");
  REQUIRE(fault_of({{Policy::linear, 20, 1.0, 1.0, 1}}) == "stages.0.start_steps");
}

TEST_CASE("greatest_rate: bounds the rates of stages without a fault and none is below zero") {
  const Random random(1, Purpose::test, 0);
  int valid = 0;
  for (Index row = 0; row < 3000; ++row) {
    std::uint64_t place = 0;
    const auto draw = [&](Index below) { return Index(random.uniform53(row, place++) * double(below)); };
    ScheduleSettings schedule;
    for (Index last = 0, stages = 1 + draw(3); stages > 0; --stages) {
      ScheduleStage stage{Policy(draw(Index(policies().size()))), last += 1 + draw(20)};
      stage.value = 0.25 * double(draw(6));
      stage.end_value = 0.5 * double(draw(4));
      stage.start_steps = draw(last + 2);
      stage.decay_steps = draw(9);
      stage.period = draw(9);
      stage.scale = 0.5 * double(draw(4));
      schedule.stages.push_back(stage);
    }
    if (fault(schedule)) continue;
    ++valid;
    const Index steps = 1 + draw(70);
    const GreatestRate greatest = greatest_rate(schedule, 0.5, steps);
    for (Index step = 1; step <= steps; ++step) {
      INFO("row " << row << ", step " << step);
      const double rate = scheduled_rate(schedule, 0.5, step);
      REQUIRE(rate >= 0.0);
      REQUIRE(rate <= greatest.rate * (1 + 1e-12));
    }
  }
  CHECK(valid > 1000);
}
