// SPDX-License-Identifier: Apache-2.0
#include "run_folder.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>

#include <tesserec/core/error.hpp>

namespace tesserec::report {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

double number_of(const Json& json) {
  return json.kind() == Json::Kind::integer || json.kind() == Json::Kind::number ? json.number() : none;
}

double member(const Json& line, const char* name) { return line.has(name) ? number_of(line.at(name)) : none; }

std::optional<Json> read_json(const std::string& path) {
  if (!std::filesystem::exists(path)) return std::nullopt;
  try {
    Json json = parse_json(read_text(path));
    json.names();
    return json;
  } catch (const Error& error) {
    fail(path, ": ", error.what(), "; it is not the program's: move it away");
  }
}

/// Seconds since 1970 of the first step: that of the first line, less what its samples took.
double first_second(const Json& line) {
  const double rate = member(line, "samples_per_second");
  return member(line, "time") - (rate > 0 ? member(line, "samples") / rate : 0);
}

/// One line into the curves of its kind.
void take(Run& run, const Json& line, double start) {
  const bool evaluation = line.at("kind").string() == "evaluate";
  run.steps = line.at("step").number();
  for (const std::string& name : line.names()) {
    if (name == "step" || name == "kind" || name == "samples" || name == "time") continue;
    Curve& curve = (evaluation ? run.evaluate : run.train)[name];
    if (evaluation && curve.values.empty()) run.metrics.push_back(name);
    curve.samples.push_back(member(line, "samples"));
    curve.seconds.push_back(member(line, "time") - start);
    curve.values.push_back(number_of(line.at(name)));
  }
}

}  // namespace

double Run::last(const std::string& metric) const {
  for (const auto* curves : {&evaluate, &train})
    if (const auto found = curves->find(metric); found != curves->end())
      for (auto value = found->second.values.rbegin(); value != found->second.values.rend(); ++value)
        if (std::isfinite(*value)) return *value;
  return none;
}

std::string Run::end() const {
  if (!result) return "running or crashed";
  const double signal = number_in(result, {"signal"});
  return signal > 0 ? concat("signal ", signal) : "finished";
}

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(path, ": cannot read this file");
  return {std::istreambuf_iterator<char>(file), {}};
}

Run read_run(const std::string& folder) {
  Run run;
  run.folder = folder;
  run.name = (std::filesystem::path(folder) / "").lexically_normal().parent_path().filename().string();
  if (run.name.empty() || run.name == "." || run.name == "..")
    run.name = std::filesystem::absolute(folder).lexically_normal().filename().string();
  const std::string path = folder + "/metrics.jsonl";
  if (!std::filesystem::exists(path))
    fail(folder, ": no metrics.jsonl there; give the folder of a run (run.output of its deck), or of a sweep");
  run.start = read_json(folder + "/run.json");
  run.result = read_json(folder + "/result.json");
  const std::string text = read_text(path);
  double start = none;
  std::size_t row = 0;
  for (std::size_t at = 0; at < text.size(); ++row) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    try {
      const Json json = parse_json(text.substr(at, end - at));
      if (row == 0) start = first_second(json);
      take(run, json, start);
    } catch (const Error& error) {
      if (end < text.size()) fail(path, ":", row + 1, ": ", error.what(), "; remove this line, or train on");
      run.cut = true;
    }
    at = end + 1;
  }
  if (run.train.empty() && run.evaluate.empty())
    fail(path, ": not one line; a run writes one after train.log_every steps and at its end");
  return run;
}

const Json* member_of(const std::optional<Json>& json, std::initializer_list<const char*> path) {
  const Json* at = json ? &*json : nullptr;
  for (const char* const name : path) at = at != nullptr && at->has(name) ? &at->at(name) : nullptr;
  return at;
}

double number_in(const std::optional<Json>& json, std::initializer_list<const char*> path) {
  const Json* const found = member_of(json, path);
  return found == nullptr ? none : number_of(*found);
}

std::string text_in(const std::optional<Json>& json, std::initializer_list<const char*> path) {
  const Json* const found = member_of(json, path);
  return found == nullptr || found->kind() != Json::Kind::string ? "" : found->string();
}

std::vector<double> numbers(const Json& array) {
  std::vector<double> values;
  for (const Json& element : array.elements()) values.push_back(number_of(element));
  return values;
}

}  // namespace tesserec::report
