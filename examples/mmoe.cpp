// SPDX-License-Identifier: Apache-2.0
// A two-task mixture of experts with a source of its own, which goes on where it was stopped, on any number of ranks,
// and ends with the same bits.
//   mmoe FOLDER STEPS        goes on from FOLDER, trains up to STEPS, saves, prints loss and digest
//   mmoe FOLDER STEPS bad    the last rank's third batch has an id outside its table
#include <iostream>

#include "two_tasks.hpp"
#include <tesserec/comm.hpp>
#include <tesserec/core/random.hpp>

using namespace two_tasks;

namespace {

/// Visit number s of an epoch: a function of its number alone, so that any rank can make it.
Visit made_visit(Index s) {
  const Random random(11, Purpose::test);
  Visit visit;
  visit.user = Index(random.below(users, s, 0));
  for (Index i = 0; i <= s % 3; ++i) visit.items.push_back(Index(random.below(items, s, 1 + i)));
  for (Index n = 0; n < numbers; ++n) visit.numbers[n] = random.normal(s, 8 + n);
  const bool click = visit.user % 3 == 0 || visit.numbers[0] > 1, purchase = click && visit.numbers[1] > 0;
  visit.label = float(click) + 2 * float(purchase);
  return visit;
}

class Visits final : public data::Source {
 public:
  static constexpr Index samples = 1000;  // of an epoch; the last batch is short
  Visits(const data::Deal& deal, bool bad) : deal_(deal), info_(visits_info(samples)), bad_(bad) {}

  const data::SourceInfo& info() const override { return info_; }
  void seek(Index, Index batch) override { batch_ = batch; }
  bool next(data::Batch& batch) override {
    if (batch_ == deal_.batches(samples)) return false;
    const Index size = deal_.batch_samples(samples, batch_), first = batch_ * deal_.batch_size;
    const Range mine = deal_.lanes.samples_of_rank(deal_.rank, deal_.ranks, size);
    fill(batch, mine, size, [&](Index s) { return made_visit(first + s); });
    if (bad_ && batch_ == 2) batch.sparse.values(0) = users;
    ++batch_;
    return true;
  }

 private:
  data::Deal deal_;
  data::SourceInfo info_;
  bool bad_;
  Index batch_ = 0;
};

int run(const comm::Communicator& world, const std::string& folder, Index steps, bool bad) {
  add_types();
  train::Job job = make_job(folder);
  job.train.epochs = steps;  // enough of them
  job.train.steps = steps;
  job.train.log_every = 1;
  Visits visits(train::Session::deal(world, job, job.train.shuffle), bad && world.rank() == world.size() - 1);
  train::Session session(Exec(), world, job, visits.info());

  train::Training training(session, visits, nullptr);  // goes on where FOLDER's newest checkpoint stands
  const bool resumed = training.position().step > 0;
  while (training.step()) continue;
  const train::TrainResult result = training.finish();  // saves
  if (world.rank() == 0)
    std::cout << (resumed ? "resumed, " : "") << "step " << result.steps << ", loss " << result.loss << ", digest "
              << result.weights_digest << std::endl;
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return comm::run(argc, argv, [&](const comm::Communicator& world) {
    if (argc < 3) fail("usage: mmoe FOLDER STEPS [bad]");
    return run(world, argv[1], std::stol(argv[2]), argc > 3);
  });
}
