// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>

#include "row_stores.hpp"
#include <tesserec/comm/agree.hpp>
#include <tesserec/comm/same.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/data/labels.hpp>
#include <tesserec/losses/loss_types.hpp>
#include <tesserec/planning/planner.hpp>
#include <tesserec/store/checksum.hpp>
#include <tesserec/store/file_list.hpp>
#include <tesserec/train/gpu_share.hpp>
#include <tesserec/train/session.hpp>
#include <tesserec/train/tables.hpp>

namespace tesserec::train {
namespace {

/// Throws Error if a table grows whose rows kernels of a device would read.
void require_host(const std::vector<embedding::EmbeddingBagConfig>& tables, Kernels kernels) {
  for (const embedding::EmbeddingBagConfig& table : tables)
    if (table.grows() && place_of(kernels) == Place::device)
      fail("table ", table.name,
           " grows, so its rows lie in the host's memory, where kernels of a device cannot read; set run.kernels = "
           "\"simd\", or table.",
           table.name, ".growing = false");
}

model::ShardedModel build(const Exec& exec, const comm::Communicator& comm, const Job& job, const Lanes& lanes,
                          const data::SourceInfo& data, planning::Settings& planner) {
  require_labels_of(job.model, data);
  const embedding::EmbeddingBagCollection collection(resolve_tables(job.tables, data, job.model));
  require_host(collection.tables(), job.run.kernels);
  sharding::ParallelOptions options;
  planner = planner_settings(job.plan, collection.tables(), data, data::id_shares(job.data, data, job.run.seed));
  options.planner = planner;
  if (options.planner.memory == 0 && place_of(job.run.kernels) == Place::device)
    options.planner.memory = gpu_share(comm).memory;
  options.global_batch = job.train.batch_size;
  options.lanes = lanes.count();
  options.micro_batches = lanes.micro_batches();
  options.seed = job.run.seed;
  options.features = data.features;
  options.schedule = job.schedule;
  sharding::EmbeddingBagCollectionSharder sharder;
  sharder.fused = job.optimizer.sparse;
  sharder.dense = job.optimizer.dense;
  sharder.kernels = job.run.kernels;
  sharder.store = row_stores(job);
  sharder.exchange = {job.model.exchange_forward, job.model.exchange_backward,
                      sharding::gradient_scale(job.train.step_samples())};
  model::Settings dense = job.model;
  dense.kernels = job.run.kernels;
  return {exec, comm, dense, data.dense_features, collection, options, sharder};
}

void warn_of_trained(const data::Settings& data) {
  const std::vector<std::string> files = store::files_of_both(data.evaluate, data.train);
  if (!files.empty())
    log_warning(concat("data.evaluate and data.train both name ", join(files),
                       ", so the metrics include samples that the model was trained on"));
}

/// Logs the number of samples that lack a label.
void report_lacking(const data::SourceInfo& data, const std::vector<Index>& lacking) {
  std::vector<std::string> counts;
  for (std::size_t t = 0; t < lacking.size() && t < data.tasks.size(); ++t)
    if (lacking[t] > 0) counts.push_back(concat(data.tasks[t], " ", lacking[t]));
  if (!counts.empty())
    log_info(concat(data.description, ": samples without a label, of ", data.samples, ": ", join(counts)));
}

/// Throws Error if all training samples have weight 0. Warns of such evaluation data. Collective.
void require_weights(const comm::Communicator& comm, const data::Source& source, data::Use use) {
  const data::SourceInfo& data = source.info();
  if (!data.sample_weights || data.samples == 0 || use == data::Use::predict) return;
  if (comm.sum(source.weightless()) < data.samples) return;
  const std::string all =
      concat(data.description, ": all ", counted(data.samples, "sample"), " have weight 0 (/weights)");
  if (use == data::Use::train)
    fail("data.train: ", all, ", so nothing can be learned; give samples to learn from a weight above 0");
  log_common_warning(concat("data.evaluate: ", all, ", so the metrics have no meaning"));
}

/// Returns whether data to predict are taken as data without labels, because they lack some of the model's. Says so.
bool is_scored_alone(const data::SourceInfo& data, const Job& job, data::Use use) {
  if (use != data::Use::predict || !data.labelled || data::has_labels(data, job.model.tasks)) return false;
  const auto text = [](const std::vector<std::string>& tasks) {
    return tasks.empty() ? "one label without a name" : join(tasks);
  };
  log_info(concat(data.description, " has ", text(data.tasks), ", but the model learns ", text(job.model.tasks),
                  "; its samples are scored as if they had no labels"));
  return true;
}

}  // namespace

Session::Session(const Exec& exec_, const comm::Communicator& comm_, const Job& job_, const data::SourceInfo& data_)
    : exec(exec_),
      comm(comm_, [&](const comm::Communicator& ranks) { return make_transport(ranks, job_.run); }),
      job(job_),
      data(data::checked(data_)),
      lanes(lanes_for(comm.size(), job.train)),
      model(build(exec, comm, job, lanes, data, planner)),
      step(exec, model, job.optimizer.max_norm) {}

Lanes lanes_for(int ranks, const Settings& settings) {
  const int lanes = settings.lane_count(), accumulate = settings.accumulate;
  const Index least = Index{accumulate} * ranks, largest = std::min<Index>(lanes / accumulate, settings.batch_size);
  const std::string fewer =
      largest > 0 ? concat(", or run on ", largest, largest == 1 ? " rank" : " ranks at most") : "";
  if (settings.batch_size < ranks)
    fail("train.batch_size = ", settings.batch_size, " is smaller than the number of ranks, ", ranks, "; raise it",
         fewer);
  if (least > lanes) {
    constexpr Index most_lanes = 65536;
    const Index lanes_needed = std::bit_ceil(std::uint64_t(least)), batches = std::bit_floor(unsigned(lanes / ranks));
    std::vector<std::string> remedies;
    if (lanes_needed <= most_lanes) remedies.push_back(concat("train.lanes = ", lanes_needed));
    if (accumulate > 1 && batches > 0) remedies.push_back(concat("train.accumulate = ", batches));
    const std::string need = accumulate > 1
                                 ? concat(" and train.accumulate = ", accumulate, " need ", least, " lanes or more")
                                 : " need at least as many lanes";
    const char* const from = settings.lanes == 0 ? " (from train.batch_size)" : "";
    const std::string set = remedies.empty() ? "" : "; set " + join(remedies, " or ");
    fail(counted(ranks, "rank"), need, ", but train.lanes is ", lanes, from, set, fewer);
  }
  return Lanes(lanes, accumulate);
}

void require_labels_of(const model::Settings& model, const data::SourceInfo& data) {
  if (data.label_count() != model.labels())
    fail(data.description, " has ", counted(data.label_count(), "label"), " per sample, but the model learns ",
         model.labels(), "; choose those of model.tasks by data::with_labels(), as train::open_source() does");
}

data::Deal Session::deal(const comm::Communicator& comm, const Job& job, bool shuffle) {
  return {comm.rank(), comm.size(), lanes_for(comm.size(), job.train), job.train.step_samples(), shuffle, job.run.seed};
}

data::LabelRange labels_taken(const Job& job, data::Use use) {
  const auto [least, most] = losses::loss_type(job.model.loss).labels;
  const bool evaluates = use == data::Use::evaluate || (use == data::Use::train && !job.data.window.empty());
  const bool may_lack = job.data.missing_labels || use == data::Use::predict;
  if (!evaluates) return {least, most, may_lack};
  return {std::max(least, 0.0f), std::min(most, 1.0f), may_lack};  // metrics::binary_metrics takes labels in [0, 1]
}

std::unique_ptr<data::Source> open_source(const comm::Communicator& comm, const Job& job, data::Use use) {
  const data::Deal deal = Session::deal(comm, job, use == data::Use::train && job.train.shuffle);
  std::unique_ptr<data::Source> source;
  comm::agree(comm, [&] {
    source = data::make_source(job.data, use, deal);
    source = is_scored_alone(source->info(), job, use) ? data::without_labels(std::move(source), job.model.tasks)
                                                       : data::with_labels(std::move(source), job.model.tasks);
  });
  require_same_files(comm, source->info());
  // Times and labels are read only now, after the ranks together have compared all parts with their seals.
  std::string windows;
  comm::agree(comm, [&] { windows = source->find_windows(); });
  if (!windows.empty()) log_info(windows);
  std::vector<Index> lacking(job.model.labels(), 0);
  comm::agree(comm, [&] {
    if (std::vector<Index> own = source->limit_labels(labels_taken(job, use)); !own.empty()) lacking = std::move(own);
  });
  comm.sum(std::span<Index>(lacking));
  if (comm.rank() == 0) report_lacking(source->info(), lacking);
  require_weights(comm, *source, use);
  if (use == data::Use::evaluate && comm.rank() == 0) warn_of_trained(job.data);
  return source;
}

void require_same_files(const comm::Communicator& comm, const data::SourceInfo& data) {
  std::vector<comm::Named> files;
  comm::agree(comm, [&] {
    for (const auto& [path, seal] : data.files)
      files.push_back({path, seal.empty() ? store::sampled_checksum(path) : "seal " + seal});
  });
  comm::require_same(comm, files, "give all ranks the same files; a node may have an older copy");
}

std::string describe_model(const network::Network& dense, const std::vector<embedding::EmbeddingBagConfig>& tables,
                           const planning::ShardingPlan& plan, const OptimizerSettings& optimizer,
                           const data::SourceInfo& data) {
  Index weights = 0, features = 0, table_weights = 0, bytes = 0;
  for (const network::Parameter& p : dense.layout()) weights += p.rows * p.columns;
  for (std::size_t t = 0; t < tables.size(); ++t) {
    const embedding::EmbeddingBagConfig& table = tables[t];
    if (!table.half || !table.half->remainder) features += std::ssize(table.feature_names);
    table_weights += table.weights();
    const optim::Settings& table_optimizer =
        planning::optimizer_of(table, plan[t].kernel, optimizer.sparse, optimizer.dense);
    bytes += planning::table_bytes(table, table_optimizer);
  }
  return concat(network::describe_layers(dense.layers()), "  ", counted(features, "feature"), " in ",
                counted(std::ssize(tables), "table"), "; parameters: ", weights, " dense, ", table_weights,
                " in tables (", bytes_text(double(bytes)), " with optimizer state)\n",
                unread_features(tables, data, ""));
}

}  // namespace tesserec::train
