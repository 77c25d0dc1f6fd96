// SPDX-License-Identifier: Apache-2.0
// Command `tesserec serve`: answers requests for scores by HTTP until a signal ends it.
#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <future>
#include <memory>
#include <optional>
#include <string>

#include <sys/resource.h>
#include <unistd.h>

#include "command.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/file.hpp>
#include <tesserec/core/gpu.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/signals.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/core/timer.hpp>
#include <tesserec/scoring/raw_inputs.hpp>
#include <tesserec/scoring/run_follower.hpp>
#include <tesserec/serve/http_server.hpp>

namespace tesserec::app {
namespace {

constexpr int follower_niceness = 10;  // leaves a busy machine to the threads that score: a tenth of their share

/// Returns the value of an option in [least, most], or `preset` without the option.
Index number_of(const Invocation& invocation, const std::string& option, Index preset, Index least, Index most) {
  if (!invocation.has(option)) return preset;
  const std::string& text = invocation.options.at(option);
  const std::optional<Index> value = parse_number<Index>(text);
  if (!value || *value < least || *value > most)
    fail(option, " must be an integer, ", least, " to ", most, ", but is \"", text, "\"");
  return *value;
}

/// Returns the first line of the file of --token-file, which other users of the machine must not read.
std::string token_of(const Invocation& invocation) {
  if (!invocation.has("--token-file")) return "";
  const std::string& path = invocation.options.at("--token-file");
  const std::string text = read_file(path, "the token");
  const std::string token = text.substr(0, text.find_first_of("\r\n"));
  if (token.empty()) fail(path, ": the first line is empty; write the token there");
  using std::filesystem::perms;
  if ((std::filesystem::status(path).permissions() & (perms::group_read | perms::others_read)) != perms::none)
    log_warning(path + " can be read by other users of this machine; chmod 600 keeps the token secret");
  return token;
}

serve::ServerSettings settings_of(const Invocation& invocation) {
  serve::ServerSettings settings;
  const auto text = [&](const char* option, std::string& to) {
    if (invocation.has(option)) to = invocation.options.at(option);
  };
  text("--name", settings.name);
  text("--host", settings.host);
  text("--log", settings.log);
  const auto is_plain = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-' || c == '.'; };
  if (settings.name.empty() || !std::ranges::all_of(settings.name, is_plain))
    fail("--name is \"", settings.name, "\"; use letters, digits, and _ - . for the name in addresses");
  settings.port = int(number_of(invocation, "--port", settings.port, 0, 65535));
  settings.threads = int(number_of(invocation, "--threads", settings.threads, 1, 1024));
  settings.in_flight = int(number_of(invocation, "--in-flight", settings.in_flight, 1, 4096));
  settings.max_body = number_of(invocation, "--max-body", settings.max_body, 1, Index{1} << 31);
  settings.timeout = int(number_of(invocation, "--timeout", settings.timeout, 1, 3600));
  settings.token = token_of(invocation);
  settings.log_bytes = number_of(invocation, "--log-bytes", settings.log_bytes, 1 << 20, Index{1} << 50);
  settings.log_files = int(number_of(invocation, "--log-files", settings.log_files, 1, 10000));
  return settings;
}

/// Model of the command: that of a folder, or that of a run which is followed.
struct Opened {
  Opened(const Exec& exec, const Invocation& invocation) {
    const auto named = invocation.options.find("--rows");
    std::optional<scoring::ServedFormat> rows;
    if (named != invocation.options.end()) rows = scoring::row_format_named(named->second);
    const std::string vocabulary = invocation.has("--vocabulary") ? invocation.options.at("--vocabulary") : "";
    if (invocation.has("--follow")) {
      run = std::make_unique<scoring::RunFollower>(exec, invocation.deck, rows, vocabulary);
      return;
    }
    model = std::make_unique<scoring::ServedModel>(exec, invocation.deck, rows);
    if (!vocabulary.empty() || !scoring::is_model_folder(invocation.deck)) model->read_vocabularies(vocabulary);
  }
  const scoring::ServedModel& now() const { return run ? run->model().copy(0) : *model; }
  const scoring::TrainedFacts& facts() const { return run ? run->model().facts() : model->facts(); }
  std::unique_ptr<serve::Service> service(const serve::ServerSettings& settings) const {
    return run ? std::make_unique<serve::Service>(*run, settings) : std::make_unique<serve::Service>(*model, settings);
  }

  std::unique_ptr<scoring::ServedModel> model;
  std::unique_ptr<scoring::RunFollower> run;
};

/// Says whether requests may give raw values. A model of made samples has none.
void show_raw_values(const scoring::ServedModel& model) {
  if (model.raw() != nullptr)
    log_info(concat("raw values: requests may give the columns of [preprocess], ",
                    counted(std::ssize(model.raw()->columns()), "column")));
  else if (scoring::has_raw_data(model.facts()))
    log_warning(concat("requests must give ids and transformed numbers, not raw values: ", model.no_raw()));
}

constexpr auto look_time = std::chrono::milliseconds(200);  // between looks at a run's folder

}  // namespace

int serve_model(const Invocation& invocation, const comm::Communicator& comm) {
  require_one_rank(invocation, comm);
  const serve::ServerSettings settings = settings_of(invocation);
  serve::require_http_server();
  require_gpu();
  const Signals signals;
  const Signals::Orderly orderly;
  const Kokkos::ScopeGuard kokkos;
  const Timer timer;
  const Opened opened(Exec(), invocation);
  const auto service = opened.service(settings);
  show_raw_values(opened.now());
  const auto ready = [&, step = opened.facts().step, follower = ::gettid()](int port) {
    log_info(concat("model ", settings.name, " of ", invocation.deck, ", step ", step, ", opened in ",
                    seconds_text(timer.seconds()), "; listening on http://", settings.host, ":", port, "/v2/models/",
                    settings.name, ", ", counted(settings.threads, "thread"),
                    opened.run ? "; follows the run's deltas and checkpoints" : ""));
    if (invocation.json) print(comm, Json::object().set("model", settings.name).set("step", step).set("port", port));
    std::fflush(stdout);  // whoever started the server reads the port now
    // Threads that score have been started with the usual priority.
    if (opened.run) ::setpriority(PRIO_PROCESS, id_t(follower), follower_niceness);
  };
  // The run is followed by this thread, which started Kokkos. Neither a signal nor a request waits for a state that it
  // reads.
  std::future<void> serving = std::async(std::launch::async, [&] {
    serve::serve_http(*service, settings, Signals::event(), ready);
    log_info("stopped by " + signal_text(Signals::received()) + "; all requests that had begun were answered");
  });
  while (serving.wait_for(look_time) != std::future_status::ready)
    if (opened.run) opened.run->poll();
  serving.get();
  return 0;
}

}  // namespace tesserec::app
