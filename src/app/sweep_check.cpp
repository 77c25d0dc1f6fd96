// SPDX-License-Identifier: Apache-2.0
// Check of a sweep's points before any of them is started.
#include "job.hpp"
#include "planned.hpp"
#include "sweep_of.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec::app {
namespace {

/// Throws the Error with which training on so many ranks would refuse the deck before its first step.
void require_deck_trains(deck::Deck deck, int ranks, bool here) {
  deck::require_training(deck);
  train::lanes_for(ranks, deck.train);
  const std::optional<data::SourceInfo> info = local_data(deck);
  if (!info) return;
  require_network(deck, *info);
  constexpr Index enough = Index{1} << 60;  // bytes
  if (!here && deck.plan.memory == 0) deck.plan.memory = enough;
  PlanTask task = plan_task(deck, info);
  complete(task);
  planned(task, planning::topology_for(ranks, deck.plan.ranks_per_node, task.deck.plan));
}

}  // namespace

void require_trainable(const Invocation& invocation, const sweep::Sweep& sweep, const std::vector<Index>& points,
                       int ranks, bool here) {
  std::string first;
  std::vector<Index> refused;
  for (const Index point : points) {
    const Invocation training = training_of(invocation, sweep, point, 0);
    try {
      with_key_lines(training, [&] {
        require_deck_trains(training.read_deck(), ranks, here);
        return 0;
      });
    } catch (const Error& error) {
      if (refused.empty()) first = error.what();
      refused.push_back(point);
    }
  }
  if (refused.empty()) return;
  const std::string others =
      refused.size() > 1 ? concat("; nor can ", refused.size() - 1, " more of ", counted(points.size(), "point")) : "";
  fail("index ", refused.front(), ", ", sweep.runs[refused.front()].label, ": the point cannot run on ",
       counted(ranks, "rank"), ": ", first, others);
}

}  // namespace tesserec::app
