// SPDX-License-Identifier: Apache-2.0
// State of a run, read from the files and the lock of its folder.
#include <fstream>

#include <unistd.h>

#include "catch.hpp"
#include "scratch.hpp"
#include <tesserec/store/lock.hpp>
#include <tesserec/store/run_end.hpp>

using namespace tesserec;

namespace {

void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

}  // namespace

TEST_CASE("probe_lock: tells whether the lock is held and changes nothing") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Scratch scratch(world);
  const std::string path = scratch / ("lock" + std::to_string(world.rank()));
  using State = store::LockStatus::State;
  CHECK(store::probe_lock(path).state == State::missing);
  CHECK_FALSE(std::filesystem::exists(path));
  const std::string me = "process " + std::to_string(getpid()) + " on ";
  {
    const store::FileLock lock(path, 0);
    for (int twice = 0; twice < 2; ++twice) {
      const store::LockStatus look = store::probe_lock(path);
      CHECK(look.state == State::held);
      CHECK(mentions(look.owner, me));
    }
  }
  CHECK(store::probe_lock(path).state == State::free);
  CHECK(mentions(store::probe_lock(path).owner, me));
  std::filesystem::create_symlink(path, path + ".link");
  CHECK(store::probe_lock(path + ".link").state == State::unknown);
}

TEST_CASE("run_end: tells the state by result.json of the newest start or else by the lock") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Scratch scratch(world);
  const std::string folder = scratch / ("run" + std::to_string(world.rank()));
  std::filesystem::create_directory(folder);
  const auto text = [&] { return store::run_end(folder).text(); };
  const auto result = [&](const std::string& members) { write(folder + "/result.json", "{" + members + "}"); };
  CHECK(text() == "running or crashed");  // no lock: the folder was copied
  write(folder + "/run.json", R"({"start_time": "2026-01-02T03:04:05Z"})");
  {
    const store::FileLock lock(folder + "/lock", 0);
    CHECK(mentions(text(), "running: process " + std::to_string(getpid()) + " on "));
    CHECK(store::state_of_started(folder) == "running");
    result(R"("exit_reason": "finished")");
    CHECK(text() == "finished; its folder is in use");
    std::filesystem::remove(folder + "/result.json");
  }
  CHECK(text() == "crashed");
  write(folder + "/lock", "process 12 on elsewhere, job 7\n");
  CHECK(text() == "crashed: process 12 on elsewhere, job 7 no longer holds its lock, as seen from this host");
  const std::string now = R"(, "start_time": "2026-01-02T03:04:05Z")";
  for (const auto& [members, told] :
       {std::pair<std::string, std::string>{R"("exit_reason": "finished")", "finished"},
        {"\"signal\": 0", "finished"},  // written by an older version
        {R"("signal": 15)", "stopped by signal 15: it has no checkpoint"},
        {R"("signal": 10, "checkpoint": "c")", "stopped by signal 10: the same command resumes from its checkpoint"},
        {R"("exit_reason": "auc")", "auc: evaluate.stop_at_auc is reached"},
        {R"("exit_reason": "diverged", "message": "step 3: nan")", "diverged: step 3: nan"},
        {R"("exit_reason": "failed", "message": "no space")", "failed: no space"}})
    for (const std::string& start : {std::string(), now}) {
      result(members + start);
      CHECK(text() == told);
      CHECK_FALSE(store::run_end(folder).stale);
    }
  CHECK(store::state_of_started(folder) == "failed");
  result(R"("exit_reason": "finished", "start_time": "2025-01-02T03:04:05Z")");  // from an earlier start
  CHECK(store::run_end(folder).stale);
  CHECK(store::run_end(folder).state == "crashed");
  result(R"("exit_reason": "finished")");
  CHECK(store::state_of_started(folder) == "started");
  write(folder + "/result.json", "[]");
  CHECK(mentions(error_of(text), "result.json: [] is not an object"));
}
