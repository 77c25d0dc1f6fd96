// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdlib>
#include <ctime>

#include "catch.hpp"
#include "errors.hpp"
#include <tesserec/train/job_end.hpp>

using namespace tesserec;
using train::JobEnd;

namespace {

JobEnd ends_in(int seconds) {
  setenv("SLURM_JOB_END_TIME", std::to_string(std::time(nullptr) + seconds).c_str(), 1);
  const JobEnd end;
  unsetenv("SLURM_JOB_END_TIME");
  return end;
}

}  // namespace

TEST_CASE("JobEnd: is_near() leaves time for a turn and a checkpoint and the end of the program", "[train]") {
  const JobEnd end = ends_in(100);
  CHECK(std::abs(end.seconds_left() - 100) < 5);
  CHECK_FALSE(end.is_near(0, 0));
  CHECK_FALSE(end.is_near(40, 0));
  CHECK_FALSE(end.is_near(0, 50));
  CHECK(end.is_near(40, 50));  // 40 + 75 + 10
  CHECK(end.is_near(0, 65));
  CHECK(ends_in(5).is_near(0, 0));
  CHECK(ends_in(-5).is_near(0, 0));
}

TEST_CASE("JobEnd: is never near without SLURM_JOB_END_TIME and throws if it is no number", "[train]") {
  unsetenv("SLURM_JOB_END_TIME");
  CHECK_FALSE(JobEnd().is_near(1e9, 1e9));
  setenv("SLURM_JOB_END_TIME", "", 1);
  CHECK_FALSE(JobEnd().is_near(1e9, 1e9));
  setenv("SLURM_JOB_END_TIME", "tomorrow", 1);
  CHECK(mentions(error_of([] { JobEnd(); }), "SLURM_JOB_END_TIME is \"tomorrow\""));
  unsetenv("SLURM_JOB_END_TIME");
}
