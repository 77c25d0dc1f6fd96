// SPDX-License-Identifier: Apache-2.0
// Command `tesserec train`: trains until the last step, a signal or an error.
#include <cmath>
#include <memory>
#include <optional>

#include "job.hpp"
#include "run_record.hpp"
#include "unread_keys.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/signals.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/data/columns.hpp>
#include <tesserec/train/evaluate.hpp>
#include <tesserec/train/trainer.hpp>

namespace tesserec::app {
namespace {

/// Returns the means as text, with the number of windows where a metric lacks in some.
std::string metrics_text(const train::WindowMeans& means) {
  std::vector<std::string> texts;
  for (std::size_t m = 0; m < means.metrics.size(); ++m) {
    const auto& [name, mean] = means.metrics[m];
    std::string text = concat(name, " ", std::isnan(mean) ? "undefined" : fixed(mean, 6));
    if (means.defined[m] > 0 && means.defined[m] < means.windows) text += concat(" (of ", means.defined[m], ")");
    texts.push_back(std::move(text));
  }
  return join(texts);
}

/// Shows how the tables have grown, and warns of ids that got no row.
void show_growth(const std::vector<train::TableFigures>& tables) {
  std::vector<std::string> texts;
  for (const train::TableFigures& table : tables) {
    const tiers::Growth& growth = table.growth;
    if (growth.capacity == 0) continue;
    texts.push_back(concat(table.name, " ", growth.occupied, " of ", counted(growth.capacity, "row"), " (",
                           growth.admitted, " admitted, ", growth.refused, " refused, ", growth.evicted, " evicted)"));
    if (growth.refused > 0)
      log_common_warning(concat("table ", table.name, ": row blocks were full, so ids got no row ",
                                counted(growth.refused, "time"), " in this start; raise table.", table.name,
                                ".rows or table.", table.name, ".admit_after, or choose another table.", table.name,
                                ".eviction"));
  }
  if (!texts.empty()) log_info("growing tables: " + join(texts));
}

void show_result(const train::Session& session, const train::TrainResult& result) {
  const bool trained = result.samples_per_second > 0;  // false if it resumed after the last step
  std::string line = counted(result.steps, "step") + ", " + counted(result.samples, "sample");
  if (trained) line += ", loss " + fixed(result.loss, 6) + ", " + fixed(result.samples_per_second, 0) + " samples/s";
  log_info(line);
  if (trained) {
    double seconds = 0;
    for (const auto& phase : result.phases) seconds += phase.second;
    log_info("time of rank 0: " + join(result.phases, ", ", [&](const auto& phase) {
               return phase.first + " " + fixed(100 * phase.second / seconds, 1) + " %";
             }));
    log_info(concat("median step ", seconds_text(result.step_seconds), "; sent to other ranks ",
                    bytes_text(result.exchange_bytes), " per step",
                    result.between_nodes_bytes > 0 ? ", to other nodes " + bytes_text(result.between_nodes_bytes) : "",
                    "; peak memory ", bytes_text(result.peak_memory), " per rank"));
  }
  show_growth(result.tables);
  if (result.windows && result.windows->windows > 0)
    log_info(concat("mean of ", counted(result.windows->windows, "window"), ", each evaluated before training on it: ",
                    metrics_text(*result.windows), ", ", counted(result.windows->samples, "sample")));
  log_info("weights " + result.weights_digest + ", optimizer state " + result.state_digest);
  log_info((result.checkpoint.empty() ? "no checkpoint" : "checkpoint " + result.checkpoint) + ", metrics " +
           session.job.run.folder() + "/metrics.jsonl");
  if (result.stopped == "auc")
    log_info("stopped at AUC " + fixed(result.evaluation->auc, 6) + ": evaluate.stop_at_auc is " +
             significant(session.job.evaluate.stop_at_auc, 6));
  if (result.best)
    log_info(concat("the best ", result.best->metric, " ", fixed(result.best->value, 6), " at step ", result.best->step,
                    result.best_checkpoint.empty() ? "" : ": checkpoint " + result.best_checkpoint));
  if (result.stopped == "patience")
    log_info(concat("stopped by evaluate.patience: ", session.job.evaluate.monitor, " did not improve in ",
                    counted(session.job.evaluate.patience, "evaluation")));
  if (result.signal != 0)
    log_info("ended by signal " + std::to_string(result.signal) +
             (result.checkpoint.empty() ? "" : "; the same command resumes from the checkpoint"));
}

/// Observer that shows model and plan of a run with steps left.
class Banner final : public train::Observer {
 public:
  explicit Banner(const deck::Deck& deck) : deck_(deck) {}
  void begins(train::Training& training) override {
    if (training.is_over()) return;
    show_model(training.session());
    show_plan(training.session());
    warn_of_unread_caches(training.session(), deck_);
  }

 private:
  const deck::Deck& deck_;
};

}  // namespace

int train(const Invocation& invocation, const comm::Communicator& comm) {
  const deck::Deck deck = invocation.read_deck();
  RunRecord record(invocation, deck, comm);
  deck::require_training(deck);
  const train::Job job = job_of(deck);

  const auto source = train::open_source(comm, job, data::Use::train);
  std::unique_ptr<data::Source> evaluation;
  if (data::has_source(job.data, data::Use::evaluate)) evaluation = train::open_source(comm, job, data::Use::evaluate);

  if (evaluation) {
    evaluation = data::in_order(std::move(evaluation), source->info());
    check_group(deck, evaluation->info());
  }
  if (!job.data.window.empty()) check_group(deck, source->info());
  require_network(deck, source->info());
  const auto made = make_session(deck, comm, job, source->info());
  train::Session& session = *made;
  train::prepare_source(session, *source, data::Use::train);
  if (evaluation) train::prepare_source(session, *evaluation, data::Use::evaluate);
  show_banner(session, source->info());
  warn_of_unread_keys(comm, deck,
                      {"run", "data", "model", "table", "optimizer", "train", "checkpoint", "evaluate", "plan"});

  static std::optional<Signals::Orderly> ending;  // lives until the process ends, since the checkpoint is written
  Json json;
  int signal = 0;
  try {
    Banner banner(deck);
    train::Training training(session, *source, evaluation.get(), {&record, &banner});
    const train::TrainResult result = train::train(training);
    ending.emplace();
    show_result(session, result);
    json = result_json(session, result, record.start_time());
    signal = result.signal;
    if (signal == 0) add_planted_truth(comm, job, json);
    record.end(session, json);
  } catch (const Diverged& error) {
    record.diverged(comm, error.what());
    throw;
  }
  if (invocation.json) print(comm, json);
  return signal == 0 ? 0 : exit_code_signal;
}

}  // namespace tesserec::app
