// SPDX-License-Identifier: Apache-2.0
#include "job.hpp"

#include <algorithm>

#include "versions.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/huge_pages.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/deck/suggest.hpp>
#include <tesserec/dense/instruction_set.hpp>
#include <tesserec/metrics/names.hpp>
#include <tesserec/planning/planner.hpp>
#include <tesserec/train/gpu_share.hpp>

namespace tesserec::app {
namespace {

/// Collective: the lowest rank that lacks them speaks for all.
void report_huge_pages(const comm::Communicator& comm) {
  const std::string mine = huge_pages_refused();
  const std::vector<int> refused = comm.all_gather(mine.empty() ? 0 : 1);
  const auto lowest = std::find(refused.begin(), refused.end(), 1);
  if (lowest == refused.end()) return;
  const std::string reason = comm.broadcast(mine, int(lowest - refused.begin()));
  const auto count = std::count(refused.begin(), refused.end(), 1);
  if (comm.rank() == 0)
    log_warning(concat("no huge pages on ", counted(count, "rank"), ": ", reason,
                       "; lookups and updates of large tables are slower (docs/performance.md)"));
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
                  dense::instruction_set(), ", ", name(chosen(session.job.run.kernels)), " kernels"));
  if (const train::GpuShare gpu = train::gpu_share(session.comm); !gpu.name.empty()) {
    log_info("GPU: " + gpu.name);
    if (gpu.ranks > 1) log_warning(concat(gpu.ranks, " ranks share a GPU, as run.share_gpus lets them"));
  }
  if (ranks > 1 && place_of(session.job.run.kernels) == Place::device)
    log_info("between devices: " + session.comm.transport().description());
  report_huge_pages(session.comm);
  log_info(concat("data: ", data.description, ", ", counted(data.samples, "sample"),
                  data.sample_weights ? " with weights" : ""));
  const train::Settings& train = session.job.train;
  const Index lanes = session.lanes.of_micro_batch(0).size();
  const std::string of_step = train.accumulate > 1 ? concat(", ", train.accumulate, " of them a step") : "";
  const char* const uneven = lanes % ranks != 0 ? "; the lanes do not divide by the ranks: less balanced" : "";
  log_info(concat("batch ", train.batch_size, " in ", counted(lanes, "lane"), of_step, ", seed ", session.job.run.seed,
                  uneven));
}

void show_model(const train::Session& session) {
  const auto& tables = session.model.tables();
  const dense::Precision precision = session.job.model.precision;
  log_info(concat("model", precision != dense::Precision::fp32 ? ", products in " + dense::name(precision) : "", ":\n",
                  train::describe_model(session.model.dense, tables.tables(), tables.plan(), session.job.optimizer)));
}

void show_plan(const train::Session& session) {
  const auto& tables = session.model.tables();
  log_info("plan:\n" + planning::describe(tables.tables(), tables.plan()));
}

void check_group(const deck::Deck& deck, const data::SourceInfo& data) {
  const std::string& group = deck.evaluate.group;
  if (std::none_of(deck.evaluate.metrics.begin(), deck.evaluate.metrics.end(), metrics::needs_groups)) return;
  const auto found = std::find(data.features.begin(), data.features.end(), group);
  const std::string near = deck::nearest(group, data.features);
  const std::string where = deck.at("evaluate.group") + " is \"" + group + "\", ";
  if (found == data.features.end())
    fail(where, "but the data (", data.description, ") have no such feature",
         near.empty() ? "; they have " + join(data.features) : "; did you mean \"" + near + "\"?");
  const double ids = data.ids_per_bag[found - data.features.begin()];
  if (ids != 1)
    fail(where, "a feature with ", shortest(ids), " ids a sample on average; groups need one with one id a sample");
}

void add_metrics(Json& object, const metrics::BinaryMetrics& all, const std::vector<std::string>& names) {
  for (const auto& [name, value] : metrics::chosen(all, names)) object.set(name, value);
}

}  // namespace tesserec::app
