// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <tesserec/jagged/keyed_tensor.hpp>
#include <tesserec/planning/planner.hpp>
#include <tesserec/sharding/sharder.hpp>

namespace tesserec::sharding {

/// Options of a DistributedModelParallel; all ranks give the same.
struct ParallelOptions {
  std::optional<planning::ShardingPlan> plan;  ///< unset: the planner's own
  planning::Settings planner;                  ///< constraints for the planner, and its machine
  Index global_batch = 512;                    ///< samples of all ranks that the planner reckons with
  int lanes = 8;                               ///< decides the bits of updates, and the most ranks; a power of two
  int micro_batches = 1;                       ///< of a train::TrainStep's batch, lanes / micro_batches each
  std::uint64_t seed = 0;                      ///< of the start values
  std::vector<std::string> features;           ///< keys of the batches; empty = what the module reads, in its order
  optim::ScheduleSettings schedule;            ///< of the learning rates
};

/// An EmbeddingBagCollection on all ranks of `env`, for a program around it: TorchRec's DistributedModelParallel (a
/// whole DLRM is model::ShardedModel). Each rank allocates only its shards. start, forward and backward are collective:
/// all ranks call them in one order, forward and backward of a batch once, from the thread that made the model.
class DistributedModelParallel {
 public:
  /// `env` must outlive it. Collective. Errors, the same on every rank: tables, options or a sharder that differ
  /// between ranks, named with the ranks; a plan that does not fit module, ranks or sharder; more ranks than lanes.
  DistributedModelParallel(const Exec& exec, const embedding::EmbeddingBagCollection& module, const ShardingEnv& env,
                           const ParallelOptions& options = {}, const EmbeddingBagCollectionSharder& sharder = {});

  /// Returns this rank's samples of a global batch, whole lanes, for bits that do not depend on the number of ranks.
  Range samples(Index global_batch) const {
    return Lanes(lanes_.count()).samples_of_rank(env_.rank(), env_.size(), global_batch);
  }

  /// Ids of this rank's samples begin to travel; several batches may be under way. Ranks may have any number of
  /// samples: each deals them to its own lanes, and unless they are its `samples`, the bits are those of these numbers.
  /// Errors, the same on every rank: a feature that is missing on one; keys with unlike numbers of samples.
  InFlight start(const Exec& exec, const jagged::KeyedJaggedTensor& features);

  /// Pooled vectors of this rank's samples under the module's embedding names. The batch stays for a backward until the
  /// next forward. Errors, the same on every rank: an id outside its table; a weighted table without weights.
  jagged::KeyedTensor forward(const Exec& exec, InFlight batch);
  /// The same at once.
  jagged::KeyedTensor forward(const Exec& exec, const jagged::KeyedJaggedTensor& features);

  /// Returns the vectors [ids, dim] of each un-pooled feature, by unpooled_names(), until backward or the next forward.
  const std::vector<jagged::JaggedVectors>& unpooled() const { return unpooled_; }

  /// Runs the last forward back and updates every touched row. `gradient` [B, sum of dims]: derivatives of the global
  /// batch's loss by the pooled vectors, of a mean divided by its size. `unpooled_gradient`: by unpooled().
  void backward(const Exec& exec, const Matrix<float>& gradient,
                const std::vector<Matrix<float>>& unpooled_gradient = {});

  /// Samples of all ranks in the last forward, and updates so far.
  Index global_batch() const { return global_batch_; }
  Index steps() const { return steps_; }
  /// Sets the number of updates that a loaded model has behind it.
  void resume(Index steps) { steps_ = steps; }

  const ShardingEnv& env() const { return env_; }
  /// Lanes with a step's micro-batches, for sources and train::TrainStep.
  const Lanes& step_lanes() const { return lanes_; }
  const optim::ScheduleSettings& schedule() const { return schedule_; }
  const planning::ShardingPlan& plan() const { return tables_.plan(); }
  /// The machine that was planned for, and the plan with its estimate, which a plan that was given has not.
  struct Placement {
    planning::Topology topology;
    planning::ProvenPlan plan;
  };
  const Placement& placement() const { return placement_; }
  ShardedEmbeddingBagCollection& tables() { return tables_; }
  const ShardedEmbeddingBagCollection& tables() const { return tables_; }
  /// Bytes of weights and optimizer state that this rank holds.
  Index bytes() const;
  /// The module tree with each table's place, the same text on every rank.
  std::string describe() const;

 private:
  const ShardingEnv& env_;
  std::vector<std::string> names_, features_;
  std::vector<Index> dims_;
  Lanes lanes_;
  optim::ScheduleSettings schedule_;
  Placement placement_;
  ShardedEmbeddingBagCollection tables_;
  InFlight batch_;  // of the last forward, until it goes back
  std::vector<jagged::JaggedVectors> unpooled_;
  Index global_batch_ = 0;
  Index steps_ = 0;
};

/// Returns all rows of a table, in order, [rows, columns] row-major: on every rank, or on rank `root`
/// alone and nothing elsewhere. Whatever the plan, the numbers are the same. Collective. Error: there is no such table.
std::vector<float> gather(const Exec& exec, const DistributedModelParallel& model, const std::string& table,
                          std::optional<int> root = std::nullopt);

}  // namespace tesserec::sharding
