// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "pass.hpp"
#include "worker.hpp"

namespace tesserec::model {
namespace {

class ChunkPass final : public Pass {
 public:
  ChunkPass(const Graph& graph, PackedWeights& weights, const dense::LossFunction& loss)
      : graph_(graph), weights_(weights), loss_(loss) {}

  LaneLosses forward_backward(const Exec& exec, const PlacedVector<float>& parameters, const DenseInput& input,
                              float* pooled_gradient, comm::LaneSums& gradients,
                              const std::vector<jagged::JaggedVectors>& unpooled_gradient) override {
    const Range lanes = input.my_lanes;
    const Index offset = input.lanes.samples(int(lanes.begin), input.global_size).begin;
    const RankData data{
        input.global_size, input.dense,      input.pooled,        input.labels,
        input.weights,     pooled_gradient,  input.probabilities, {true, input.seed, 0, input.step, offset},
        input.unpooled,    unpooled_gradient};
    std::vector<double> losses(lanes.size());

    const Index runs = this->runs(exec, lanes);
    if (runs > 1) {
      while (std::ssize(run_sums_) < runs) run_sums_.emplace_back(exec, graph_.size());
      for (comm::LaneSums& sums : run_sums_) sums.reserve((lanes.size() + runs - 1) / runs);
    }
    gradients.start(lanes);
    weights_.pack(exec, parameters.data(), true);
    over_runs(exec, "tesserec::model::forward_backward", lanes, [&](Index run, Range mine, Worker& worker) {
      comm::LaneSums& sums = runs > 1 ? run_sums_[run] : gradients;
      if (runs > 1) sums.start(mine);
      for (Index lane = mine.begin; lane < mine.end; ++lane) {
        Range samples = input.lanes.samples(int(lane), input.global_size);
        samples = {samples.begin - offset, samples.end - offset};
        const Vector<float> gradient = sums.next(lane).host();
        if (samples.size() == 0) std::fill_n(gradient.data(), graph_.size(), 0.0f);
        clear_gaps(graph_, gradient.data());
        losses[lane - lanes.begin] =
            worker.forward_backward(parameters.data(), data, samples, gradient.data()) / double(input.global_size);
      }
      if (runs > 1) sums.finish();
    });
    if (runs > 1)
      for (Index run = 0; run < runs; ++run) gradients.absorb(run_sums_[run]);
    gradients.finish();
    return losses;
  }

  std::vector<double> predict(const Exec& exec, const PlacedVector<float>& parameters, const DenseInput& input,
                              float* probabilities, float* towers) override {
    const Range lanes = input.my_lanes;
    const Index offset = input.lanes.samples(int(lanes.begin), input.global_size).begin;
    const RankData data{input.global_size, input.dense, input.pooled,   input.labels, input.weights, nullptr,
                        probabilities,     {},          input.unpooled, {},           towers};
    std::vector<double> losses(lanes.size());
    weights_.pack(exec, parameters.data(), false);
    over_runs(exec, "tesserec::model::predict", lanes, [&](Index, Range mine, Worker& worker) {
      for (Index lane = mine.begin; lane < mine.end; ++lane) {
        const Range samples = input.lanes.samples(int(lane), input.global_size);
        losses[lane - lanes.begin] =
            worker.predict(parameters.data(), data, {samples.begin - offset, samples.end - offset}) /
            double(input.global_size);
      }
    });
    return losses;
  }

 private:
  static Index runs(const Exec& exec, Range lanes) { return std::clamp<Index>(concurrency(exec), 1, lanes.size()); }
  /// Splits the lanes into contiguous runs over the threads of `exec`; body(run, lanes of the run, worker).
  template <class Body>
  void over_runs(const Exec& exec, const std::string& label, Range lanes, const Body& body) {
    const Index count = runs(exec, lanes);
    while (std::ssize(workers_) < count) workers_.emplace_back(exec, graph_, weights_, loss_);
    parallel_for(exec, label, count, [&](Index run) {
      const Range mine{lanes.begin + run * lanes.size() / count, lanes.begin + (run + 1) * lanes.size() / count};
      body(run, mine, workers_[run]);
    });
  }

  const Graph& graph_;
  PackedWeights& weights_;
  const dense::LossFunction& loss_;
  std::vector<Worker> workers_;           // one a thread
  std::vector<comm::LaneSums> run_sums_;  // one a thread, where there are several
};

}  // namespace

std::unique_ptr<Pass> chunk_pass(const Graph& graph, PackedWeights& weights, const dense::LossFunction& loss) {
  return std::make_unique<ChunkPass>(graph, weights, loss);
}

void clear_gaps(const Graph& graph, float* flat) {
  const auto& tensors = graph.parameters();
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const Parameter& p = tensors[i];
    const Index next = i + 1 < tensors.size() ? tensors[i + 1].offset : graph.size();
    std::fill(flat + p.offset + p.rows * p.columns, flat + next, 0.0f);
  }
}

}  // namespace tesserec::model
