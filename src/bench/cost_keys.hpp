// SPDX-License-Identifier: Apache-2.0
/// The names of MachineCosts in [plan.costs].
#pragma once

#include <cassert>
#include <string>
#include <utility>

#include <tesserec/sharding/settings.hpp>

namespace tesserec::bench {

using CostMember = double sharding::MachineCosts::*;

inline const std::pair<const char*, CostMember> cost_members[] = {
    {"row_reads", &sharding::MachineCosts::row_reads},
    {"cached_row_reads", &sharding::MachineCosts::cached_row_reads},
    {"read_bytes", &sharding::MachineCosts::read_bytes},
    {"row_updates", &sharding::MachineCosts::row_updates},
    {"cached_row_updates", &sharding::MachineCosts::cached_row_updates},
    {"update_bytes", &sharding::MachineCosts::update_bytes},
    {"cached_bytes", &sharding::MachineCosts::cached_bytes},
    {"ids", &sharding::MachineCosts::ids},
    {"fetched_ids", &sharding::MachineCosts::fetched_ids},
    {"bags", &sharding::MachineCosts::bags},
    {"add_bytes", &sharding::MachineCosts::add_bytes},
    {"inside_bytes", &sharding::MachineCosts::inside_bytes},
    {"between_bytes", &sharding::MachineCosts::between_bytes},
    {"inside_latency", &sharding::MachineCosts::inside_latency},
    {"between_latency", &sharding::MachineCosts::between_latency},
    {"dense_flops", &sharding::MachineCosts::dense_flops},
    {"interaction_flops", &sharding::MachineCosts::interaction_flops},
    {"dense_bytes", &sharding::MachineCosts::dense_bytes},
    {"step_seconds", &sharding::MachineCosts::step_seconds},
};

inline CostMember member(const std::string& key) {
  for (const auto& [name, value] : cost_members)
    if (key == name) return value;
  assert(false);
  return nullptr;
}

inline double cost(const sharding::MachineCosts& costs, const std::string& key) { return costs.*member(key); }

}  // namespace tesserec::bench
