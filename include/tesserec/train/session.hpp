// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <tesserec/data/make_source.hpp>
#include <tesserec/train/job.hpp>
#include <tesserec/train/step.hpp>

namespace tesserec::train {

/// Model built on its ranks for a job and its data, as train, evaluate and predict share it.
struct Session {
  /// Builds the model with its start values. Collective. Throws Error for more ranks than lanes, a table or feature
  /// that the data lacks, or a model whose widths do not fit.
  Session(const Exec& exec, const comm::Communicator& comm, const Job& job, const data::SourceInfo& data);

  /// Returns the rule by which a source deals samples to this rank.
  static data::Deal deal(const comm::Communicator& comm, const Job& job, bool shuffle);

  Exec exec;
  comm::Communicator comm;  ///< the given ranks, whose devices exchange as run.communicator says
  Job job;
  data::SourceInfo data;              ///< facts of the data for which the model was built
  std::vector<std::string> contents;  ///< data::contents of the data's files, filled by restore() or save()
  Lanes lanes;
  planning::Settings planner;  ///< section [plan], completed from the data
  model::ShardedModel model;
  TrainStep step;
};

/// Throws Error unless samples of the data have as many labels as the model learns.
void require_labels_of(const model::Settings& model, const data::SourceInfo& data);

/// Returns the range of labels that the job's loss takes and, in evaluation, the metrics too.
data::LabelRange labels_taken(const Job& job, data::Use use);

/// Returns the lanes of a step on `ranks` ranks. Each rank needs at least one sample of a batch and one lane of each
/// micro-batch. Throws Error, naming the largest number of ranks that works, if there are too many.
Lanes lanes_for(int ranks, const Settings& settings);

/// Throws the same Error on all ranks if their files differ in the seal or, without one, in size or 64 blocks.
/// Collective.
void require_same_files(const comm::Communicator& comm, const data::SourceInfo& data);

/// Opens the job's data for a use, dealt to this rank. Throws the Errors of data::make_source and require_same_files,
/// the same on all ranks. A label that the loss or, in evaluation, the metrics do not take is an Error too. Warns of
/// evaluation files that are training files too. Collective.
std::unique_ptr<data::Source> open_source(const comm::Communicator& comm, const Job& job, data::Use use);

/// Limits `source` to the ids of the session's tables, and checks its samples unless a seal vouches for them
/// (Source::check_samples). Throws Error, naming sample and file, before a run has trained. Warns of large numbers and
/// of bags whose ids all have weight 0. Collective, before the first batch.
void prepare_source(const Session& session, data::Source& source, data::Use use);

/// Returns layers with their widths, features, tables, parameters and bytes, and the features of `data` that no table
/// reads, as a banner's lines.
std::string describe_model(const network::Network& dense, const std::vector<embedding::EmbeddingBagConfig>& tables,
                           const planning::ShardingPlan& plan, const OptimizerSettings& optimizer,
                           const data::SourceInfo& data);

}  // namespace tesserec::train
