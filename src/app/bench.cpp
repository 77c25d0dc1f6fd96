// SPDX-License-Identifier: Apache-2.0
// Command `tesserec bench`: measures the machine's limits, the program's rates and the planner's constants.
#include <filesystem>

#include "job.hpp"
#include <tesserec/bench/bench.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/gpu.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/products/instruction_set.hpp>
#include <tesserec/store/disk.hpp>

namespace tesserec::app {
namespace {

std::set<std::string> groups_of(const Invocation& invocation, bool with_deck) {
  const auto found = invocation.options.find("--only");
  if (found == invocation.options.end())
    return with_deck ? std::set<std::string>{"limits", "costs", "parts", "step"}
                     : std::set<std::string>{"limits", "costs"};
  std::set<std::string> groups;
  std::string word;
  for (const char c : found->second + ",") {
    if (c != ',') {
      word += c;
      continue;
    }
    if (bench::groups.count(word) == 0)
      fail("--only: \"", word, "\" is not a group; give some of limits, costs, parts, step, kernels");
    groups.insert(word);
    word.clear();
  }
  if (!with_deck && bench::needs_model(groups))
    fail("--only \"", found->second, "\": parts, step and kernels need a deck; give one, such as inputs/bench.toml");
  return groups;
}

Json figure_json(const bench::Figure& figure) {
  Json json = Json::object();
  json.set("group", figure.group).set("name", figure.name).set("rate", figure.rate).set("unit", figure.unit);
  if (figure.limit > 0) json.set("limit", figure.limit).set("bound", figure.bound).set("fraction", figure.fraction());
  if (figure.step_seconds > 0) json.set("step_seconds", figure.step_seconds);
  return json;
}

Json report_json(const bench::Report& report, const deck::Deck& deck) {
  Json json = Json::object(), figures = Json::array(), costs = Json::object();
  for (const bench::Figure& figure : report.figures) figures.add(figure_json(figure));
  for (const auto& [key, value] : bench::measured_costs(report)) costs.set(key, value);
  json.set("ranks", report.ranks)
      .set("ranks_per_node", report.ranks_per_node)
      .set("repeats", deck.bench.repeats)
      .set("instruction_set", products::instruction_set())
      .set("backend", backend_description(Exec()))
      .set("gpu", gpu_name())
      .set("figures", figures)
      .set("costs", costs);
  if (report.step_seconds > 0)
    json.set("step_seconds", report.step_seconds)
        .set("samples_per_second", report.samples_per_step / report.step_seconds)
        .set("step_fraction", report.step_fraction)
        .set("bottleneck", report.bottleneck);
  return json;
}

/// Throws Error if --save cannot work: no costs are measured, or `path` cannot be written. Called before the
/// measurements, which take minutes.
void require_writable(const comm::Communicator& comm, const std::string& path, const std::set<std::string>& groups) {
  if (groups.count("costs") == 0)
    fail("--save \"", path, "\" writes measured costs, which --only leaves out; add costs to --only");
  if (comm.rank() != 0) return;
  store::require_replaceable(path, "measured by tesserec bench", "file of measured costs");
  store::make_output_folder_of(path, "--save");
  const std::string draft = path + ".tmp";
  store::write_verified(draft, std::string());
  std::filesystem::remove(draft);
}

void save(const comm::Communicator& comm, const bench::Report& report, const std::string& path) {
  if (comm.rank() != 0) return;
  const std::string machine = concat(counted(report.ranks, "rank"), ", ", report.ranks_per_node, " per node; ",
                                     backend_description(Exec()), "; ", products::instruction_set());
  store::replace_proven(path, bench::machine_toml(report, machine));
}

}  // namespace

int bench(const Invocation& invocation, const comm::Communicator& comm) {
  const deck::Deck deck = invocation.read_deck();
  const std::set<std::string> groups = groups_of(invocation, !invocation.deck.empty());
  if (bench::needs_model(groups)) {
    deck::require_data(deck);
    if (deck.train.accumulate > 1)
      fail(deck.at("train.accumulate"), " is ", deck.train.accumulate,
           ", but parts and step measure single batches; add --set train.accumulate=1");
    if (const auto info = known_data(deck, comm)) require_network(deck, *info);
  }
  if (invocation.has("--save")) require_writable(comm, invocation.options.at("--save"), groups);
  const Exec exec;
  const bench::Report report = bench::run(exec, comm, job_of(deck), deck.bench, groups);
  if (invocation.has("--save")) save(comm, report, invocation.options.at("--save"));
  if (invocation.json)
    print(comm, report_json(report, deck));
  else
    print(comm, bench::describe(report));
  return 0;
}

}  // namespace tesserec::app
