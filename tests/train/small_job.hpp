// SPDX-License-Identifier: Apache-2.0
// A small job on synthetic data, small enough to train many times in a test, and functions that run it in a folder.
#pragma once

#include <csignal>
#include <filesystem>
#include <memory>
#include <string>

#include <unistd.h>

#include <tesserec/core/device.hpp>
#include <tesserec/data/make_source.hpp>
#include <tesserec/train/tables.hpp>
#include <tesserec/train/trainer.hpp>

/// A folder that rank 0 removes in constructor and destructor.
class Folder {
 public:
  explicit Folder(const tesserec::comm::Communicator& comm, const std::string& name)
      : comm_(comm),
        path_(comm.broadcast(
            (std::filesystem::temp_directory_path() / ("tesserec_" + name + "_" + std::to_string(getpid()))).string(),
            0)) {
    remove();
  }
  ~Folder() { remove(); }
  const std::string& path() const { return path_; }

 private:
  void remove() {
    comm_.barrier();
    if (comm_.rank() == 0) std::filesystem::remove_all(path_);
    comm_.barrier();
  }
  const tesserec::comm::Communicator& comm_;
  std::string path_;
};

/// Returns a small job. Its data are planted, or, on the emulated device, which makes those slowly, the reference's.
inline tesserec::train::Job small_job(const std::string& folder) {
  using namespace tesserec;
  train::Job job;
  job.run.output = folder;
  job.run.share_gpus = true;
  job.data.synthetic.kind = device_is_host ? data::SyntheticKind::planted : data::SyntheticKind::reference;
  job.data.synthetic.round_targets = !device_is_host;
  job.data.synthetic.samples = 900;  // a short last batch
  job.data.synthetic.evaluate_samples = 300;
  job.data.synthetic.rows = {3001, 7, 500};
  job.data.synthetic.dense_features = 5;
  job.model.embedding_dim = 6;
  job.model.bottom = {16, 6};
  job.model.top = {20, 1};
  job.train.batch_size = 256;
  job.train.lanes = 8;
  job.train.epochs = 2;
  job.optimizer.dense.lr = 0.05;
  job.optimizer.sparse.lr = 0.05;
  job.checkpoint.resume = "never";
  job.run.overwrite = true;
  return job;
}

/// Replaces the model by one in which C3 is un-pooled: a learned weight for each id sums its vectors, before a linear
/// layer.
inline void weigh_vectors(tesserec::train::Job& job) {
  using namespace tesserec;
  job.model.type = "network";
  job.model.layers = {{.name = "seen", .type = "weighted_sum", .inputs = {"unpooled.C3@weights", "unpooled.C3@C3"}},
                      {.name = "all", .type = "cat", .inputs = {"dense", "pooled", "seen"}},
                      {.name = "top", .type = "mlp", .inputs = {"all"}, .widths = {1}}};
  job.tables.resize(4);
  const char* names[] = {"C1", "C2", "C3", "weights"};
  for (std::size_t t = 0; t < 4; ++t) job.tables[t].name = names[t];
  job.tables[3].embedding_dim = 1;
  for (const std::size_t t : {2, 3}) job.tables[t].feature_names = job.tables[t].unpooled = {"C3"};
  job.tables[3].start = embedding::RowStart::one;
}

/// Trains the job on a communicator as the program does.
inline tesserec::train::TrainResult run(const tesserec::comm::Communicator& comm, const tesserec::train::Job& job) {
  using namespace tesserec;
  const auto source = data::make_source(job.data, data::Use::train, train::Session::deal(comm, job, job.train.shuffle));
  const auto evaluation = data::make_source(job.data, data::Use::evaluate, train::Session::deal(comm, job, false));
  train::Session session(Exec(), comm, job, source->info());
  source->limit_rows(train::id_limits(session.model.tables().tables(), source->info()));
  train::Training training(session, *source, evaluation.get());
  return train::train(training);
}

/// A source that raises SIGUSR1 before a batch, counted from 1; 0 means never.
class Signalling : public tesserec::data::Source {
 public:
  Signalling(std::unique_ptr<tesserec::data::Source> source, int before)
      : source_(std::move(source)), before_(before) {}
  const tesserec::data::SourceInfo& info() const override { return source_->info(); }
  bool next(tesserec::data::Batch& batch) override {
    if (++calls_ == before_) std::raise(SIGUSR1);
    return source_->next(batch);
  }
  void seek(tesserec::Index epoch, tesserec::Index batch) override { source_->seek(epoch, batch); }

 private:
  std::unique_ptr<tesserec::data::Source> source_;
  int before_;
  int calls_ = 0;
};

/// Trains until the last rank gets a signal while it computes `step`, or before `evaluation_batch`; 0 means never.
inline tesserec::train::TrainResult run_to_signal(const tesserec::comm::Communicator& comm,
                                                  const tesserec::train::Job& job, int step, int evaluation_batch = 0) {
  using namespace tesserec;
  const auto make = [&](data::Use use, bool shuffle, int before) {
    return Signalling(data::make_source(job.data, use, train::Session::deal(comm, job, shuffle)),
                      comm.rank() == comm.size() - 1 ? before : 0);
  };
  const int pipelined = comm.size() > 1 ? 1 : 0;  // a batch is read while the previous step computes
  Signalling source = make(data::Use::train, job.train.shuffle, step > 0 ? step + pipelined : 0);
  Signalling evaluation = make(data::Use::evaluate, false, evaluation_batch);
  train::Session session(Exec(), comm, job, source.info());
  train::Training training(session, source, &evaluation);
  return train::train(training);
}

struct Digests {
  std::string weights, state;
  bool operator==(const Digests&) const = default;
};

inline Digests digests(const tesserec::comm::Communicator& comm, const tesserec::train::Job& job) {
  const tesserec::train::TrainResult result = run(comm, job);
  return {result.weights_digest, result.state_digest};
}

/// Returns the digests that rank 0 gets alone, on every rank.
inline Digests digests_alone(const tesserec::comm::Communicator& world, tesserec::train::Job job) {
  const tesserec::comm::Communicator self(MPI_COMM_SELF);
  Digests alone;
  if (world.rank() == 0) {
    job.run.output += "_alone";
    alone = digests(self, job);
    std::filesystem::remove_all(job.run.output);
  }
  return {world.broadcast(alone.weights, 0), world.broadcast(alone.state, 0)};
}
