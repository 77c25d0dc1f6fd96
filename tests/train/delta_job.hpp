// SPDX-License-Identifier: Apache-2.0
// Runs that write deltas, and what a kill leaves of them.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "catch.hpp"
#include "errors.hpp"
#include "left_out.hpp"
#include "small_job.hpp"
#include <tesserec/core/file.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/parallel_io/checkpoint_folder.hpp>
#include <tesserec/train/training.hpp>

namespace tesserec {

namespace fs = std::filesystem;

/// Writes a checkpoint after the first step and a delta after each further one.
inline train::Job delta_job(const std::string& folder) {
  train::Job job = small_job(folder);
  job.optimizer.sparse.type = optim::Type::rowwise_adagrad;
  job.optimizer.dense.type = optim::Type::adam;
  job.checkpoint.delta_seconds = 1e-9;
  job.checkpoint.resume = "auto";
  job.train.metrics = {"ne"};
  job.train.log_every = 3;
  return job;
}

inline std::string delta_of(const std::string& run, Index step) {
  return run + "/checkpoints/step_00000000" + std::to_string(step) + ".delta";
}

/// An observer that copies a run's folder after the deltas of step `step` as a kill before the next step leaves it.
class KillAfter final : public train::Observer {
 public:
  KillAfter(Index step, std::string to) : step_(step), to_(std::move(to)) {}
  void steps(train::Training& training) override {
    if (training.position().step != step_) return;
    const train::Session& session = training.session();
    session.comm.barrier();
    if (session.comm.rank() == 0) {
      fs::remove_all(to_);
      fs::copy(session.job.run.output, to_, fs::copy_options::recursive);
    }
    session.comm.barrier();
  }

 private:
  Index step_;
  std::string to_;
};

struct Resumed {
  Index step = 0, deltas = 0;  ///< step and deltas that the run resumed from
  Digests digests;
};

/// Trains the job to its end. `killed`: folder that a kill after step `step` would leave.
inline Resumed train_job(const comm::Communicator& comm, const train::Job& job, Index step = -1,
                         const std::string& killed = "") {
  const auto source = data::make_source(job.data, data::Use::train, train::Session::deal(comm, job, job.train.shuffle));
  train::Session session(Exec(), comm, job, source->info());
  KillAfter kill(step, killed);
  train::Training training(session, *source, nullptr, {&kill});
  Resumed resumed{training.position().step, training.position().deltas, {}};
  const train::TrainResult result = train::train(training);
  resumed.digests = {result.weights_digest, result.state_digest};
  return resumed;
}

/// Ranks of the world's first half, and one more.
inline std::unique_ptr<comm::Communicator> half(const comm::Communicator& world) {
  const bool is_in = world.rank() <= world.size() / 2;
  auto group = std::make_unique<comm::Communicator>(world, is_in ? 0 : 1);
  return is_in ? std::move(group) : nullptr;
}

inline bool has_deltas(const train::Job& job) {
  const auto is_delta = [](const fs::directory_entry& entry) { return entry.path().extension() == ".delta"; };
  return std::ranges::any_of(fs::directory_iterator(job.checkpoint_folder()), is_delta);
}

}  // namespace tesserec
