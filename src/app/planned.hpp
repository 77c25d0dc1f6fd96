// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <tesserec/data/source.hpp>
#include <tesserec/deck/deck.hpp>
#include <tesserec/planning/planner.hpp>

namespace tesserec::app {

/// Task of `tesserec plan`: a deck whose tables are known and whose plan settings follow the command line.
struct PlanTask {
  deck::Deck deck;
  Index dense_features = 0;  ///< dense features of the data; 0 = not known, so dense_seconds stay 0
  std::string evaluated;     ///< file of a plan to evaluate; empty = make a plan
  bool trains = true;        ///< true if the deck can train, so that its lanes must suffice for the ranks
};

/// Makes the task of a deck whose data are `info`: its tables as training would have them, and how often their rows are
/// read. Throws Error if the tables do not fit the deck, or the rows of one are not known.
PlanTask plan_task(const deck::Deck& deck, const std::optional<data::SourceInfo>& info);
/// Sets the bytes of numbers in messages. Throws Error if the plan is for GPUs and a table grows.
void complete(PlanTask& task);

/// Plan for a machine.
struct Planned {
  planning::Topology topology;
  planning::ProvenPlan proven;
  double dense_seconds = 0;  ///< seconds of a step outside the tables; 0 = not known

  /// Returns the predicted seconds of a step.
  double step_seconds() const { return proven.estimate.critical_path() + dense_seconds; }
};

/// Makes a plan, or evaluates the plan that the task or its deck names.
Planned planned(const PlanTask& task, const planning::Topology& topology);

/// Plans for each number of ranks. Returns text with a line for each and the best, or JSON. A number that does not
/// work, since tables do not fit or nodes are not equal, has the reason in its line. Throws Error if none works.
std::string plans_of(const PlanTask& task, const std::vector<int>& ranks, bool json);

}  // namespace tesserec::app
