// SPDX-License-Identifier: Apache-2.0
#include "sweep_of.hpp"

#include <tesserec/core/error.hpp>

namespace tesserec::app {
namespace {

/// The invocation with the point's values in it.
Invocation at_point(const Invocation& invocation, const deck::Deck& deck, const sweep::Point& point) {
  Invocation at = invocation;
  for (std::size_t k = 0; k < point.size(); ++k) {
    const std::string& key = deck.sweep.keys[k].path;
    const std::string line = deck.at("sweep.keys." + key);
    at.origins[at.overrides.size()] = line.substr(0, line.find(": sweep.keys."));
    at.overrides.push_back(key + "=" + point[k]);
  }
  return at;
}

void refuse_set_twice(const deck::Deck& deck) {
  for (const sweep::Key& key : deck.sweep.keys)
    if (const auto set = deck.lines.find(key.path); set != deck.lines.end() && set->second.starts_with("--set"))
      fail(set->second, ": ", key.path, " varies in this sweep; leave it to [sweep.keys]");
}

}  // namespace

sweep::Sweep sweep_of(const Invocation& invocation) {
  const deck::Deck deck = invocation.read_deck();
  deck::check_sweep(deck);
  if (deck.sweep.keys.empty())
    fail(invocation.deck, ": has no [sweep]; give it one, with the keys that vary in [sweep.keys] (tesserec describe)");
  refuse_set_twice(deck);
  const bool halves = deck.sweep.halving.first_steps > 0;
  sweep::Sweep sweep{invocation.deck,
                     deck.run.folder(),
                     deck.sweep,
                     sweep::rungs(deck.sweep.halving, halves ? deck.train.steps : sweep::to_the_end),
                     {}};
  for (sweep::Point& point : sweep::points(deck.sweep)) sweep.runs.push_back({std::move(point), "", "", "", {}});
  const Index points = std::ssize(sweep.runs);
  const bool alone = !invocation.index.empty() && !halves;
  const Index first = alone ? point_of(invocation, points) : 0;
  for (Index i = first; i < (alone ? first + 1 : points); ++i) {
    sweep::Run& run = sweep.runs[i];
    deck::Deck whole = at_point(invocation, deck, run.point).read_deck();
    whole.sweep = {};
    whole.sweep.halving = deck.sweep.halving;  // other rungs: other outcomes
    run.label = sweep::label(deck.sweep, run.point);
    run.digest = sweep::deck_digest(deck::effective_deck(whole));
    run.folder = sweep.folder + "/" + run.label + "-" + run.digest.substr(0, 8);
  }
  return sweep;
}

void read_records(sweep::Sweep& sweep) {
  for (sweep::Run& run : sweep.runs)
    if (!run.folder.empty()) run.record = sweep::read_record(run.folder, run.digest);
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
    fail("the index behind tesserec sweep run must be an integer, 0 to ", points - 1, ", but is \"", invocation.index,
         "\"; tesserec sweep list ", invocation.deck, " shows the points");
  return *index;
}

}  // namespace tesserec::app
