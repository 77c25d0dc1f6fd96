// SPDX-License-Identifier: Apache-2.0
#include "score_log.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <span>

#include <fcntl.h>
#include <unistd.h>

#include <tesserec/core/log.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/store/disk.hpp>

namespace tesserec::serve {
namespace {

namespace fs = std::filesystem;

/// Appends a number as JSON. 9 digits of a float read back to its bits, also by way of a double.
void append_number(float value, std::string& to) {
  std::array<char, 32> text;
  const auto end = std::to_chars(text.begin(), text.end(), value, std::chars_format::general, 9).ptr;
  to.append(text.begin(), end);
}
void append_number(Index value, std::string& to) {
  std::array<char, 32> text;
  to.append(text.begin(), std::to_chars(text.begin(), text.end(), value).ptr);
}

/// Appends `, "NAME": [numbers]`.
template <class T>
void append_list(const char* name, const std::vector<T>& numbers, std::string& to) {
  to += concat(", \"", name, "\": [");
  for (const T& number : numbers) {
    if (&number != numbers.data()) to += ',';
    append_number(number, to);
  }
  to += ']';
}

std::vector<std::string> texts_of(const Json& list) {
  std::vector<std::string> texts;
  for (const Json& element : list.elements()) texts.push_back(element.string());
  return texts;
}

std::vector<float> floats_of(const Json& list) {
  std::vector<float> numbers;
  for (const Json& element : list.elements()) numbers.push_back(float(element.number()));
  return numbers;
}

std::vector<Index> integers_of(const Json& list) {
  std::vector<Index> numbers;
  for (const Json& element : list.elements()) numbers.push_back(element.integer());
  return numbers;
}

/// Returns a flag, which a line lacks if it is false.
bool is_flagged(const Json& line, const char* name) { return line.has(name) && line.at(name).boolean(); }

std::string head_text(const ScoreLogHead& head) {
  const bool several = !head.labels.empty();
  Json json = Json::object()
                  .set("format", score_log_format)
                  .set("version", several ? score_log_version : score_log_version - 1)
                  .set("features", head.features)
                  .set("dense_features", head.dense_features)
                  .set("rows", head.formats)
                  .set("mlp", head.mlp);
  if (several) json.set("labels", head.labels);
  return json.text();
}

std::string score_line(const scoring::TrainedFacts& facts, const InferRequest& request,
                       const std::vector<float>& scores) {
  const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
  std::string line = Json::object()
                         .set("time", now.count())
                         .set("step", facts.step)
                         .set("digest", facts.seal)
                         .set("id", request.id)
                         .set("samples", request.samples)
                         .text();
  line.pop_back();  // the brace
  if (request.shared_dense) line += ", \"shared_dense\": true";
  append_list("dense", request.dense, line);
  line += ", \"sparse\": [";
  for (const scoring::SampleBags& bags : request.sparse) {
    line += &bags == request.sparse.data() ? "{\"feature\": " : ", {\"feature\": ";
    append_number(Index(&bags - request.sparse.data()), line);
    if (bags.shared) line += ", \"shared\": true";
    append_list("offsets", bags.offsets, line);
    append_list("ids", bags.ids, line);
    if (!bags.weights.empty()) append_list("weights", bags.weights, line);
    line += '}';
  }
  line += ']';
  append_list("scores", scores, line);
  return line + "}\n";
}

/// Locks the log for this server. Waits as long as a server that ends may take for its last replies.
store::FileLock lock_log(const ServerSettings& settings) {
  store::make_output_folder_of(settings.log, "--log");
  const std::string path = settings.log + ".lock";
  try {
    return store::FileLock(path, settings.timeout);
  } catch (const Error&) {
    const store::LockStatus status = store::probe_lock(path);
    if (status.state != store::LockStatus::State::held) throw;
    fail(settings.log, " is written by ", status.owner, "; name another file with --log, or start when it has ended");
  }
}

}  // namespace

ScoreLogHead score_log_head(const scoring::ServedModel& model) {
  ScoreLogHead head{.features = model.features(),
                    .dense_features = model.facts().dense_features,
                    .formats = {},
                    .mlp = products::name(model.network().settings().precision),
                    .labels = {}};
  if (model.label_count() > 1) head.labels = model.labels();
  for (const scoring::ServedTable& table : model.tables()) head.formats.push_back(name(table.format));
  return head;
}

ScoreLogHead parse_score_log_head(const std::string& line) {
  const Json json = [&] {
    try {
      return parse_json(line);
    } catch (const Error&) {
      return Json();
    }
  }();
  if (!json.has("format") || json.at("format").string() != score_log_format)
    fail("its first line is not that of a log of scores");
  if (const std::int64_t version = json.at("version").integer(); version > score_log_version)
    fail("it has format version ", version, ", but this program reads up to ", score_log_version,
         "; use the program that wrote it");
  constexpr Index most_columns = std::numeric_limits<std::int32_t>::max();  // so that no number of values overflows
  if (const Index columns = json.at("dense_features").integer(); columns < 0 || columns > most_columns)
    fail("dense_features is ", columns);
  return {.features = texts_of(json.at("features")),
          .dense_features = json.at("dense_features").integer(),
          .formats = texts_of(json.at("rows")),
          .mlp = json.at("mlp").string(),
          .labels = json.has("labels") ? texts_of(json.at("labels")) : std::vector<std::string>()};
}

LoggedScores parse_score_line(const ScoreLogHead& head, const std::string& line) {
  const Json json = parse_json(line);
  LoggedScores logged{.step = json.at("step").integer(),
                      .digest = json.at("digest").string(),
                      .request = {},
                      .scores = floats_of(json.at("scores"))};
  InferRequest& request = logged.request;
  request.id = json.at("id").string();
  request.samples = json.at("samples").integer();
  const Index scores = std::ssize(logged.scores), labels = std::max<Index>(1, std::ssize(head.labels));
  if (logged.step < 0) fail("step is ", logged.step);
  if (request.samples < 0 || request.samples > scores || request.samples * labels != scores)
    fail("samples is ", request.samples, ", but the line has ", counted(scores, "score"));
  request.shared_dense = is_flagged(json, "shared_dense");
  request.dense = floats_of(json.at("dense"));
  for (const Json& bags : json.at("sparse").elements()) {
    scoring::SampleBags& read = request.sparse.emplace_back();
    read.offsets = integers_of(bags.at("offsets"));
    read.ids = integers_of(bags.at("ids"));
    if (bags.has("weights")) read.weights = floats_of(bags.at("weights"));
    read.shared = is_flagged(bags, "shared");
    const bool fits = std::ssize(read.offsets) == (read.shared ? 1 : request.samples) + 1 &&
                      read.offsets.back() == std::ssize(read.ids) &&
                      (read.weights.empty() || read.weights.size() == read.ids.size());
    if (!fits) fail("the offsets of feature ", request.sparse.size() - 1, " do not fit its ids");
  }
  if (request.sparse.size() != head.features.size() ||
      std::ssize(request.dense) != (request.shared_dense ? 1 : request.samples) * head.dense_features)
    fail("its numbers do not fit its samples");
  return logged;
}

ScoreLog::ScoreLog(const ServerSettings& settings, const scoring::ServedModel& model)
    : settings_(settings), lock_(lock_log(settings)), head_(head_text(score_log_head(model)) + "\n") {
  const std::string& path = settings_.log;
  std::error_code absent;
  const auto bytes = fs::file_size(path, absent);
  if (absent || bytes == 0) {
    open();
    return;
  }
  std::ifstream file(path, std::ios::binary);
  std::string first;
  std::getline(file, first);
  try {
    parse_score_log_head(first);
  } catch (const Error& error) {
    fail(path, ": ", error.what(), "; name another file with --log, or move this one away");
  }
  file.seekg(-1, std::ios::end);
  if (file.get() != '\n')
    put_aside("its last line has no end");
  else if (first + "\n" != head_)
    put_aside("it is of a model with other inputs, rows or precision");
  open();
}

void ScoreLog::put_aside(const std::string& reason) {
  const int last = settings_.log_files - 1;
  const std::string& path = settings_.log;
  if (fs::exists(numbered(last)) && (last == 0 || fs::exists(numbered(last - 1))))
    fail(path, " cannot be continued, since ", reason, ", and a new file would delete ", numbered(last),
         "; move that file away, or raise --log-files");
  rotate();
  log_info(concat(path, " became ", numbered(1), ", since ", reason));
}

std::string ScoreLog::numbered(int n) const { return n == 0 ? settings_.log : settings_.log + "." + std::to_string(n); }

void ScoreLog::open() {
  file_.emplace(settings_.log, O_WRONLY | O_CREAT | O_APPEND, "write the log of scores");
  bytes_ = Index(fs::file_size(settings_.log));
  if (bytes_ == 0) write(head_);
}

void ScoreLog::rotate() {
  file_.reset();
  for (int n = settings_.log_files - 1; n > 0; --n)
    if (std::error_code absent; fs::exists(numbered(n - 1), absent)) fs::rename(numbered(n - 1), numbered(n));
  if (settings_.log_files == 1) fs::remove(settings_.log);
}

void ScoreLog::write(const std::string& line) {
  const auto written = ::write(*file_, line.data(), line.size());
  if (written == std::ssize(line)) {
    bytes_ += written;
    return;
  }
  const std::string reason = written < 0 ? std::strerror(errno) : "the disk is full";
  if (written > 0 && ::ftruncate(*file_, bytes_) != 0) rotate();  // a part of a line would spoil the next one
  fail(settings_.log, ": cannot write: ", reason);
}

void ScoreLog::add(const scoring::TrainedFacts& facts, const InferRequest& request, const std::vector<float>& scores) {
  const std::string line = score_line(facts, request, scores);
  const std::lock_guard lock(mutex_);
  try {
    if (file_ && bytes_ + std::ssize(line) > settings_.log_bytes && bytes_ > std::ssize(head_)) rotate();
    if (!file_)
      open();
    else if (bytes_ == 0)
      write(head_);  // which a full disk did not take
    write(line);
  } catch (const std::exception& error) {
    if (lost_++ == 0) log_warning(concat(error.what(), "; scores go on without their log, and are counted"));
  }
}

Index ScoreLog::lost() const {
  const std::lock_guard lock(mutex_);
  return lost_;
}

}  // namespace tesserec::serve
