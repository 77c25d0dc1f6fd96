// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <tesserec/jagged/keyed_tensor.hpp>
#include <tesserec/planning/planner.hpp>
#include <tesserec/sharding/sharder.hpp>

namespace tesserec::sharding {

/// Options of a DistributedModelParallel, equal on all ranks.
struct ParallelOptions {
  std::optional<planning::ShardingPlan> plan;  ///< given plan; unset = the planner's own
  planning::Settings planner;                  ///< constraints and machine of the planner
  Index global_batch = 512;                    ///< samples of all ranks that the planner assumes
  int lanes = 8;                               ///< power of two; decides the bits of updates, and the most ranks
  int micro_batches = 1;                       ///< micro-batches of a train::TrainStep's batch, equal runs of lanes
  std::uint64_t seed = 0;                      ///< seed of the start values
  std::vector<std::string> features;           ///< keys of the batches; empty = those that the module reads
  optim::ScheduleSettings schedule;            ///< schedule of the learning rates
};

/// EmbeddingBagCollection sharded over all ranks of `env`, as TorchRec's DistributedModelParallel, for a program around
/// it (a whole DLRM is model::ShardedModel). Each rank allocates only its shards. start, forward and backward are
/// collective: all ranks call them in one order, from the thread that made the model. Each batch has one forward and
/// one backward.
class DistributedModelParallel {
 public:
  /// Plans, allocates and initializes this rank's shards. `env` must outlive the model. Collective. Throws Error on
  /// every rank, naming ranks, if tables, options or sharders differ between ranks. Also throws if a plan does not fit
  /// module, ranks or sharder, or if there are more ranks than lanes.
  DistributedModelParallel(const Exec& exec, const embedding::EmbeddingBagCollection& module, const ShardingEnv& env,
                           const ParallelOptions& options = {}, const EmbeddingBagCollectionSharder& sharder = {});

  /// Returns this rank's samples of a global batch, those of its whole lanes. With these samples the bits do not depend
  /// on the number of ranks.
  Range samples(Index global_batch) const {
    return Lanes(lanes_.count()).samples_of_rank(env_.rank(), env_.size(), global_batch);
  }

  /// Starts a batch with this rank's samples. Several batches may be in flight. Ranks may have any number of samples,
  /// which each rank deals to its own lanes. The bits depend on these numbers, unless each rank has its samples().
  /// Blocks until all ranks have called it. Throws Error on every rank if one rank lacks a feature, or if the keys
  /// differ in their numbers of samples.
  InFlight start(const Exec& exec, const jagged::KeyedJaggedTensor& features);

  /// Returns the pooled vectors [B, sum of dims] of this rank's samples under the module's embedding names. The batch
  /// stays available to backward() until the next forward(). Throws Error on every rank if an id is outside its table,
  /// or if a weighted table gets no weights.
  jagged::KeyedTensor forward(const Exec& exec, InFlight batch);
  /// Starts a batch and returns its pooled vectors.
  jagged::KeyedTensor forward(const Exec& exec, const jagged::KeyedJaggedTensor& features);

  /// Returns the vectors [ids, dim] of each un-pooled feature, in the order of unpooled_names(). Valid until backward()
  /// or the next forward().
  const std::vector<jagged::JaggedVectors>& unpooled() const { return unpooled_; }

  /// Runs the last forward() backward and updates the rows. `gradient` [B, sum of dims] has the derivatives of the
  /// global batch's loss by the pooled vectors; a mean loss is divided by the global batch size. `unpooled_gradient` is
  /// parallel to unpooled(). Throws Error if no forward() precedes, or if shapes differ.
  void backward(const Exec& exec, const Matrix<float>& gradient,
                const std::vector<Matrix<float>>& unpooled_gradient = {});

  /// Returns the samples of all ranks in the last forward(). steps() returns the number of updates so far.
  Index global_batch() const { return global_batch_; }
  Index steps() const { return steps_; }
  /// Sets the number of updates that a loaded model has had.
  void resume(Index steps) { steps_ = steps; }

  const ShardingEnv& env() const { return env_; }
  /// Returns the lanes with a step's micro-batches, for sources and train::TrainStep.
  const Lanes& step_lanes() const { return lanes_; }
  const optim::ScheduleSettings& schedule() const { return schedule_; }
  const planning::ShardingPlan& plan() const { return tables_.plan(); }
  /// Machine that was planned for, and the plan. A given plan has no estimate.
  struct Placement {
    planning::Topology topology;
    planning::ProvenPlan plan;
  };
  const Placement& placement() const { return placement_; }
  ShardedEmbeddingBagCollection& tables() { return tables_; }
  const ShardedEmbeddingBagCollection& tables() const { return tables_; }
  /// Returns the bytes of weights and optimizer states that this rank holds in memory.
  Index bytes() const;
  /// Describes the module tree and the ranks of each table. The text is the same on every rank.
  std::string describe() const;

 private:
  const ShardingEnv& env_;
  std::vector<std::string> names_, features_;
  std::vector<Index> dims_;
  Lanes lanes_;
  optim::ScheduleSettings schedule_;
  Placement placement_;
  ShardedEmbeddingBagCollection tables_;
  InFlight batch_;  // batch of the last forward, until its backward
  std::vector<jagged::JaggedVectors> unpooled_;
  Index global_batch_ = 0;
  Index steps_ = 0;
};

/// Returns all rows of a table in order, [rows, columns] row-major. They are returned on every rank, or only on rank
/// `root`, while other ranks get nothing. The numbers do not depend on the plan. Collective. Throws Error if there is
/// no such table or root, or if the ranks' arguments differ.
std::vector<float> gather(const Exec& exec, const DistributedModelParallel& model, const std::string& table,
                          std::optional<int> root = std::nullopt);

}  // namespace tesserec::sharding
