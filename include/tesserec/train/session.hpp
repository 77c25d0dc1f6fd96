// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <tesserec/data/make_source.hpp>
#include <tesserec/train/job.hpp>
#include <tesserec/train/step.hpp>

namespace tesserec::train {

/// A model built for a job and its data, on its ranks: what train, evaluate and predict share.
struct Session {
  /// Collective. Weights have their start values. Errors: more ranks than lanes, a table or feature that the data
  /// lacks, a model whose widths do not fit.
  Session(const Exec& exec, const comm::Communicator& comm, const Job& job, const data::SourceInfo& data);

  /// Makes the rule by which a source deals samples to this rank.
  static data::Deal deal(const comm::Communicator& comm, const Job& job, bool shuffle);

  Exec exec;
  comm::Communicator comm;  ///< the given one's ranks; devices exchange as run.communicator says
  Job job;
  data::SourceInfo data;              ///< of the data that the model was built for
  std::vector<std::string> contents;  ///< data::contents of their files, from restore or save on
  Lanes lanes;
  model::ShardedModel model;
  TrainStep step;
};

/// Returns the labels that the job's loss takes, and in evaluation the metrics too.
data::LabelRange labels_taken(const Job& job, data::Use use);

/// The lanes of a step on `ranks` ranks. Error that names the largest number of ranks that works where these are too
/// many: each has at least one sample of a batch and one lane of each of its micro-batches.
Lanes lanes_for(int ranks, const Settings& settings);

/// Throws the same Error on all ranks if their files differ, in the seal, or else in size or 64 blocks. Collective.
void require_same_files(const comm::Communicator& comm, const data::SourceInfo& data);

/// Opens the job's data for a use, dealt to this rank. Errors are those of data::make_source and
/// require_same_files, and a label that the loss or, in evaluation, the metrics do not take; the same on all ranks.
/// Warns of evaluation files that are training files too. Collective.
std::unique_ptr<data::Source> open_source(const comm::Communicator& comm, const Job& job, data::Use use);

/// Has `source` refuse ids outside of the session's tables, and looks at its samples as far as no seal vouches for them
/// (Source::look_through), so that none of them ends a run that has trained: Errors that name sample and file. Warns of
/// large numbers and of bags whose ids have no weight. Collective, before the first batch.
void prepare_source(const Session& session, data::Source& source, data::Use use);

/// Layers with their widths, features, tables, parameters, bytes: for banners.
std::string describe_model(const network::Network& dense, const std::vector<embedding::EmbeddingBagConfig>& tables,
                           const planning::ShardingPlan& plan, const OptimizerSettings& optimizer);

}  // namespace tesserec::train
