// SPDX-License-Identifier: Apache-2.0
// A DLRM in a loop of one's own: generated clicks, a schedule, an evaluation before and after, an observer.
#include <iostream>

#include <tesserec/comm.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/core/timer.hpp>
#include <tesserec/train.hpp>

using namespace tesserec;

namespace {

/// Stops a training after some seconds. All ranks decide by the clock that is furthest on.
class TimeLimit final : public train::Observer {
 public:
  explicit TimeLimit(double seconds) : seconds_(seconds) {}
  void stepped(train::Training& training) override {
    const int is_late = timer_.seconds() > seconds_ ? 1 : 0;
    if (training.session().comm.max(is_late) != 0) training.stop("time limit");
  }

 private:
  Timer timer_;
  double seconds_;
};

/// The members have the names of a deck's blocks and keys.
train::Job make_job() {
  train::Job job;
  job.run.name = "train_loop";  // the folder runs/train_loop
  job.data.synthetic.kind = data::SyntheticKind::planted;
  job.data.synthetic.samples = 20'000;
  job.data.synthetic.evaluate_samples = 4'000;
  job.data.synthetic.rows = {2000, 500, 30};  // a feature and a table each
  job.data.synthetic.dense_features = 6;
  job.model.embedding_dim = 8;
  job.model.bottom = {32, 8};
  job.model.top = {32, 1};
  job.train.batch_size = 256;
  job.train.lanes = 4;
  job.optimizer.sparse = {.type = optim::Type::rowwise_adagrad, .lr = 0.2};
  job.optimizer.dense = {.type = optim::Type::adam, .lr = 0.01};
  job.schedule.warmup_steps = 10;
  job.checkpoint.keep = 0;  // so each start begins anew
  return job;
}

int run(const comm::Communicator& world) {
  const train::Job job = make_job();
  const auto source = train::open_source(world, job, data::Use::train);
  const auto held_out = train::open_source(world, job, data::Use::evaluate);
  train::Session session(Exec(), world, job, source->info());

  TimeLimit limit(600);
  train::Training training(session, *source, held_out.get(), {&limit});
  const auto before = training.evaluate();
  while (training.step()) continue;
  const train::TrainResult result = training.finish();  // evaluates
  if (!before || !result.evaluation) return 1;          // a signal came

  if (world.rank() == 0)
    std::cout << "AUC " << significant(before->auc, 4) << ", after " << result.steps << " steps "
              << significant(result.evaluation->auc, 4) << ", digest " << result.weights_digest << std::endl;
  return result.evaluation->auc > 0.7 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) { return comm::run(argc, argv, run); }
