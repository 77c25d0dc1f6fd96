// SPDX-License-Identifier: Apache-2.0
// facebookresearch/dlrm's LRPolicyScheduler.
#include "catch.hpp"
#include "golden.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/optim/schedule.hpp>

using namespace tesserec;

TEST_CASE("golden lr_policy: the reference's schedules, and what it refuses") {
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
  // Where the reference raises because no rate was ever set, the rate is base.
  REQUIRE(file.attribute<std::string>("dlrm", "undefined").rfind("decay>0 with warmup<=1 and start>1", 0) == 0);
  REQUIRE(file.attribute<std::int64_t>("dlrm", "undefined_case_raises") == 1);
  for (const Index warmup : {0, 1}) {
    REQUIRE_NOTHROW(optim::validate({warmup, 3, 5}));
    CHECK(optim::scheduled_rate({warmup, 3, 5}, 0.1, 1) == 0.1);
    CHECK(optim::scheduled_rate({warmup, 3, 5}, 0.1, 2) == 0.1);
  }
}
