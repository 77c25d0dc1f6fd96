// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>

#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "short_turns.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/file.hpp>
#include <tesserec/core/json.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/signals.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/core/timer.hpp>
#include <tesserec/scoring/open_folder.hpp>
#include <tesserec/scoring/raw_inputs.hpp>
#include <tesserec/scoring/run_follower.hpp>
#include <tesserec/serve/http_server.hpp>
#include <tesserec/serve/program.hpp>
#include <tesserec/store/checkpoint_list.hpp>

namespace tesserec::serve {
namespace {

constexpr int background_niceness = 10;  // leaves a busy machine to the threads that score: a tenth of their share

/// Returns the value of an option in [least, most], or `preset` without the option.
Index number_of(const ServerStart& start, const std::string& option, Index preset, Index least, Index most) {
  if (!start.has(option)) return preset;
  const std::string& text = start.options.at(option);
  const std::optional<Index> value = parse_number<Index>(text);
  if (!value || *value < least || *value > most)
    fail(option, " must be an integer, ", least, " to ", most, ", but is \"", text, "\"");
  return *value;
}

/// Returns the first line of the file of --token-file, which other users of the machine must not read.
std::string token_of(const ServerStart& start) {
  if (!start.has("--token-file")) return "";
  const std::string& path = start.options.at("--token-file");
  const std::string text = read_file(path, "the token");
  std::string token = text.substr(0, text.find_first_of("\r\n"));
  token.erase(token.find_last_not_of(" \t") + 1);  // as HTTP does at the end of a header
  token.erase(0, token.find_first_not_of(" \t"));
  if (token.empty()) fail(path, ": the first line is empty; write the token there");
  using std::filesystem::perms;
  if ((std::filesystem::status(path).permissions() & (perms::group_read | perms::others_read)) != perms::none)
    log_warning(path + " can be read by other users of this machine; chmod 600 keeps the token secret");
  return token;
}

ServerSettings settings_of(const ServerStart& start) {
  ServerSettings settings;
  const auto text = [&](const char* option, std::string& to) {
    if (start.has(option)) to = start.options.at(option);
  };
  text("--name", settings.name);
  text("--host", settings.host);
  text("--log", settings.log);
  const auto is_plain = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-' || c == '.'; };
  if (settings.name.empty() || !std::ranges::all_of(settings.name, is_plain))
    fail("--name is \"", settings.name, "\"; use letters, digits, and _ - . for the name in addresses");
  settings.port = int(number_of(start, "--port", settings.port, 0, 65535));
  settings.threads = int(number_of(start, "--threads", settings.threads, 1, 1024));
  settings.in_flight = int(number_of(start, "--in-flight", settings.in_flight, 1, 4096));
  settings.max_body = number_of(start, "--max-body", settings.max_body, 1, Index{1} << 31);
  settings.timeout = int(number_of(start, "--timeout", settings.timeout, 1, 3600));
  settings.token = token_of(start);
  for (const char* option : {"--log-bytes", "--log-files"})
    if (start.has(option) && !start.has("--log")) fail(option, " is for --log FILE; add it, or leave ", option, " out");
  settings.log_bytes = number_of(start, "--log-bytes", settings.log_bytes, 1 << 20, Index{1} << 50);
  settings.log_files = int(number_of(start, "--log-files", settings.log_files, 1, 10000));
  return settings;
}

/// File that tells serve_http() to stop.
class StopFile {
 public:
  StopFile() : file_(::eventfd(0, EFD_CLOEXEC)) {
    if (file_ < 0) fail("cannot create an eventfd: ", std::strerror(errno));
  }
  ~StopFile() { ::close(file_); }
  StopFile(const StopFile&) = delete;
  StopFile& operator=(const StopFile&) = delete;
  int file() const { return file_; }
  void raise() const { ::eventfd_write(file_, 1); }

 private:
  int file_;
};

/// Model of the command: that of a folder, or that of a run which is followed.
struct Opened {
  Opened(const Exec& exec, const ServerStart& start) {
    const auto named = start.options.find("--rows");
    std::optional<scoring::ServedFormat> rows;
    if (named != start.options.end()) rows = scoring::row_format_named(named->second);
    const std::string vocabulary = start.has("--vocabulary") ? start.options.at("--vocabulary") : "";
    if (start.has("--follow")) {
      run = std::make_unique<scoring::RunFollower>(exec, start.folder, rows, vocabulary);
      return;
    }
    if (!std::filesystem::exists(start.folder + "/manifest.json") && store::is_run(start.folder))
      fail(start.folder, " is a run's folder; add --follow, or name one of the checkpoints in ",
           store::checkpoints_of(start.folder));
    if (scoring::is_model_folder(start.folder)) folder.emplace(start.folder);
    model = std::make_unique<scoring::ServedModel>(exec, start.folder, rows);
    if (!vocabulary.empty() || !folder) model->read_vocabularies(vocabulary);
  }
  const scoring::ServedModel& now() const { return run ? run->model().copy(0) : *model; }
  const scoring::TrainedFacts& facts() const { return run ? run->model().facts() : model->facts(); }
  std::unique_ptr<Service> service(const ServerSettings& settings) const {
    return run ? std::make_unique<Service>(*run, settings) : std::make_unique<Service>(*model, settings);
  }

  std::optional<scoring::OpenFolder> folder;  // of a model folder, whose rows are mapped
  std::unique_ptr<scoring::ServedModel> model;
  std::unique_ptr<scoring::RunFollower> run;
};

/// Compares the rows of a model folder with their checksums, on a thread that leaves a busy machine to the others. Ends
/// early once ends() returns true.
std::shared_future<void> verify(const scoring::OpenFolder& folder, Service& service,
                                const std::function<bool()>& ends) {
  return std::async(std::launch::async, [&folder, &service, ends] {
    ::setpriority(PRIO_PROCESS, id_t(::gettid()), background_niceness);
    const ShortTurns turns;
    const Timer timer;
    if (!folder.verify_rows(ends)) return;
    service.set_verified();
    log_info("the rows have their checksums, compared in " + seconds_text(timer.seconds()));
  });
}

/// Says whether requests may give raw values. A model of made samples has none.
void show_raw_values(const scoring::ServedModel& model) {
  if (model.raw() != nullptr)
    log_info(concat("raw values: requests may give the columns of [preprocess], ",
                    counted(std::ssize(model.raw()->columns()), "column")));
  else if (scoring::has_raw_data(model.facts()))
    log_warning(concat("requests must give ids and transformed numbers, not raw values: ", model.no_raw()));
}

constexpr auto look_time = std::chrono::milliseconds(200);  // between looks at the folder

/// Follows a run, or watches a model folder, until `serving` ends. Throws Error if the model folder is damaged.
void attend(Opened& opened, Service& service, const std::future<void>& serving) {
  std::atomic<bool> over{false};
  std::shared_future<void> verifying;
  const struct End {  // destroyed before the future, which waits
    ~End() { over = true; }
    std::atomic<bool>& over;
  } end{over};
  if (!opened.folder) service.set_verified();  // when it was opened
  while (serving.wait_for(look_time) != std::future_status::ready) {
    if (opened.run) {
      const ShortTurns turns;
      opened.run->poll();
    }
    if (!opened.folder) continue;
    opened.folder->look();
    if (!verifying.valid())
      verifying = verify(*opened.folder, service, [&over] { return over || Signals::received() != 0; });
    else if (verifying.wait_for(std::chrono::seconds(0)) == std::future_status::ready)
      verifying.get();
  }
}

}  // namespace

std::vector<Option> options() {
  return {
      {"--follow", "", "FOLDER is a run's: serve its newest state, and each delta and checkpoint that it writes"},
      {"--rows",
       "FORMAT",
       "format of a checkpoint's rows in memory: fp32, fp16, bf16, int8, int4 or int2; default: that of training",
       {"fp32", "fp16", "bf16", "int8", "int4", "int2"}},
      {"--vocabulary", "FILE", "data set of the training, whose vocabulary raw values need; default: as for export"},
      {"--name", "NAME", "name of the model in addresses; default: model"},
      {"--host", "ADDRESS", "address to listen on; default: 127.0.0.1, for this machine alone"},
      {"--port", "N", "port to listen on, 0 for any free one; default: 8080"},
      {"--threads", "N", "requests that are scored at once; default: 1"},
      {"--in-flight", "N", "requests at once, those that wait included; more are refused with 503; default: 64"},
      {"--max-body", "BYTES", "largest body of a request, decompressed; default: 4194304"},
      {"--timeout", "SECONDS", "time to read headers, to read a body, or to write a reply; default: 10"},
      {"--token-file", "FILE", "file whose first line is the token that requests must bear", {}, true},
      {"--log", "FILE", "file to which all requests with their scores and states are appended, for replay"},
      {"--log-bytes", "BYTES", "size at which that file becomes FILE.1; default: 1073741824"},
      {"--log-files", "N", "such files that are kept, the newest included; default: 8"}};
}

int run(const Exec& exec, const ServerStart& start) {
  const ServerSettings settings = settings_of(start);
  require_http_server();
  const Signals signals;
  const Signals::Orderly orderly;
  const Timer timer;
  Opened opened(exec, start);
  const auto service = opened.service(settings);
  show_raw_values(opened.now());
  const auto ready = [&, step = opened.facts().step, follower = ::gettid()](int port) {
    log_info(concat("model ", settings.name, " of ", start.folder, ", step ", step, ", opened in ",
                    seconds_text(timer.seconds()), "; listening on http://", address_text(settings.host, port),
                    "/v2/models/", settings.name, ", ", counted(settings.threads, "thread"),
                    opened.run ? "; follows the run's deltas and checkpoints" : ""));
    if (start.json) {
      const Json json = Json::object().set("model", settings.name).set("step", step).set("port", port);
      std::puts(json.text().c_str());
    }
    std::fflush(stdout);  // whoever started the server reads the port now
    // Threads that score have been started with the usual priority.
    if (opened.run) ::setpriority(PRIO_PROCESS, id_t(follower), background_niceness);
  };
  // The run is followed by this thread, which started Kokkos. Neither a signal nor a request waits for a state that it
  // reads.
  const StopFile stop;
  std::future<void> serving = std::async(std::launch::async, [&] {
    serve_http(*service, settings, {Signals::event(), stop.file()}, ready);
    if (const int signal = Signals::received(); signal != 0)
      log_info("stopped by " + signal_text(signal) + "; all requests whose heads had come were answered");
  });
  try {
    attend(opened, *service, serving);
  } catch (...) {
    stop.raise();
    serving.wait();
    throw;
  }
  serving.get();
  return 0;
}

}  // namespace tesserec::serve
