// SPDX-License-Identifier: Apache-2.0
// Learning rates against torchrec's WarmupOptimizer and facebookresearch/dlrm's LRPolicyScheduler.
#include <sstream>

#include "catch.hpp"
#include "golden.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/optim/schedule.hpp>

using namespace tesserec;

namespace {

/// Returns the stages of "policy=linear, max_iters=5, value=0.2; policy=..." or "none".
std::vector<optim::ScheduleStage> stages_of(const std::string& text) {
  std::vector<optim::ScheduleStage> stages;
  if (text == "none") return stages;
  std::istringstream all(text);
  for (std::string one; std::getline(all, one, ';');) {
    optim::ScheduleStage& stage = stages.emplace_back();
    std::istringstream settings(one);
    for (std::string setting; std::getline(settings >> std::ws, setting, ',');) {
      const std::size_t equals = setting.find('=');
      REQUIRE(equals != std::string::npos);
      const std::string key = setting.substr(0, equals), value = setting.substr(equals + 1);
      if (key == "policy") {
        const std::string name = value == "cosine_annealing_warm_restarts" ? "cosine"
                                 : value == "interpolate"                  ? "linear"
                                                                           : value;
        std::size_t found = optim::policies().size();
        for (std::size_t i = 0; i < optim::policies().size(); ++i)
          if (optim::policies()[i].name == name) found = i;
        REQUIRE(found < optim::policies().size());
        stage.policy = optim::Policy(found);
      } else if (key == "value" || key == "end_value" || key == "lr_scale") {
        (key == "value" ? stage.value : key == "end_value" ? stage.end_value : stage.scale) = std::stod(value);
      } else {
        Index* const steps = key == "max_iters"                   ? &stage.max_steps
                             : key == "decay_iters"               ? &stage.decay_steps
                             : key == "start_interpolating_iters" ? &stage.start_steps
                             : key == "sgdr_period"               ? &stage.period
                                                                  : nullptr;
        REQUIRE(steps != nullptr);
        *steps = std::stol(value);
      }
    }
  }
  return stages;
}

}  // namespace

TEST_CASE("scheduled_rate: golden rates of torchrec's WarmupOptimizer") {
  const store::File file = golden::open("lr_policy.h5");
  REQUIRE(file.names("torchrec").size() >= 11);
  for (const std::string& name : file.names("torchrec")) {
    const std::string dataset = "torchrec/" + name;
    INFO(dataset);
    const auto base = file.attribute<double>(dataset, "base");
    optim::ScheduleSettings schedule;
    schedule.stages = stages_of(file.attribute<std::string>(dataset, "stages"));
    REQUIRE_NOTHROW(optim::validate(schedule));
    const auto rates = file.read_all<double>(dataset);
    for (std::size_t i = 0; i < rates.size(); ++i) {
      INFO("step " << i + 1);
      CHECK(std::abs(optim::scheduled_rate(schedule, base, Index(i) + 1) - rates[i]) <= 1e-12 * base);
    }
  }
}

TEST_CASE("scheduled_rate: golden rates of LRPolicyScheduler and the schedules that it refuses") {
  const store::File file = golden::open("lr_policy.h5");
  int cases = 0;
  for (const std::string& name : file.names("dlrm")) {
    const std::string dataset = "dlrm/" + name;
    INFO(dataset);
    const auto base = file.attribute<double>(dataset, "base");
    const optim::ScheduleSettings schedule{file.attribute<std::int64_t>(dataset, "num_warmup_steps"),
                                           file.attribute<std::int64_t>(dataset, "decay_start_step"),
                                           file.attribute<std::int64_t>(dataset, "num_decay_steps")};
    REQUIRE_NOTHROW(optim::validate(schedule));
    const auto rates = file.read_all<double>(dataset);
    for (std::size_t i = 0; i < rates.size(); ++i) {
      INFO("step " << i + 1);
      CHECK(std::abs(optim::scheduled_rate(schedule, base, static_cast<Index>(i) + 1) - rates[i]) <= 1e-12 * rates[i]);
    }
    ++cases;
  }
  REQUIRE(cases >= 1);

  REQUIRE(file.attribute<std::string>("dlrm", "refused") == "decay_start_step < num_warmup_steps");
  CHECK_THROWS_AS(optim::validate({10, 9, 5}), Error);
  // If the reference raises because it never set a rate, the rate is base.
  REQUIRE(file.attribute<std::string>("dlrm", "undefined").rfind("decay>0 with warmup<=1 and start>1", 0) == 0);
  REQUIRE(file.attribute<std::int64_t>("dlrm", "undefined_case_raises") == 1);
  for (const Index warmup : {0, 1}) {
    REQUIRE_NOTHROW(optim::validate({warmup, 3, 5}));
    CHECK(optim::scheduled_rate({warmup, 3, 5}, 0.1, 1) == 0.1);
    CHECK(optim::scheduled_rate({warmup, 3, 5}, 0.1, 2) == 0.1);
  }
}
