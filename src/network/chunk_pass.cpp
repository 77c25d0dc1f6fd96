// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>

#include "pass.hpp"

namespace tesserec::network {
namespace {

/// Executor of one thread, with the losses of a chunk.
struct Worker {
  Worker(const Graph& graph, const losses::LossFunction& loss) : executor(graph, loss, products::panel_products()) {}

  /// Runs each chunk of a lane forward, then calls body(first sample, number of samples).
  template <class Body>
  void over_chunks(const BatchData& data, Range samples, const Body& body) {
    for (Index first = samples.begin; first < samples.end; first += chunk_samples) {
      const Index rows = std::min(chunk_samples, samples.end - first);
      const OnePiece piece(rows);
      executor.forward({}, data, first, rows, piece.pieces());
      body(first, rows);
    }
  }
  /// Evaluates the chunk's losses and adds them to `sum` in order.
  void evaluate(Index rows, double& sum) {
    executor.evaluate({}, losses);
    for (Index i = 0; i < rows; ++i) sum += losses[i];
  }

  Executor executor;
  double losses[chunk_samples];
};

class ChunkPass final : public Pass {
 public:
  ChunkPass(const Graph& graph, PackedWeights& weights, const losses::LossFunction& loss, Index tasks)
      : graph_(graph), weights_(weights), loss_(loss), tasks_(tasks) {}

  LaneLosses forward_backward(const Exec& exec, const PlacedVector<float>& parameters, const DenseInput& input,
                              float* pooled_gradient, LaneSums& gradients,
                              const std::vector<jagged::JaggedVectors>& unpooled_gradient) override {
    const Range lanes = input.my_lanes;
    const Index runs = this->runs(exec, lanes);
    if (runs > 1) {
      while (std::ssize(run_sums_) < runs) run_sums_.emplace_back(exec, graph_.size());
      for (LaneSums& sums : run_sums_) sums.reserve((lanes.size() + runs - 1) / runs);
    }
    gradients.start(lanes);
    weights_.pack(exec, parameters.data(), true);
    RankBatch batch(*this, parameters, input, unpooled_gradient);
    batch.data.pooled_gradient = pooled_gradient;
    batch.data.draw = {true, input.seed, 0, input.step, batch.offset};
    std::vector<double> losses(lanes.size());
    over_runs(exec, "tesserec::network::forward_backward", lanes, [&](Index run, Range run_lanes, Worker& worker) {
      LaneSums& sums = runs > 1 ? run_sums_[run] : gradients;
      if (runs > 1) sums.start(run_lanes);
      for (Index lane = run_lanes.begin; lane < run_lanes.end; ++lane) {
        const Range samples = batch.samples(lane);
        const Vector<float> gradient = sums.next(lane).host();
        if (samples.size() == 0) std::fill_n(gradient.data(), graph_.size(), 0.0f);
        clear_gaps(graph_, gradient.data());
        double loss = 0.0;
        worker.over_chunks(batch.data, samples, [&](Index first, Index rows) {
          if (input.probabilities != nullptr) worker.executor.predict({}, input.probabilities + first * tasks_);
          worker.evaluate(rows, loss);
          worker.executor.backward({}, {gradient.data(), graph_.size(), first != samples.begin});
        });
        losses[lane - lanes.begin] = loss / double(input.global_size);
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
    weights_.pack(exec, parameters.data(), false);
    const RankBatch batch(*this, parameters, input, {});
    std::vector<double> losses(lanes.size());
    over_runs(exec, "tesserec::network::predict", lanes, [&](Index, Range run_lanes, Worker& worker) {
      for (Index lane = run_lanes.begin; lane < run_lanes.end; ++lane) {
        double loss = 0.0;
        worker.over_chunks(batch.data, batch.samples(lane), [&](Index first, Index rows) {
          worker.executor.predict({}, probabilities + first * tasks_);
          for (std::size_t side = 0; towers != nullptr && side < 2; ++side) {
            const layers::LayerInput& tower = worker.executor.last_input(side);
            const Index width = tower.width;
            copy_rows({}, rows, tower, {towers + (2 * first + Index(side)) * width, width, 2 * width});
          }
          if (input.labels != nullptr) worker.evaluate(rows, loss);
        });
        losses[lane - lanes.begin] = loss / double(input.global_size);
      }
    });
    return losses;
  }

 private:
  /// Batch of a rank as executors read it.
  struct RankBatch {
    RankBatch(const ChunkPass& pass, const PlacedVector<float>& parameters, const DenseInput& input,
              const std::vector<jagged::JaggedVectors>& unpooled_gradient)
        : input(input), offset(input.lanes.samples(int(input.my_lanes.begin), input.global_size).begin) {
      data = batch_data(input, input, unpooled_gradient, sequences);
      data.tasks = pass.tasks_;
      data.parameters = parameters.data();
      data.packed = pass.weights_.data();
    }
    /// Returns the samples of a lane, counted from the rank's first.
    Range samples(Index lane) const {
      const Range global = input.lanes.samples(int(lane), input.global_size);
      return {global.begin - offset, global.end - offset};
    }
    const DenseInput& input;
    Index offset;  // the rank's first sample in the global batch
    std::vector<SequenceData> sequences;
    BatchData data;
  };

  static Index runs(const Exec& exec, Range lanes) { return std::clamp<Index>(concurrency(exec), 1, lanes.size()); }
  /// Splits the lanes into contiguous runs over the threads of `exec` and calls body(run, lanes of the run, worker).
  template <class Body>
  void over_runs(const Exec& exec, const std::string& label, Range lanes, const Body& body) {
    const Index count = runs(exec, lanes);
    while (std::ssize(workers_) < count) workers_.emplace_back(graph_, loss_);
    parallel_for(exec, label, count, [&](Index run) {
      const Range run_lanes{lanes.begin + run * lanes.size() / count, lanes.begin + (run + 1) * lanes.size() / count};
      body(run, run_lanes, workers_[run]);
    });
  }

  const Graph& graph_;
  PackedWeights& weights_;
  const losses::LossFunction& loss_;
  Index tasks_;                     // labels of a sample
  std::deque<Worker> workers_;      // [thread]
  std::vector<LaneSums> run_sums_;  // [thread] if there are several
};

}  // namespace

std::unique_ptr<Pass> chunk_pass(const Graph& graph, PackedWeights& weights, const losses::LossFunction& loss,
                                 Index tasks) {
  return std::make_unique<ChunkPass>(graph, weights, loss, tasks);
}

BatchData batch_data(const DenseInput& input, const DenseInput& on_host,
                     const std::vector<jagged::JaggedVectors>& unpooled_gradient,
                     std::vector<SequenceData>& sequences) {
  sequences.clear();
  for (std::size_t q = 0; q < input.unpooled.size(); ++q) {
    const jagged::JaggedVectors& vectors = input.unpooled[q];
    const auto width = Index(vectors.values.extent(1));
    SequenceData& data = sequences.emplace_back(SequenceData{{vectors.values.data(), width, width}});
    if (!unpooled_gradient.empty()) data.gradient = {unpooled_gradient[q].values.data(), width, width};
    data.offsets = vectors.offsets.data();
    data.on_host = on_host.unpooled[q].offsets.data();
  }
  return {.global_size = input.global_size,
          .dense = input.dense,
          .pooled = input.pooled,
          .labels = input.labels,
          .weights = input.weights,
          .task_scales = input.task_scales,
          .sequences = sequences};
}

void clear_gaps(const Graph& graph, float* flat) {
  const auto& tensors = graph.parameters();
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const Parameter& p = tensors[i];
    const Index next = i + 1 < tensors.size() ? tensors[i + 1].offset : graph.size();
    std::fill(flat + p.offset + p.rows * p.columns, flat + next, 0.0f);
  }
}

}  // namespace tesserec::network
