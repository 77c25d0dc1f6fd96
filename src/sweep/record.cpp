// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <filesystem>
#include <sstream>

#include <tesserec/core/error.hpp>
#include <tesserec/core/file.hpp>
#include <tesserec/core/json.hpp>
#include <tesserec/store/checksum.hpp>
#include <tesserec/store/disk.hpp>
#include <tesserec/sweep/metric.hpp>
#include <tesserec/sweep/record.hpp>

namespace tesserec::sweep {
namespace {

template <class Read>
auto read_json(const std::string& path, const std::string& advice, const Read& read) {
  const std::string text = read_file(path);
  try {
    return read(parse_json(text));
  } catch (const Error& error) {
    fail(path, ": ", error.what(), "; ", advice);
  }
}

double number_or_nan(const Json& value) { return value.kind() == Json::Kind::null ? std::nan("") : value.number(); }

Json to_json(const Outcome& outcome) {
  Json metrics = Json::object();
  for (const auto& [name, value] : outcome.metrics) metrics.set(name, value);
  Json json = Json::object();
  json.set("steps", outcome.steps).set("samples", outcome.samples).set("weights_digest", outcome.weights_digest);
  return json.set("diverged", outcome.diverged).set("metrics", metrics);
}

Outcome outcome_of(const Json& json) {
  Outcome outcome{json.at("steps").integer(),
                  json.at("samples").integer(),
                  json.at("weights_digest").string(),
                  json.at("diverged").string(),
                  {}};
  const Json& metrics = json.at("metrics");
  for (const std::string& name : metrics.names()) outcome.metrics[name] = number_or_nan(metrics.at(name));
  return outcome;
}

/// Returns the mean loss in the line of metrics.jsonl at `step`; nothing without such a line.
std::optional<double> training_loss(const std::string& path, Index step) {
  std::optional<double> loss;
  std::istringstream lines(read_file(path));
  for (std::string line; std::getline(lines, line);) {
    const Json json = parse_json(line);
    if (json.at("kind").string() == "train" && json.at("step").integer() == step) loss = number_or_nan(json.at("loss"));
  }
  return loss;
}

}  // namespace

std::string deck_digest(const std::string& deck) {
  return store::checksum_text(store::bytes_checksum("deck", deck.data(), std::ssize(deck)));
}

std::optional<Record> read_record(const std::string& folder, const std::string& digest) {
  const std::string path = folder + "/point.json";
  if (!std::filesystem::exists(path)) return std::nullopt;
  Record record = read_json(path, "remove it, and the point is trained again", [](const Json& json) {
    Record read{json.at("index").integer(), json.at("deck_digest").string(), {}, {}};
    if (json.has("data_digest")) read.data_digest = json.at("data_digest").string();
    for (const Json& text : json.at("overrides").elements()) read.overrides.push_back(text.string());
    for (const Json& outcome : json.at("outcomes").elements()) read.outcomes.push_back(outcome_of(outcome));
    return read;
  });
  if (record.digest != digest)
    fail(path, ": the folder belongs to another deck (digest ", record.digest, ", but the point of this sweep has ",
         digest, "); move it away, or give the sweep another run.output");
  return record;
}

void write_record(const std::string& folder, const Record& record) {
  store::make_folder_durably(folder);
  Json outcomes = Json::array(Json::Layout::lines);
  for (const Outcome& outcome : record.outcomes) outcomes.add(to_json(outcome));
  Json json = Json::object(Json::Layout::lines);
  json.set("index", record.index)
      .set("deck_digest", record.digest)
      .set("data_digest", record.data_digest)
      .set("overrides", record.overrides);
  const std::string path = folder + "/point.json";
  store::replace_proven(path, json.set("outcomes", outcomes).text() + "\n");
}

Outcome outcome_of_run(const std::string& folder, const std::string& metric) {
  const std::string advice = "remove the folder and train the point again";
  Outcome outcome = read_json(folder + "/result.json", advice, [](const Json& json) {
    Outcome read{json.at("steps").integer(), json.at("samples").integer(), json.at("weights_digest").string(), "", {}};
    const bool made_steps = json.at("step_seconds").kind() != Json::Kind::null;  // else its costs are not of training
    for (const char* name : {"samples_per_second", "step_seconds", "peak_memory_bytes"})
      read.metrics[name] = made_steps ? number_or_nan(json.at(name)) : std::nan("");
    for (const char* block : {"windows", "evaluation"})  // an evaluation replaces the mean of the windows
      if (json.has(block))
        for (const std::string& name : json.at(block).names())
          if (const Json& value = json.at(block).at(name);
              name != "step" && name != "count" && name != "samples" && value.kind() != Json::Kind::object)
            read.metrics[name] = number_or_nan(value);
    if (json.has("loss") && json.at("loss").kind() != Json::Kind::null)  // fallback if the run ended between two lines
      read.metrics["loss"] = json.at("loss").number();
    return read;
  });
  const std::string path = folder + "/metrics.jsonl";
  std::optional<double> loss;
  try {
    loss = training_loss(path, outcome.steps);
  } catch (const Error& error) {
    fail(path, ": ", error.what(), "; ", advice);
  }
  if (loss) outcome.metrics["loss"] = *loss;
  const double value = value_of(outcome, metric, folder);
  if (std::isnan(value) && std::isnan(outcome.metrics.at("step_seconds")) && is_of_machine(metric))
    fail(folder, ": the last start made no step, so ", metric, " is unknown; ", advice);
  if (!std::isfinite(value))
    fail(
        folder, ": ", metric, " is undefined at step ", outcome.steps,
        " (always so if the evaluation data, or each of its groups, has only one class), so points cannot be compared; "
        "choose other data.evaluate or another sweep.metric");
  return outcome;
}

double value_of(const Outcome& outcome, const std::string& metric, const std::string& folder) {
  if (!outcome.diverged.empty()) return std::nan("");
  const auto found = outcome.metrics.find(metric);
  if (found == outcome.metrics.end())
    fail(folder, ": the run to step ", outcome.steps, " has no ", metric,
         is_of_evaluation(metric) ? " in result.json" : "",
         "; remove the folder and train the point again, or choose another sweep.metric");
  return found->second;
}

}  // namespace tesserec::sweep
