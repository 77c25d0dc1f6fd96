// SPDX-License-Identifier: Apache-2.0
#include "costs.hpp"

namespace tesserec::bench {

std::vector<double> fit(const std::vector<std::vector<double>>& a, const std::vector<double>& t) {
  // Coordinate descent on scaled unknowns suffices, because they are few and each of its steps is exact.
  const std::size_t rows = a.size(), unknowns = a.empty() ? 0 : a[0].size();
  std::vector<double> scale(unknowns, 0), x(unknowns, 0), residual(rows, 1);
  std::vector<std::vector<double>> b(rows, std::vector<double>(unknowns));
  for (std::size_t j = 0; j < unknowns; ++j) {
    for (std::size_t i = 0; i < rows; ++i) scale[j] += std::pow(a[i][j] / t[i], 2);
    scale[j] = scale[j] > 0 ? 1 / std::sqrt(scale[j]) : 0;
    for (std::size_t i = 0; i < rows; ++i) b[i][j] = a[i][j] / t[i] * scale[j];
  }
  for (int round = 0; round < 20000; ++round)
    for (std::size_t j = 0; j < unknowns; ++j) {
      double step = 0;
      for (std::size_t i = 0; i < rows; ++i) step += b[i][j] * residual[i];
      step = std::max(step, -x[j]);
      x[j] += step;
      for (std::size_t i = 0; i < rows; ++i) residual[i] -= b[i][j] * step;
    }
  for (std::size_t j = 0; j < unknowns; ++j) x[j] *= scale[j];
  return x;
}

void measure_costs(const Context& context, const planning::Topology& topology, const Limits& limits, Report& report) {
  measure_table_costs(context, report);
  measure_dense_costs(context, report);
  const auto found = [&](double value, double planning::MachineCosts::*member, const char* key) {
    if (value <= 0) return;
    report.costs.*member = value;
    report.cost_keys.push_back(key);
  };
  using Costs = planning::MachineCosts;
  // A rank sends while it receives, and the planner's rates count both directions.
  found(2 * limits.inside_bytes, &Costs::inside_bytes, "inside_bytes");
  found(2 * limits.between_bytes, &Costs::between_bytes, "between_bytes");
  found(limits.inside_latency, &Costs::inside_latency, "inside_latency");
  found(limits.between_latency, &Costs::between_latency, "between_latency");
  measure_exchange_costs(context, topology, report);
}

}  // namespace tesserec::bench
