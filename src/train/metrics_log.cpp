// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <fstream>

#include <fcntl.h>

#include <tesserec/core/error.hpp>
#include <tesserec/core/json.hpp>
#include <tesserec/train/metrics_log.hpp>

namespace tesserec::train {
namespace {

/// Returns whether a run that continues after `step` keeps this line. A line that a kill cut off is no JSON and is
/// dropped.
bool is_kept(const std::string& line, Index step, Index last) {
  try {
    const Json json = parse_json(line);
    const Index at = json.at("step").integer();
    const std::string kind = json.at("kind").string();
    return at <= step && !(at == last && kind == "evaluate") && !(at == step && kind == "window");
  } catch (const Error&) {
    return false;
  }
}

/// Reads the lines of steps up to `step`, without the evaluation of step `last`.
std::string lines_until(const std::string& path, Index step, Index last) {
  std::ifstream in(path);
  std::string lines;
  for (std::string line; std::getline(in, line);)
    if (is_kept(line, step, last)) lines += line + "\n";
  return lines;
}

/// Returns the seconds since 1970, UTC.
double unix_time() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

Json line_json(Index step, const std::string& kind) { return Json::object().set("step", step).set("kind", kind); }

/// Returns the text with which every line of this step and kind begins.
std::string beginning(Index step, const std::string& kind) {
  const std::string text = line_json(step, kind).text();
  return text.substr(0, text.size() - 1) + ",";
}

}  // namespace

MetricsLog::MetricsLog(const std::string& folder, Index step, Index last) : path_(folder + "/metrics.jsonl") {
  store::make_folder_durably(folder);
  const std::string lines = lines_until(path_, step, last);
  evaluated_ = lines.find(beginning(step, "evaluate")) != std::string::npos;
  store::replace_proven(path_, lines);
  file_.emplace(path_, O_WRONLY | O_APPEND, "write to it");
}

WindowMeans MetricsLog::window_means(Index begun, const std::vector<std::string>& metrics) const {
  WindowMeans means;
  std::vector<double> weights(metrics.size());
  means.defined.assign(metrics.size(), 0);
  for (const std::string& metric : metrics) means.metrics.emplace_back(metric, 0.0);
  std::ifstream in(path_);
  for (std::string line; std::getline(in, line);) {
    const Json json = parse_json(line);
    if (json.at("kind").string() != "window" || json.at("step").integer() < begun) continue;
    const double samples = json.at("window_samples").number();
    ++means.windows;
    means.samples += Index(samples);
    for (std::size_t m = 0; m < metrics.size(); ++m) {
      if (!json.has(metrics[m]) || json.at(metrics[m]).kind() == Json::Kind::null) continue;
      means.metrics[m].second += samples * json.at(metrics[m]).number();
      weights[m] += samples;
      ++means.defined[m];
    }
  }
  for (std::size_t m = 0; m < metrics.size(); ++m) means.metrics[m].second /= weights[m];
  return means;
}

void MetricsLog::sync() const { store::sync_path(path_); }

void MetricsLog::close() {
  sync();
  file_->close();
}

void MetricsLog::write(Index step, const std::string& kind, const std::vector<std::pair<std::string, double>>& values) {
  Json json = line_json(step, kind);
  for (const auto& [name, value] : values) json.set(name, value);
  json.set("time", unix_time());
  const std::string line = json.text() + "\n";
  store::write_all(*file_, path_, std::as_bytes(std::span(line.data(), line.size())));
}

}  // namespace tesserec::train
