// SPDX-License-Identifier: Apache-2.0
// Command `tesserec diff`: names the first numbers in which two checkpoints or runs differ.
#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "command.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/json.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/parallel_io/checkpoint_folder.hpp>
#include <tesserec/report/curve_difference.hpp>
#include <tesserec/store/difference.hpp>

namespace tesserec::app {
namespace {

namespace fs = std::filesystem;

constexpr int files_differ = 1;  // exit code, as that of the command diff

/// Returns whether a path ends in /best, which stands for the best checkpoint of a run unless a folder has that name.
bool names_best(const std::string& path) {
  const fs::path plain = (fs::path(path) / "").parent_path();
  return plain.filename() == "best" && !fs::is_directory(path);
}

/// Returns whether a path names one checkpoint, not a run or a folder of several.
bool names_one(const std::string& path) { return fs::exists(path + "/manifest.json") || names_best(path); }

/// Returns the whole checkpoints that a path names, oldest first: itself, those of a run, or those in a folder.
std::vector<store::Checkpoint> checkpoints_of(const comm::Communicator& comm, const std::string& path) {
  const std::string found = parallel_io::find_checkpoint(comm, path);
  if (names_one(path)) return {{.step = store::read_manifest(found).step, .folder = found}};
  if (!fs::is_directory(path)) fail(path, ": there is no such folder of a checkpoint or of a run");
  std::vector<store::Checkpoint> list =
      parallel_io::CheckpointFolder(comm, parallel_io::checkpoints_of(comm, path)).list();
  if (list.empty())
    fail(path, ": the folder has no whole checkpoint; give a checkpoint, a run with checkpoints, or the folder of ",
         "checkpoint.path");
  std::ranges::reverse(list);
  return list;
}

/// Pairs the checkpoints of equal steps, oldest first. Without equal steps pairs the newest two.
std::vector<std::pair<store::Checkpoint, store::Checkpoint>> pairs_of(const std::vector<store::Checkpoint>& a,
                                                                      const std::vector<store::Checkpoint>& b) {
  std::vector<std::pair<store::Checkpoint, store::Checkpoint>> pairs;
  for (const store::Checkpoint& of_a : a)
    for (const store::Checkpoint& of_b : b)
      if (of_a.step == of_b.step) pairs.emplace_back(of_a, of_b);
  if (pairs.empty()) pairs.emplace_back(a.back(), b.back());
  return pairs;
}

/// Returns the keys of a deck's text with their values, as "block.key" or, in the n-th block of a list, "block.n.key".
std::map<std::string, std::string> keys_of(const std::string& deck) {
  std::map<std::string, std::string> keys;
  std::map<std::string, int> blocks;
  std::istringstream lines(deck);
  std::string block;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("[[")) {
      const std::string name = line.substr(2, line.find(']') - 2);
      block = concat(name, ".", ++blocks[name], ".");
    } else if (line.starts_with("[")) {
      block = line.substr(1, line.find(']') - 1) + ".";
    } else if (const std::size_t equals = line.find(" = "); equals != std::string::npos) {
      keys[block + line.substr(0, equals)] = line.substr(equals + 3);
    }
  }
  keys.erase("run.output");
  return keys;
}

/// Fact in which two checkpoints differ, as text; "" on a side that lacks it.
struct FactDifference {
  std::string name, a, b;
};

/// Lists the keys of the decks that differ. run.output does not count, for two runs never share it.
std::vector<FactDifference> compare_decks(const store::PartedFile& a, const store::PartedFile& b) {
  const auto keys = [](const store::PartedFile& state) {
    const store::Attributes attributes = store::read_attributes(state);
    return attributes.contains("deck") ? keys_of(store::attribute<std::string>(attributes, "deck", state.path()))
                                       : std::map<std::string, std::string>();
  };
  const std::map<std::string, std::string> of_a = keys(a), of_b = keys(b);
  std::vector<FactDifference> differences;
  for (const auto& [name, value] : of_a)
    if (const auto other = of_b.find(name); other == of_b.end() || other->second != value)
      differences.push_back({name, value, other == of_b.end() ? "" : other->second});
  for (const auto& [name, value] : of_b)
    if (!of_a.contains(name)) differences.push_back({name, "", value});
  return differences;
}

std::string or_missing(const std::string& text) { return text.empty() ? "missing" : text; }
std::string both(const std::string& a, const std::string& b) { return or_missing(a) + " and " + or_missing(b); }

std::string shape(const store::StateRecord& record) {
  return record.columns == 0 ? "" : concat(record.rows, " x ", record.columns);
}

std::string numbers(const store::NumberPair& pair) {
  return concat("row ", pair.row, ", column ", pair.column, ": ", shortest(pair.a), " and ", shortest(pair.b));
}

std::string line_of(const store::MatrixDifference& matrix) {
  std::string text = matrix.name + ": ";
  if (matrix.a.rows != matrix.b.rows || matrix.a.columns != matrix.b.columns)
    text += both(shape(matrix.a), shape(matrix.b)) + (matrix.compared > 0 ? "; " : "");
  if (matrix.compared == 0) return text;
  text += concat(matrix.different, " of ", matrix.compared, " numbers differ");
  if (matrix.different > 0) text += "; first, " + numbers(matrix.first);
  if (matrix.different > 1) text += "; largest, " + numbers(matrix.largest);
  return text;
}

Json json_of(const store::NumberPair& pair) {
  return Json::object().set("row", pair.row).set("column", pair.column).set("a", pair.a).set("b", pair.b);
}

Json json_of(const store::MatrixDifference& matrix) {
  Json json = Json::object().set("name", matrix.name);
  const auto set_shape = [&](const char* key, const store::StateRecord& record) {
    json.set(key,
             record.columns == 0 ? Json() : Json::object().set("rows", record.rows).set("columns", record.columns));
  };
  set_shape("a", matrix.a);
  set_shape("b", matrix.b);
  json.set("compared", matrix.compared).set("different", matrix.different);
  if (matrix.different > 0) json.set("first", json_of(matrix.first)).set("largest", json_of(matrix.largest));
  return json;
}

/// Tells why no step of two paths is the same, though `a` and `b` are the last ones.
std::string other_steps(const std::string& path_a, Index a, const std::string& path_b, Index b) {
  const bool one_a = names_one(path_a), one_b = names_one(path_b);
  if (one_a && one_b) return concat("step ", a, " and step ", b);
  if (one_a) return concat(path_b, " has no checkpoint of step ", a);
  if (one_b) return concat(path_a, " has no checkpoint of step ", b);
  return "no step has a checkpoint in both";
}

/// Differences of two checkpoints or runs.
struct Findings {
  store::Checkpoint a, b;  ///< the oldest pair that differs, else the newest pair
  std::vector<store::MatrixDifference> matrices;
  std::size_t all_matrices = 0;
  std::vector<FactDifference> deck;
  std::optional<report::CurveDifference> curve;
  std::string other_steps;  ///< why the steps of the pair differ; empty if they do not

  bool equal() const { return a.step == b.step && matrices.empty() && !curve; }
};

Findings compare(const comm::Communicator& comm, const std::string& a, const std::string& b) {
  Findings found;
  for (const auto& [of_a, of_b] : pairs_of(checkpoints_of(comm, a), checkpoints_of(comm, b))) {
    const store::OpenCheckpoint open_a = store::open_checkpoint(of_a.folder),
                                open_b = store::open_checkpoint(of_b.folder);
    found.a = of_a;
    found.b = of_b;
    found.matrices = store::compare_states(open_a.state, open_b.state);
    found.all_matrices = std::max(open_a.manifest.datasets.size(), open_b.manifest.datasets.size());
    found.deck = compare_decks(open_a.state, open_b.state);
    if (!found.matrices.empty()) break;
  }
  if (found.a.step != found.b.step) found.other_steps = other_steps(a, found.a.step, b, found.b.step);
  if (fs::exists(a + "/metrics.jsonl") && fs::exists(b + "/metrics.jsonl"))
    found.curve = report::first_difference(a, b);
  return found;
}

std::string findings_text(const Findings& found) {
  std::string text =
      concat("a: ", found.a.folder, ", step ", found.a.step, "\nb: ", found.b.folder, ", step ", found.b.step, "\n");
  for (const FactDifference& key : found.deck) text += concat("deck: ", key.name, ": ", both(key.a, key.b), "\n");
  if (const auto& curve = found.curve) {
    text += concat("metrics.jsonl: ", curve->evaluation ? "evaluation, " : "training, ", curve->metric, " of step ",
                   curve->step, ": ", shortest(curve->a), " and ", shortest(curve->b));
    text += curve->equal_until > 0 ? concat("; equal until step ", curve->equal_until, "\n")
                                   : "; no line before is equal\n";
  }
  for (const store::MatrixDifference& matrix : found.matrices) {
    text += line_of(matrix);
    if (matrix.name.ends_with("/ids")) text += "; rows of this table follow its ids, so its other matrices differ, too";
    text += "\n";
  }
  if (!found.other_steps.empty()) text += "the steps differ: " + found.other_steps + "\n";
  if (found.matrices.empty()) return text + concat("all ", found.all_matrices, " datasets are equal\n");
  return text + concat(found.matrices.size(), " of ", found.all_matrices, " datasets differ\n");
}

Json json_of(const Findings& found) {
  Json json = Json::object().set("equal", found.equal());
  json.set("a", Json::object().set("path", found.a.folder).set("step", found.a.step));
  json.set("b", Json::object().set("path", found.b.folder).set("step", found.b.step));
  Json deck = Json::array(Json::Layout::lines), matrices = Json::array(Json::Layout::lines);
  for (const FactDifference& key : found.deck)
    deck.add(Json::object().set("key", key.name).set("a", key.a).set("b", key.b));
  for (const store::MatrixDifference& matrix : found.matrices) matrices.add(json_of(matrix));
  if (const auto& curve = found.curve)
    json.set("metrics", Json::object()
                            .set("kind", curve->evaluation ? "evaluate" : "train")
                            .set("metric", curve->metric)
                            .set("step", curve->step)
                            .set("a", curve->a)
                            .set("b", curve->b));
  return json.set("deck", deck).set("matrices", matrices);
}

}  // namespace

int diff(const Invocation& invocation, const comm::Communicator& comm) {
  require_one_rank(invocation, comm);
  if (invocation.paths.size() != 2)
    fail("tesserec diff compares two paths, but got ", invocation.paths.size(), ": tesserec diff A B");
  const Findings found = compare(comm, invocation.paths[0], invocation.paths[1]);
  if (invocation.json)
    print(comm, json_of(found));
  else
    print(comm, findings_text(found));
  return found.equal() ? 0 : files_differ;
}

}  // namespace tesserec::app
