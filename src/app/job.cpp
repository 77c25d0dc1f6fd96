// SPDX-License-Identifier: Apache-2.0
#include "job.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "caches.hpp"
#include "help.hpp"
#include <tesserec/comm/agree.hpp>
#include <tesserec/comm/transport.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/huge_pages.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/data.hpp>
#include <tesserec/data/planted.hpp>
#include <tesserec/metrics/names.hpp>
#include <tesserec/network/smaller_tables.hpp>
#include <tesserec/planning/planner.hpp>
#include <tesserec/products/instruction_set.hpp>
#include <tesserec/schema/suggest.hpp>
#include <tesserec/store/file_list.hpp>
#include <tesserec/train/checkpoint.hpp>
#include <tesserec/train/gpu_share.hpp>
#include <tesserec/train/session.hpp>
#include <tesserec/train/tables.hpp>

namespace tesserec::app {
namespace {

/// Warns on rank 0 if ranks have no huge pages, with the reason of the lowest such rank. Collective.
void report_huge_pages(const comm::Communicator& comm) {
  const std::string own_reason = huge_pages_refused();
  const std::vector<int> refused = comm.all_gather(own_reason.empty() ? 0 : 1);
  const auto lowest = std::find(refused.begin(), refused.end(), 1);
  if (lowest == refused.end()) return;
  const std::string reason = comm.broadcast(own_reason, int(lowest - refused.begin()));
  const auto count = std::count(refused.begin(), refused.end(), 1);
  if (comm.rank() == 0)
    log_warning(concat(counted(count, "rank"), count == 1 ? " has" : " have", " no huge pages: ", reason,
                       "; lookups and updates of large tables are slower (docs/performance.md)"));
}

/// Returns the path of the checkpoint to load; "" = the newest one.
std::string checkpoint_of(const train::Job& job, bool newest) {
  if (newest) return "";
  const std::string& resume = job.checkpoint.resume;
  return resume == "best" ? job.checkpoint_folder() + "/best" : resume;
}

}  // namespace

std::optional<data::SourceInfo> local_data(const deck::Deck& deck) {
  if (deck.data.synthetic.kind != data::SyntheticKind::none) {
    const data::SourceInfo made = data::synthetic_info(deck.data.synthetic, data::Use::train);
    data::label_places(made, deck.model.tasks);
    return data::known_info(made, deck.data);
  }
  if (!deck.data.source.empty()) {
    const data::Deal whole{.batch_size = deck.train.step_samples(), .seed = deck.run.seed};
    return data::with_labels(data::make_source(deck.data, data::Use::train, whole), deck.model.tasks)->info();
  }
  bool found = false;
  for (const std::string& pattern : deck.data.train) found = found || !store::matching_paths(pattern).empty();
  if (!found) return std::nullopt;
  const data::SourceInfo info = data::Dataset(deck.data.train, "data.train", data::trust_of(deck.data)).info();
  data::require_labels(info, "data.train");
  data::label_places(info, deck.model.tasks);
  return data::known_info(info, deck.data);
}

namespace {

/// Returns the AUC of the truth's probabilities of label `task`, and that by the rows seen in training. Collective.
std::pair<double, double> planted_aucs(const comm::Communicator& comm, const data::PlantedTruth& truth, Index task) {
  std::vector<double> all, restricted;
  std::vector<float> labels;
  for (Index i = task; i < std::ssize(truth.labels); i += truth.tasks) {
    if (std::isnan(truth.labels[i])) continue;
    all.push_back(truth.probabilities[i]);
    restricted.push_back(truth.restricted[i]);
    labels.push_back(truth.labels[i]);
  }
  return {metrics::binary_metrics(comm, all, labels).auc, metrics::binary_metrics(comm, restricted, labels).auc};
}

}  // namespace

train::Job job_of(const deck::Deck& deck) {
  return {deck.run,
          deck.data,
          deck.model,
          deck.tables,
          deck.train,
          deck.optimizer,
          deck.schedule,
          deck.plan,
          deck.checkpoint,
          deck.evaluate,
          deck::effective_deck(deck)};
}

std::unique_ptr<train::Session> make_session(const deck::Deck& deck, const comm::Communicator& comm,
                                             const train::Job& job, const data::SourceInfo& data) {
  std::unique_ptr<train::Session> session;
  deck::with_lines(deck, [&] { session = std::make_unique<train::Session>(Exec(), comm, job, data); });
  return session;
}

void show_banner(const train::Session& session, const data::SourceInfo& data) {
  const int ranks = session.comm.size();
  log_info(versions());
  log_info(concat(counted(ranks, "rank"), ", Kokkos ", backend_description(session.exec), ", ",
                  products::instruction_set(), ", ", name(chosen(session.job.run.kernels)), " kernels"));
  if (const train::GpuShare gpu = train::gpu_share(session.comm); !gpu.name.empty()) {
    log_info("GPU: " + gpu.name);
    if (gpu.ranks > 1) log_common_warning(concat(gpu.ranks, " ranks share one GPU, as run.share_gpus allows"));
  }
  if (ranks > 1 && place_of(session.job.run.kernels) == Place::device)
    log_info("between devices: " + session.comm.transport().description());
  report_huge_pages(session.comm);
  log_info(concat("data: ", data.description, ", ", counted(data.samples, "sample"),
                  data.sample_weights ? " with weights" : ""));
  const train::Settings& train = session.job.train;
  const Index lanes = session.lanes.of_micro_batch(0).size();
  const std::string of_step = train.accumulate > 1 ? concat(", ", train.accumulate, " micro-batches per step") : "";
  const char* const uneven = lanes % ranks != 0 ? "; the ranks have unequal numbers of lanes" : "";
  log_info(concat("batch ", train.batch_size, " in ", counted(lanes, "lane"), of_step, ", seed ", session.job.run.seed,
                  uneven));
}

void warn_of_mixed_tables(const comm::Communicator& comm, const std::vector<embedding::EmbeddingBagConfig>& tables,
                          const data::SourceInfo& data) {
  std::vector<std::string> mixed;
  comm::agree(comm, [&] {
    if (comm.rank() == 0) mixed = train::mixed_tables(tables, data);
  });
  for (const std::string& message : mixed) log_common_warning(message);
}

void show_model(const train::Session& session) {
  const auto& tables = session.model.tables();
  const products::Precision precision = session.job.model.precision;
  log_info(concat(
      "model", precision != products::Precision::fp32 ? ", products in " + products::name(precision) : "", ":\n",
      train::describe_model(session.model.dense, tables.tables(), tables.plan(), session.job.optimizer, session.data)));
  warn_of_mixed_tables(session.comm, tables.tables(), session.data);
}

void show_plan(const train::Session& session) {
  const auto& tables = session.model.tables();
  log_info("plan:\n" + planning::describe(tables.tables(), tables.plan()));
  if (sharding::caches_rows(tables)) show_caches(session);
}

void check_group(const deck::Deck& deck, const data::SourceInfo& data) {
  const std::string& group = deck.evaluate.group;
  if (std::none_of(deck.evaluate.metrics.begin(), deck.evaluate.metrics.end(), metrics::needs_groups)) return;
  const auto found = std::find(data.features.begin(), data.features.end(), group);
  const std::string near = schema::nearest(group, data.features);
  const std::string where = deck.at("evaluate.group") + " is \"" + group + "\", ";
  if (found == data.features.end())
    fail(where, "but the data (", data.description, ") have no such feature",
         near.empty() ? "; they have " + join(data.features) : "; did you mean \"" + near + "\"?");
  const double ids = data.ids_per_bag.empty() ? 1 : data.ids_per_bag[found - data.features.begin()];
  if (ids != 1)
    fail(where, "which has ", shortest(ids), " ids per sample on average; name a feature with one id per sample");
}

void add_metrics(Json& object, const metrics::BinaryMetrics& all, const std::vector<std::string>& names) {
  for (const auto& [name, value] : metrics::chosen_of_all(all, names)) object.set(name, value);
  for (std::size_t t = 0; t < all.tasks.size(); ++t)
    object.set(all.task_names[t] + ".samples", all.tasks[t].samples)
        .set(all.task_names[t] + ".mean_label", all.tasks[t].ctr);
}

void add_planted_truth(const comm::Communicator& comm, const train::Job& job, Json& json) {
  const data::SyntheticSettings& settings = job.data.synthetic;
  if (settings.kind != data::SyntheticKind::planted || settings.evaluate_samples == 0) return;
  const data::PlantedTruth truth = data::planted_truth(comm, settings, job.run.seed);
  for (Index task = 0; task < truth.tasks; ++task) {
    const std::string name = settings.labels.names.empty() ? "" : settings.labels.names[std::size_t(task)];
    const std::string of = name.empty() ? "" : " of " + name;
    const std::string prefix = name.empty() ? "" : name + ".";
    const auto [best, learnable] = planted_aucs(comm, truth, task);
    const std::string best_text =
        std::isnan(best) ? "undefined, all labels are the same"
                         : fixed(best, 6) + "; from rows seen at least 5 times in training " + fixed(learnable, 6);
    log_info(concat("planted truth", of, ": best AUC ", best_text));
    json.set(prefix + "best_auc", best).set(prefix + "learnable_auc", learnable);
  }
  const std::vector<std::string>& names = job.evaluate.metrics;
  if (settings.pair.empty() || std::none_of(names.begin(), names.end(), metrics::needs_towers)) return;
  if (truth.tasks > 1) return;  // candidate_recall needs a model of one label
  const double recall = metrics::candidate_recall(comm, {settings.pair_rank + 1, truth.queries, truth.items},
                                                  truth.labels, job.evaluate.k);
  log_info("planted truth: candidate_recall " + fixed(recall, 6));
  json.set("truth_candidate_recall", recall);
}

LoadedModel::LoadedModel(const deck::Deck& deck, const comm::Communicator& comm, data::Use use) : job(job_of(deck)) {
  if (!data::has_source(job.data, use) && !job.data.source.empty())
    fail(deck.at("data.source"), " is \"", job.data.source,
         "\", which has no evaluation data; add them by its keys in [data.", job.data.source, "]");
  if (!data::has_source(job.data, use))
    fail(deck.at("data"), ": there are no evaluation data; give data.evaluate",
         use == data::Use::predict ? ", data.predict" : "", ", or data.synthetic.evaluate_samples");
  source = train::open_source(comm, job, use);
  require_network(deck, source->info());
  const std::string& resume = job.checkpoint.resume;
  const bool newest = resume == "auto" || resume == "never";
  const train::TrainedModel trained = train::open_trained(comm, job, checkpoint_of(job, newest));
  train::FittedData fitted = train::fit_data(trained, job, std::move(source));
  source = std::move(fitted.source);
  session = make_session(deck, comm, job, fitted.info);
  train::prepare_source(*session, *source, use);
  show_banner(*session, source->info());
  train::restore_weights(*session, trained);
  checkpoint = trained.folder;
  if (!newest && resume != "best") {
    const auto own = parallel_io::CheckpointFolder(comm, job.checkpoint_folder()).list();
    if (!own.empty() && own.front().origin == train::resume_origin(trained.checkpoint.manifest.state))
      log_common_warning("checkpoint.resume names \"" + checkpoint + "\", from which the run in " + job.run.folder() +
                         " resumed; for that run's own newest checkpoint, add --set checkpoint.resume=auto");
  }
  log_info("weights of " + checkpoint);
  show_model(*session);
}

std::optional<data::SourceInfo> known_data(const deck::Deck& deck, const comm::Communicator& comm) {
  std::optional<data::SourceInfo> info;
  comm::agree(comm, [&] { info = local_data(deck); });
  train::require_same_files(comm, info.value_or(data::SourceInfo{}));
  return info;
}

std::vector<embedding::EmbeddingBagConfig> known_tables(const deck::Deck& deck,
                                                        const std::optional<data::SourceInfo>& info) {
  std::vector<embedding::EmbeddingBagConfig> tables = deck.tables;
  deck::with_lines(deck, [&] {
    tables = info ? train::resolve_tables(std::move(tables), *info, deck.model)
                  : network::smaller_tables(std::move(tables), deck.model);
  });
  return tables;
}

void require_network(const deck::Deck& deck, const data::SourceInfo& info) {
  deck::Deck known = deck;
  known.tables = known_tables(deck, info);
  deck::check_network(known, info.dense_features);
}

}  // namespace tesserec::app
