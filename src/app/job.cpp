// SPDX-License-Identifier: Apache-2.0
#include "job.hpp"

#include <tesserec/comm/environment.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/dense/instruction_set.hpp>
#include <tesserec/planning/planner.hpp>
#include <tesserec/train/evaluate.hpp>

namespace tesserec::app {

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

void show_banner(const train::Session& session, const data::SourceInfo& data) {
  const auto& tables = session.model.tables();
  const int ranks = session.comm.size();
  log_info(concat("tesserec " TESSEREC_VERSION ", ", counted(ranks, "rank"), ", Kokkos ",
                  backend_description(session.exec), ", ", dense::instruction_set(), ", ",
                  comm::Environment::library()));
  log_info(concat("data: ", data.description, ", ", data.samples, " samples"));
  log_info(concat("batch ", session.job.train.batch_size, " in ", session.lanes.count(), " lanes, seed ",
                  session.job.run.seed,
                  session.lanes.count() % ranks != 0 ? "; the lanes do not divide by the ranks: less balanced" : ""));
  log_info("model:\n" + train::describe_model(session.model.dense, tables.tables(), session.job.optimizer) + "plan:\n" +
           planning::describe(tables.tables(), tables.plan()));
}

void add_metrics(Json& object, const metrics::BinaryMetrics& metrics, const std::vector<std::string>& names) {
  for (const auto& [name, value] : train::chosen(metrics, names)) object.set(name, value);
}

}  // namespace tesserec::app
