// SPDX-License-Identifier: Apache-2.0
/// The planner's constants, from small workloads of the real classes: never from a whole step.
#pragma once

#include "limits.hpp"

namespace tesserec::bench {

/// Fills report.costs and report.cost_keys. Collective.
void measure_costs(const Context& context, const Limits& limits, Report& report);

/// Table constants alone; dense constants alone.
void measure_table_costs(const Context& context, Report& report);
void measure_dense_costs(const Context& context, Report& report);

/// x >= 0 that makes the sum over i of ((a_i . x - t_i) / t_i)^2 least; a [rows][unknowns].
std::vector<double> fit(const std::vector<std::vector<double>>& a, const std::vector<double>& t);

/// Remembers a constant; what the fit found to be free becomes a very high rate.
void set_rate(Report& report, const std::string& key, double seconds_each);

}  // namespace tesserec::bench
