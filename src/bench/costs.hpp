// SPDX-License-Identifier: Apache-2.0
/// Constants of the planner, measured with small workloads of the real classes, never with a whole step.
#pragma once

#include <string>
#include <utility>

#include "limits.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/planning/settings.hpp>

namespace tesserec::bench {

/// Fills report.costs and report.cost_keys. Collective.
void measure_costs(const Context& context, const planning::Topology& topology, const Limits& limits, Report& report);

/// Measures the constants of tables on each rank alone. Collective.
void measure_table_costs(const Context& context, Report& report);
/// Measures the constants of exchanging vectors between all ranks; `report` must have all others. One rank adds no
/// vectors of other ranks, so add_bytes keeps its value. Collective.
void measure_exchange_costs(const Context& context, planning::Topology topology, Report& report);
void measure_dense_costs(const Context& context, Report& report);
/// Measures rows of kernel disk in a folder, on all ranks at once. Collective.
void measure_disk_costs(const Context& context, const std::string& folder, Report& report);
/// Measures bytes of rows of kernel host_cached on all ranks at once. Does nothing in a build without a device.
/// Collective.
void measure_host_costs(const Context& context, Report& report);

/// Returns x >= 0 [unknowns] that minimizes the sum over i of ((a_i . x - t_i) / t_i)^2; `a` is [rows][unknowns].
std::vector<double> fit(const std::vector<std::vector<double>>& a, const std::vector<double>& t);

/// Sets a constant to 1 / `seconds_each` and lists its key. A cost that the fit found to be 0 becomes a rate of 1e15.
void set_rate(Report& report, const std::string& key, double seconds_each);

using CostMember = double planning::MachineCosts::*;

inline const std::pair<const char*, CostMember> cost_members[] = {
    {"row_reads", &planning::MachineCosts::row_reads},
    {"cached_row_reads", &planning::MachineCosts::cached_row_reads},
    {"read_bytes", &planning::MachineCosts::read_bytes},
    {"vector_bytes", &planning::MachineCosts::vector_bytes},
    {"row_updates", &planning::MachineCosts::row_updates},
    {"cached_row_updates", &planning::MachineCosts::cached_row_updates},
    {"update_bytes", &planning::MachineCosts::update_bytes},
    {"cached_bytes", &planning::MachineCosts::cached_bytes},
    {"ids", &planning::MachineCosts::ids},
    {"fetched_ids", &planning::MachineCosts::fetched_ids},
    {"fetched_bytes", &planning::MachineCosts::fetched_bytes},
    {"bags", &planning::MachineCosts::bags},
    {"add_bytes", &planning::MachineCosts::add_bytes},
    {"inside_bytes", &planning::MachineCosts::inside_bytes},
    {"between_bytes", &planning::MachineCosts::between_bytes},
    {"inside_latency", &planning::MachineCosts::inside_latency},
    {"between_latency", &planning::MachineCosts::between_latency},
    {"dense_flops", &planning::MachineCosts::dense_flops},
    {"bf16_flops", &planning::MachineCosts::bf16_flops},
    {"interaction_flops", &planning::MachineCosts::interaction_flops},
    {"activation_bytes", &planning::MachineCosts::activation_bytes},
    {"dense_bytes", &planning::MachineCosts::dense_bytes},
    {"disk_rows", &planning::MachineCosts::disk_rows},
    {"host_bytes", &planning::MachineCosts::host_bytes},
    {"step_seconds", &planning::MachineCosts::step_seconds},
};

inline CostMember member(const std::string& key) {
  for (const auto& [name, value] : cost_members)
    if (key == name) return value;
  fail("the planner has no constant named \"", key, "\"");
}

inline double cost(const planning::MachineCosts& costs, const std::string& key) { return costs.*member(key); }

}  // namespace tesserec::bench
