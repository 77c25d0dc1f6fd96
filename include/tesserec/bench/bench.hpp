// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include <tesserec/bench/report.hpp>
#include <tesserec/bench/settings.hpp>
#include <tesserec/comm/communicator.hpp>
#include <tesserec/core/kokkos.hpp>
#include <tesserec/train/job.hpp>

namespace tesserec::bench {

/// Names of the groups of measurements.
inline const std::set<std::string> groups = {"limits", "costs", "parts", "step", "kernels"};
/// Returns whether any of `chosen` needs a deck's data and model.
inline bool needs_model(const std::set<std::string>& chosen) {
  return chosen.count("parts") + chosen.count("step") + chosen.count("kernels") > 0;
}

/// Measures the `chosen` ones of `groups` on all ranks at once. Throws the Errors of training. Collective.
Report run(const Exec& exec, const comm::Communicator& comm, const train::Job& job, const Settings& settings,
           const std::set<std::string>& chosen);

}  // namespace tesserec::bench
