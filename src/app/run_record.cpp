// SPDX-License-Identifier: Apache-2.0
#include "run_record.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <mutex>
#include <utility>

#include <unistd.h>

#include "help.hpp"
#include <tesserec/comm/agree.hpp>
#include <tesserec/comm/transport.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/gpu.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/planning/plan_file.hpp>
#include <tesserec/products/instruction_set.hpp>
#include <tesserec/store/disk.hpp>
#include <tesserec/store/run_end.hpp>
#include <tesserec/train/training.hpp>

namespace tesserec::app {
namespace {

/// Returns the current time as "2026-11-24T03:46:29Z".
std::string utc_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm date{};
  char text[32];
  if (gmtime_r(&now, &date) == nullptr || std::strftime(text, sizeof text, "%FT%TZ", &date) == 0)
    fail("the system clock has no valid date; set it");
  return text;
}

/// Lists the hosts with their numbers of ranks, in the order of their first ranks. Collective.
Json hosts_json(const comm::Communicator& comm) {
  struct Host {
    char name[65] = {};  // at most 64 characters on Linux (HOST_NAME_MAX)
  } own_host;
  if (gethostname(own_host.name, sizeof own_host.name - 1) != 0) own_host = {"unknown"};
  std::vector<std::pair<std::string, int>> hosts;
  for (const Host& host : comm.all_gather(own_host)) {
    const auto found = std::find_if(hosts.begin(), hosts.end(), [&](const auto& h) { return h.first == host.name; });
    if (found == hosts.end())
      hosts.emplace_back(host.name, 1);
    else
      ++found->second;
  }
  Json json = Json::array();
  for (const auto& [name, ranks] : hosts) json.add(Json::object().set("name", name).set("ranks", ranks));
  return json;
}

/// Returns the file with the run's log: TESSEREC_LOG, or stderr if that is a file; empty if neither is known.
std::string log_file() {
  const char* const log_path = std::getenv("TESSEREC_LOG");
  std::error_code error;
  const std::filesystem::path path =
      log_path != nullptr ? std::filesystem::path(log_path) : std::filesystem::read_symlink("/proc/self/fd/2", error);
  return std::filesystem::is_regular_file(path, error) ? std::filesystem::absolute(path).string() : "";
}

/// Returns each rank's planned bytes of weights and optimizer states, and what the planner adds for messages.
Json memory_json(const train::Session& session) {
  std::vector<Index> weights, states, messages;
  for (const planning::RankBytes& holds : session.model.embeddings.placement().plan.estimate.holds) {
    weights.push_back(Index(holds.rows));
    states.push_back(Index(holds.states));
    messages.push_back(Index(holds.messages));
  }
  return Json::object().set("weights", weights).set("states", states).set("messages", messages);
}

void add_machine(Json& json, const train::Session& session) {
  json.set("ranks", session.comm.size())
      .set("instruction_set", products::instruction_set())
      .set("backend", backend_description(session.exec))
      .set("kernels", name(chosen(session.job.run.kernels)))
      .set("communicator", session.comm.transport().description())
      .set("gpu", gpu_name());
}

/// Run that this process has begun and not ended. Any thread that ends the process may use it.
struct OpenRun {
  std::string folder, start_time;
  Index steps = 0, samples = 0;  // steps and samples done
} open_run;
std::mutex open_run_mutex;

OpenRun exchange_open_run(OpenRun run = {}) {
  const std::lock_guard lock(open_run_mutex);
  return std::exchange(open_run, std::move(run));
}

Json score_bins_json(const metrics::ScoreBins& bins) {
  return Json::object().set("samples", bins.samples).set("clicks", bins.clicks).set("scores", bins.scores);
}

/// Returns a figure of this start's steps as JSON, null if it made none.
Json known(double figure) { return Json(figure > 0 ? figure : std::nan("")); }

}  // namespace

Json result_json(const train::Session& session, const train::TrainResult& result, const std::string& start_time) {
  Json json = Json::object();
  json.set("steps", result.steps)
      .set("samples", result.samples)
      .set("loss", result.loss)
      .set("samples_per_second", known(result.samples_per_second))
      .set("step_seconds", known(result.step_seconds))
      .set("exchange_bytes", result.exchange_bytes)
      .set("between_nodes_bytes", result.between_nodes_bytes)
      .set("peak_memory_bytes", result.peak_memory)
      .set("lanes", session.lanes.count());
  add_machine(json, session);
  json.set("weights_digest", result.weights_digest)
      .set("state_digest", result.state_digest)
      .set("checkpoint", result.checkpoint)
      .set("signal", result.signal)
      .set("log_lines_lost", result.log_lines_lost);
  Json phases = Json::object();
  for (const auto& [name, seconds] : result.phases) phases.set(name, seconds);
  json.set("phase_seconds", phases);
  if (result.evaluation) {
    Json evaluation = Json::object();
    add_metrics(evaluation, *result.evaluation, session.job.evaluate.metrics);
    evaluation.set("step", result.evaluation_step).set("samples", result.evaluation->samples);
    if (!result.evaluation->bins.samples.empty()) evaluation.set("bins", score_bins_json(result.evaluation->bins));
    for (std::size_t t = 0; t < result.evaluation->tasks.size(); ++t)
      evaluation.set(result.evaluation->task_names[t] + ".bins", score_bins_json(result.evaluation->tasks[t].bins));
    json.set("evaluation", evaluation);
    json.set("mean_label", result.evaluation->ctr)
        .set("features", features_json(result.evaluation_ids, !session.data.files.empty()));
  }
  if (result.windows) {
    Json windows = Json::object();
    windows.set("count", result.windows->windows).set("samples", result.windows->samples);
    Json defined = Json::object();
    for (std::size_t m = 0; m < result.windows->metrics.size(); ++m) {
      const auto& [name, mean] = result.windows->metrics[m];
      windows.set(name, mean);
      defined.set(name, result.windows->defined[m]);
    }
    windows.set("defined", defined);
    json.set("windows", windows);
  }
  if (result.best)
    json.set("best", Json::object()
                         .set("metric", result.best->metric)
                         .set("value", result.best->value)
                         .set("step", result.best->step)
                         .set("checkpoint", result.best_checkpoint));
  return json.set("tables", tables_json(result.tables))
      .set("peak_memory_bytes_of_ranks", result.peak_memory_of_ranks)
      .set("exit_reason", result.stopped.empty() ? "finished" : result.stopped)
      .set("start_time", start_time)
      .set("end_time", utc_now());
}

void record_failure(const std::string& message, bool diverged) {
  const OpenRun run = exchange_open_run();
  if (run.folder.empty()) return;
  try {
    const std::string reason = diverged ? "diverged" : "failed";
    const Json json = Json::object()
                          .set("steps", run.steps)
                          .set("samples", run.samples)
                          .set("exit_reason", reason)
                          .set("message", message)
                          .set("start_time", run.start_time)
                          .set("end_time", utc_now());
    store::replace_proven(run.folder + "/result.json", json.text() + "\n");
  } catch (const std::exception& error) {
    log_warning(concat(error.what(), "; result.json does not say why the run ended"));
  }
}

RunRecord::RunRecord(const Invocation& invocation, const deck::Deck& deck, const comm::Communicator& comm)
    : invocation_(Json::object()), start_(utc_now()) {
  comm::agree(comm, [&] {
    if (comm.rank() != 0) return;
    invocation_.set("argv", invocation.words)
        .set("overrides", invocation.overrides)
        .set("deck_file", invocation.deck)
        .set("deck_text", *invocation.deck_text)
        .set("deck", deck::effective_deck(deck));
  });
}

void RunRecord::begins(train::Training& training) {
  const train::Session& session = training.session();
  const train::Position& from = training.position();
  const Json hosts = hosts_json(session.comm);
  comm::agree(session.comm, [&] {
    const std::string folder = session.job.run.folder();
    if (session.comm.rank() != 0) return;
    files_final_ = training.is_over() && store::run_end(folder).is_done();
    if (files_final_) return;
    const sharding::DistributedModelParallel& embeddings = session.model.embeddings;
    Json json = Json::object(Json::Layout::lines);
    json.set("format", "tesserec run")
        .set("version", 1)
        .set("name", session.job.run.name)
        .set("start_time", start_)
        .set("from_step", from.step)
        .set("starts", starts_json(folder, {start_, from.step, invocation_.at("deck").string()},
                                   session.job.checkpoint.resume == "never"))
        .set("versions", versions());
    if (const std::string& path = session.job.checkpoint.path; !path.empty())
      json.set("checkpoints", std::filesystem::relative(path, folder).string());
    add_machine(json, session);
    json.set("hosts", hosts);
    json.set("log", log_file());
    for (const std::string& name : invocation_.names()) json.set(name, invocation_.at(name));
    json.set("memory_bytes", memory_json(session))
        .set("plan", parse_json(planning::plan_json(session.model.tables().tables(), embeddings.placement().plan,
                                                    embeddings.placement().topology, session.job.train.batch_size)));
    if (std::filesystem::remove(folder + "/result.json")) store::sync_path(folder);
    store::replace_proven(folder + "/run.json", json.text() + "\n");
  });
  if (session.comm.max(session.comm.rank() == 0 && !files_final_ ? 1 : 0) != 0)
    exchange_open_run({session.job.run.folder(), start_, from.step, from.samples});
}

void RunRecord::stepped(train::Training& training) {
  const std::lock_guard lock(open_run_mutex);
  open_run.steps = training.position().step;
  open_run.samples = training.position().samples;
}

void RunRecord::end(const train::Session& session, const Json& result) const {
  comm::agree(session.comm, [&] {
    if (session.comm.rank() == 0 && !files_final_)
      store::replace_proven(session.job.run.folder() + "/result.json", result.text() + "\n");
  });
  exchange_open_run();
}

void RunRecord::diverged(const comm::Communicator& comm, const std::string& message) const {
  if (comm.rank() == 0) record_failure(message, true);
  exchange_open_run();
}

Json tables_json(const std::vector<train::TableFigures>& tables) {
  Json all = Json::array();
  for (const train::TableFigures& table : tables) {
    Json json = Json::object()
                    .set("name", table.name)
                    .set("features", table.features)
                    .set("rows", table.rows)
                    .set("dim", table.columns)
                    .set("looked_at", table.sampled)
                    .set("trained", table.trained)
                    .set("row_norm", table.row_norm)
                    .set("start_norm", table.start_norm)
                    .set("largest", table.largest);
    if (table.cache.slots > 0) {
      Json cache = Json::object()
                       .set("rows", table.cache.slots)
                       .set("share", table.cached_share)
                       .set("ids", table.cache.pinned)
                       .set("reads", table.cache.reads)
                       .set("bytes_read", table.cache.bytes_read)
                       .set("bytes_written", table.cache.bytes_written);
      if (table.frequent_share) cache.set("frequent_share", *table.frequent_share);
      json.set("cache", cache);
    }
    if (table.growth.capacity > 0)
      json.set("growing", Json::object()
                              .set("capacity", table.growth.capacity)
                              .set("rows", table.growth.occupied)
                              .set("waiting", table.growth.waiting)
                              .set("admitted", table.growth.admitted)
                              .set("refused", table.growth.refused)
                              .set("evicted", table.growth.evicted));
    all.add(json);
  }
  return all;
}

Json features_json(const std::vector<train::FeatureIds>& features, bool files) {
  Json all = Json::array();
  for (const train::FeatureIds& feature : features) {
    Json json = Json::object().set("name", feature.name).set("samples", feature.samples).set("empty", feature.empty);
    json.set("ids", feature.ids);
    if (files) json.set("unknown", feature.unknown);
    all.add(json);
  }
  return all;
}

}  // namespace tesserec::app
