// SPDX-License-Identifier: Apache-2.0
// A model of one's own around sharded tables: two towers that are a table each, the dot product of a user's and an
// item's vector, focal loss. Trained one batch ahead, saved, and resumed on another number of ranks.
//   two_towers FOLDER STEPS      resumes from FOLDER, trains up to STEPS, saves, prints the digest
//   two_towers FOLDER STEPS bad  the last rank's third batch has an id outside its table
#include <algorithm>
#include <cmath>
#include <functional>
#include <iostream>

#include <tesserec/comm.hpp>
#include <tesserec/data.hpp>
#include <tesserec/train.hpp>

using namespace tesserec;

namespace {

constexpr Index users = 700, items = 300, dim = 16, global_batch = 96, epoch_batches = 5;

/// A user, some items and a click a sample; a function of the sample's number in its epoch.
class Clicks : public data::Source {
 public:
  Clicks(Range mine, bool bad) : mine_(mine), bad_(bad) {
    info_.samples = global_batch * epoch_batches;
    info_.features = {"user", "item"};
    info_.rows = {users, items};
  }
  const data::SourceInfo& info() const override { return info_; }
  void seek(Index, Index batch) override { batch_ = batch; }
  bool next(data::Batch& batch) override {
    if (batch_ == epoch_batches) return false;
    data::reserve_batch(batch, mine_.size(), global_batch, 0, info_.features);
    data::reserve_values(batch, 3 * mine_.size(), false);
    Index* offsets = batch.sparse.offsets.data();
    Index* ids = batch.sparse.values.data();
    Index at = *offsets++ = 0;
    for (const bool item : {false, true})
      for (Index s = mine_.begin; s < mine_.end; ++s) {
        const Index sample = batch_ * global_batch + s;
        if (item)
          for (Index i = 0; i < 1 + sample % 2; ++i) ids[at++] = (sample * 7 + i * 131) % items;
        else
          ids[at++] = sample * 11 % users;
        *offsets++ = at;
      }
    if (bad_ && batch_ == 2) ids[0] = users;
    for (Index s = 0; s < mine_.size(); ++s) batch.labels(s) = (mine_.begin + s) % 3 == 0 ? 1.0f : 0.0f;
    ++batch_;
    return true;
  }

 private:
  data::SourceInfo info_;
  Range mine_;
  bool bad_;
  Index batch_ = 0;
};

/// Focal loss with gamma = 2 (Lin et al., arXiv 1708.02002) of one sample, and its derivative by the logit.
std::pair<double, double> focal(double logit, bool click) {
  const double sign = click ? 1.0 : -1.0, p = 1.0 / (1.0 + std::exp(-sign * logit)), q = 1.0 - p;
  return {-q * q * std::log(p), sign * (2.0 * p * q * q * std::log(p) - q * q * q)};
}

int run(const comm::Communicator& world, const std::string& folder, Index steps, bool bad) {
  const Exec exec;
  const embedding::EmbeddingBagCollection towers(
      {{"users", users, dim, {"user"}, embedding::PoolingType::sum, false, {}},
       {"items", items, dim, {"item"}, embedding::PoolingType::mean, false, {}}});
  sharding::EmbeddingBagCollectionSharder sharder;
  sharder.fused = {optim::Type::rowwise_adagrad};
  sharder.fused.lr = 0.5;
  sharding::ParallelOptions options;
  options.seed = 3;
  options.global_batch = global_batch;
  sharding::DistributedModelParallel model(exec, towers, world, options, sharder);
  const bool resumed = train::load(exec, model, folder);

  const auto step = [&](train::PipelinedBatch& now, train::PipelinedBatch* next, Index) {
    if (!now.ids) now.ids = model.start(exec, now.batch.sparse);
    const jagged::KeyedTensor vectors = model.forward(exec, std::move(now.ids));
    if (next != nullptr) next->ids = model.start(exec, next->batch.sparse);
    const auto gradient = make_matrix<float>(exec, "outside::gradient", now.batch.size, 2 * dim);
    double loss = 0;
    for (Index s = 0; s < now.batch.size; ++s) {
      double logit = 0;
      for (Index c = 0; c < dim; ++c) logit += double{vectors.values(s, c)} * vectors.values(s, dim + c);
      const auto [l, slope] = focal(logit, now.batch.labels(s) > 0);
      loss += l / global_batch;
      for (Index c = 0; c < dim; ++c) {
        gradient(s, c) = static_cast<float>(slope / global_batch) * vectors.values(s, dim + c);
        gradient(s, dim + c) = static_cast<float>(slope / global_batch) * vectors.values(s, c);
      }
    }
    if (next != nullptr) model.tables().advance(next->ids);
    model.backward(exec, gradient);
    return loss;
  };
  Clicks clicks(model.samples(global_batch), bad && world.rank() == world.size() - 1);
  train::TrainPipelineSparseDist pipeline(exec, step, model.tables(), clicks, true);
  pipeline.seek(model.steps() / epoch_batches, model.steps() % epoch_batches);
  while (model.steps() < steps) pipeline(model.steps() + 1, steps);
  train::save(exec, model, folder, 2);
  const std::string digest = train::digest(exec, model);
  if (world.rank() == 0)
    std::cout << (resumed ? "resumed, " : "") << "step " << model.steps() << ", digest " << digest << std::endl;
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const comm::Environment mpi(argc, argv);
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const comm::Communicator world(mpi.world());
  try {
    return run(world, argv[1], std::stol(argv[2]), argc > 3);
  } catch (const Error& error) {  // the same one on every rank
    if (world.rank() == 0) std::cout << "error: " << error.what() << std::endl;
    world.barrier();
    return 2;
  }
}
