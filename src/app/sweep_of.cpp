// SPDX-License-Identifier: Apache-2.0
#include "sweep_of.hpp"

#include <map>

#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/data/content.hpp>
#include <tesserec/store/file_list.hpp>

namespace tesserec::app {
namespace {

/// Returns the invocation with the point's values as overrides.
Invocation at_point(const Invocation& invocation, const deck::Deck& deck, const sweep::Point& point) {
  Invocation result = invocation;
  for (std::size_t k = 0; k < point.size(); ++k) {
    const std::string& key = deck.sweep.keys[k].path;
    const std::string line = deck.at("sweep.keys." + key);
    result.origins[result.overrides.size()] = line.substr(0, line.find(": sweep.keys."));
    result.overrides.push_back(key + "=" + point[k]);
  }
  return result;
}

/// Returns the current digest of the files' content; empty without files.
std::string digest_now(const std::vector<std::string>& patterns) {
  std::vector<std::string> paths;
  for (const std::string& pattern : patterns)
    for (const std::string& path : store::matching_paths(pattern)) paths.push_back(path);
  return data::content_digest_of(paths);
}

void refuse_set_twice(const deck::Deck& deck) {
  for (const sweep::Key& key : deck.sweep.keys)
    if (const auto set = deck.lines.find(key.path); set != deck.lines.end() && set->second.starts_with("--set"))
      fail(set->second, ": ", key.path, " varies in this sweep, so it cannot be set; leave it to [sweep.keys]");
}

}  // namespace

sweep::Sweep sweep_of(const Invocation& invocation) {
  const deck::Deck deck = invocation.read_deck();
  deck::check_sweep(deck);
  if (deck.sweep.keys.empty())
    fail(invocation.deck,
         ": the deck has no [sweep]; add one with the keys that vary in [sweep.keys] (tesserec describe)");
  refuse_set_twice(deck);
  const bool halves = deck.sweep.halving.first_steps > 0;
  sweep::Sweep sweep{invocation.deck,
                     deck.run.folder(),
                     deck.sweep,
                     sweep::rungs(deck.sweep.halving, halves ? deck.train.steps : sweep::to_the_end),
                     {}};
  for (sweep::Point& point : sweep::points(deck.sweep)) sweep.runs.push_back({std::move(point), "", "", "", {}});
  const Index points = std::ssize(sweep.runs);
  const bool single = !invocation.index.empty() && !halves;
  const Index first = single ? point_of(invocation, points) : 0;
  for (Index i = first; i < (single ? first + 1 : points); ++i) {
    sweep::Run& run = sweep.runs[i];
    deck::Deck point_deck = at_point(invocation, deck, run.point).read_deck();
    point_deck.sweep = {};
    point_deck.sweep.halving = deck.sweep.halving;  // other rungs: other outcomes
    run.label = sweep::label(deck.sweep, run.point);
    run.digest = sweep::deck_digest(deck::effective_deck(point_deck));
    run.folder = sweep.folder + "/" + run.label + "-" + run.digest.substr(0, 8);
    run.data = point_deck.data.train;
    run.data.insert(run.data.end(), point_deck.data.evaluate.begin(), point_deck.data.evaluate.end());
  }
  return sweep;
}

void read_records(sweep::Sweep& sweep) {
  // Points share their data, and files without a seal are read to their end.
  std::map<std::vector<std::string>, std::string> digests;
  for (sweep::Run& run : sweep.runs) {
    if (run.folder.empty()) continue;
    run.record = sweep::read_record(run.folder, run.digest);
    const auto [digest, is_new] = digests.try_emplace(run.data);
    if (is_new) digest->second = digest_now(run.data);
    run.data_digest = digest->second;
  }
}

std::string other_data(const sweep::Sweep& sweep) {
  const std::vector<Index> points = sweep::of_other_data(sweep);
  if (points.empty()) return "";
  return concat(sweep.folder, ": the points of ", points.size() == 1 ? "index " : "indices ", join(points),
                " ended on other data than ", join(sweep.runs[points.front()].data),
                " have now, so their values cannot be compared with those of later points");
}

void refuse_other_data(const sweep::Sweep& sweep) {
  if (const std::string text = other_data(sweep); !text.empty())
    fail(text, "; put the data back, remove the folders of these points, or give the sweep another run.output");
}

Invocation training_of(const Invocation& invocation, const sweep::Sweep& sweep, Index point, std::size_t rung) {
  Invocation training = at_point(invocation, invocation.read_deck(), sweep.runs[point].point);
  training.command = "train";
  training.json = false;
  training.overrides.push_back("run.output=" + sweep.runs[point].folder);
  if (sweep.rungs.size() > 1) training.overrides.push_back("train.steps=" + std::to_string(sweep.rungs[rung]));
  return training;
}

Index point_of(const Invocation& invocation, Index points) {
  const auto index = parse_number<Index>(invocation.index);
  if (!index || *index < 0 || *index >= points)
    fail("INDEX of tesserec sweep run must be an integer, 0 to ", points - 1, ", but is \"", invocation.index,
         "\"; tesserec sweep list ", invocation.deck, " shows the points");
  return *index;
}

}  // namespace tesserec::app
