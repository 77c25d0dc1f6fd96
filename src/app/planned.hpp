// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <tesserec/deck/deck.hpp>
#include <tesserec/planning/planner.hpp>

namespace tesserec::app {

/// Task of `tesserec plan`: a deck whose tables are known, its sharding options as the command line has them.
struct PlanTask {
  deck::Deck deck;
  Index dense_features = 0;  ///< 0: the data are not known, so a step's seconds outside the tables are not either
  std::string evaluated;     ///< file of a plan to judge; empty: make one
  bool trains = true;        ///< the deck is one to train by, so its lanes must do for the ranks
};

/// A plan for a machine.
struct Planned {
  planning::Topology topology;
  planning::ProvenPlan proven;
  double dense_seconds = 0;  ///< of a step outside the tables; 0: not known

  double step_seconds() const { return proven.estimate.critical_path() + dense_seconds; }
};

/// Plans, or judges the plan that the task or its deck names.
Planned planned(const PlanTask& task, const planning::Topology& topology);

/// Plans for each of several numbers of ranks: text with a line each that names the best, or JSON. One that cannot be,
/// for the tables do not fit or the ranks do not divide into nodes, has the reason in its line. Error: none can be.
std::string plans_of(const PlanTask& task, const std::vector<int>& ranks, bool json);

}  // namespace tesserec::app
