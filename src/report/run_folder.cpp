// SPDX-License-Identifier: Apache-2.0
#include "run_folder.hpp"

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <limits>
#include <utility>

#include "svg.hpp"
#include <tesserec/core/file.hpp>

namespace tesserec::report {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

double member(const Json& line, const char* name) { return line.has(name) ? number_of(line.at(name)) : unknown; }

/// Returns the message with which a point of a sweep diverged, from point.json; empty if it did not diverge.
std::string diverged_message(const Record& point) {
  return point
      .read({"outcomes"},
            [](const Json& json) {
              std::string message;
              for (const Json& outcome : json.elements())
                if (const std::string& text = outcome.at("diverged").string(); !text.empty()) message = text;
              return message;
            })
      .value_or("");
}

std::vector<Start> starts_of(const Record& run) {
  return run
      .read({"starts"},
            [](const Json& json) {
              std::vector<Start> starts;
              for (const Json& start : json.elements())
                starts.push_back({start.at("start_time").string(), start.at("from_step").number(),
                                  start.has("deck") ? start.at("deck").string() : "", unknown});
              return starts;
            })
      .value_or(std::vector<Start>());
}

/// Step and time (seconds since 1970) of a line of metrics.jsonl.
struct Place {
  double step, time;
};

/// Sets the gap before each start but the first. Lines before a start have no later step than the start.
void measure_gaps(std::vector<Start>& starts, const std::vector<Place>& lines) {
  for (std::size_t i = 1; i < starts.size(); ++i) {
    const double begin = seconds_of(starts[i].time) + 1;  // run.json has whole seconds
    for (const Place& line : lines)
      if (line.step <= starts[i].from_step && line.time <= begin) starts[i].gap = std::max(0.0, begin - 1 - line.time);
  }
}

/// Returns the time of the first step, seconds since 1970: that of the first line minus the time of its samples.
double first_second(const Json& line) {
  const double rate = member(line, "samples_per_second");
  return member(line, "time") - (rate > 0 ? member(line, "samples") / rate : 0);
}

/// Returns step and time since the first step of each evaluation, in the order of time.
std::vector<Place> evaluations_of(const Run& run) {
  std::vector<Place> places;
  for (const auto* curves : {&run.evaluate, &run.windows})
    if (!curves->empty())
      for (std::size_t i = 0; i < curves->begin()->second.steps.size(); ++i)
        places.push_back({curves->begin()->second.steps[i], curves->begin()->second.seconds[i]});
  std::sort(places.begin(), places.end(),
            [](const Place& a, const Place& b) { return std::pair(a.step, a.time) < std::pair(b.step, b.time); });
  return places;
}

/// Adds one line to the curves of its kind. `start`: time of the first step, seconds since 1970.
void add_line(Run& run, const Json& line, double start) {
  const std::string kind = line.at("kind").string();
  const bool evaluation = kind == "evaluate", window = kind == "window";
  run.steps = line.at("step").number();
  run.samples = member(line, "samples");
  if (evaluation) run.evaluated = run.steps;
  auto& curves_of_samples = evaluation ? run.evaluate : run.train;
  auto& curves = window ? run.windows : curves_of_samples;
  for (const std::string& name : line.names()) {
    const char* const others[] = {"step", "kind", "samples", "time", "window", "window_samples", "begin", "end"};
    if (std::find(std::begin(others), std::end(others), name) != std::end(others)) continue;
    Curve& curve = curves[name];
    if (evaluation && curve.values.empty()) run.metrics.push_back(name);
    curve.steps.push_back(run.steps);
    curve.samples.push_back(member(line, "samples"));
    curve.seconds.push_back(member(line, "time") - start);
    curve.values.push_back(number_of(line.at(name)));
  }
}

/// Reads the lines of metrics.jsonl.
void read_metrics(Run& run, const std::string& path) {
  const std::string text = read_file(path);
  std::vector<Place> lines;
  std::size_t row = 0;
  for (std::size_t at = 0; at < text.size(); ++row) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    try {
      const Json json = parse_json(text.substr(at, end - at));
      if (row == 0) run.begin = first_second(json);
      add_line(run, json, run.begin);
      lines.push_back({run.steps, member(json, "time")});
    } catch (const Error& error) {
      if (end < text.size()) fail(path, ":", row + 1, ": ", error.what(), "; remove this line, or continue training");
      run.cut = true;
    }
    at = end + 1;
  }
  measure_gaps(run.starts, lines);
  if (run.train.empty() && run.evaluate.empty() && run.windows.empty() && !run.start.exists())
    fail(path, ": the file has no whole line; a run writes one every train.log_every steps and at its end");
}

/// Returns the samples of a run before a start, extrapolated from the start's first two lines; 0 for the first start.
double samples_before(const Curve& lines, std::size_t first, double from_step) {
  if (from_step <= 0 || first + 1 >= lines.steps.size()) return 0;
  const double per_step =
      (lines.samples[first + 1] - lines.samples[first]) / (lines.steps[first + 1] - lines.steps[first]);
  return lines.samples[first] - per_step * (lines.steps[first] - from_step);
}

/// Returns the start between two lines with the steps `previous_step` and `step`, or null if there is none.
const Start* start_between(const Run& run, double previous_step, double step) {
  const auto found = std::find_if(run.starts.begin(), run.starts.end(), [&](const Start& start) {
    return start.from_step > 0 && previous_step <= start.from_step && start.from_step < step;
  });
  return found == run.starts.end() ? nullptr : &*found;
}

}  // namespace

double seconds_of(const std::string& utc) {
  std::tm fields{};
  const char* const end = strptime(utc.c_str(), "%Y-%m-%dT%H:%M:%SZ", &fields);
  return end != nullptr && *end == '\0' ? double(timegm(&fields)) : unknown;
}

double Run::last(const std::string& metric) const {
  for (const auto* curves : {&evaluate, &train})
    if (const auto found = curves->find(metric); found != curves->end())
      for (auto value = found->second.values.rbegin(); value != found->second.values.rend(); ++value)
        if (std::isfinite(*value)) return *value;
  return unknown;
}

std::optional<BestValue> Run::best(const std::string& metric, bool more) const {
  std::optional<BestValue> best;
  const auto found = evaluate.find(metric);
  if (found == evaluate.end()) return best;
  const Curve& curve = found->second;
  for (std::size_t k = 0; k < curve.values.size(); ++k)
    if (std::isfinite(curve.values[k]) &&
        (!best || (more ? curve.values[k] > best->value : curve.values[k] < best->value)))
      best = BestValue{curve.values[k], curve.steps[k]};
  return best;
}

double Run::closing_loss() const {
  const double reported = result.number({"loss"});
  const auto lines = train.find("loss");
  const bool later = lines == train.end() || result.number({"samples"}) > lines->second.samples.back();
  return later && std::isfinite(reported) ? reported : last("loss");
}

Run read_run(const std::string& folder) {
  Run run;
  run.folder = folder;
  run.name = (std::filesystem::path(folder) / "").lexically_normal().parent_path().filename().string();
  if (run.name.empty() || run.name == "." || run.name == "..")
    run.name = std::filesystem::absolute(folder).lexically_normal().filename().string();
  const std::string path = folder + "/metrics.jsonl";
  if (!std::filesystem::exists(path))
    fail(folder, ": the folder has no metrics.jsonl; give the folder of a run (run.output of its deck), ",
         "or for a sweep run `tesserec sweep collect DECK` first");
  run.start = Record(folder + "/run.json");
  run.result = Record(folder + "/result.json");
  run.importance = Record(folder + "/importance.json");
  run.starts = starts_of(run.start);
  run.end = store::run_end(folder);
  if (const std::string message = diverged_message(Record(folder + "/point.json")); !message.empty()) {
    run.end.state = "diverged";
    run.end.detail = message;
  }
  if (run.end.stale) run.result = Record();
  read_metrics(run, path);
  if (const double steps = run.result.number({"steps"}); steps > run.steps) {
    run.steps = steps;
    run.samples = run.result.number({"samples"});
  }
  return run;
}

std::deque<std::string> log_tail(const std::string& path) {
  constexpr std::size_t max_lines = 12, max_letters = 500;
  constexpr std::streamoff max_bytes = 1 << 16;
  std::deque<std::string> lines;
  std::ifstream in(path, std::ios::ate);
  const std::streamoff size = in.tellg();
  if (size <= 0) return lines;
  in.seekg(std::max(std::streamoff{0}, size - max_bytes));
  for (std::string line; std::getline(in, line);) {
    lines.push_back(shortened(line, max_letters));
    if (lines.size() > max_lines) lines.pop_front();
  }
  return lines;
}

std::string last_message(const std::string& path) {
  const std::string head = "tesserec: ";
  std::string message;
  for (const std::string& line : log_tail(path))
    if (line.starts_with(head)) message = line.substr(head.size());
  return message;
}

Curve speed_between_lines(const Run& run) {
  const auto found = run.train.find("samples_per_second");
  if (found == run.train.end()) return {};
  const Curve& lines = found->second;
  const std::vector<Place> evaluations = evaluations_of(run);
  Curve speed = lines;
  double before = 0;  // samples of earlier starts
  for (std::size_t i = 1, e = 0; i < lines.values.size(); ++i) {
    if (const Start* const start = start_between(run, lines.steps[i - 1], lines.steps[i])) {
      before = samples_before(lines, i, start->from_step);
      continue;
    }
    double seconds = lines.seconds[i] - lines.seconds[i - 1];
    for (; e < evaluations.size() && evaluations[e].step < lines.steps[i]; ++e) {
      if (evaluations[e].step == lines.steps[i - 1]) seconds = lines.seconds[i] - evaluations[e].time;
      if (evaluations[e].step > lines.steps[i - 1])
        seconds = (lines.samples[i] - before) / lines.values[i] - (lines.samples[i - 1] - before) / lines.values[i - 1];
    }
    speed.values[i] = seconds > 0 ? (lines.samples[i] - lines.samples[i - 1]) / seconds : NAN;
  }
  return speed;
}

}  // namespace tesserec::report
