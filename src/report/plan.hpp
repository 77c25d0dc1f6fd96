// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <tesserec/core/json.hpp>

namespace tesserec::report {

/// The plan of run.json.
struct Plan {
  struct Table {
    std::string name, size, type;
    double numbers = 0;
    std::vector<double> shares;  ///< [rank] of its numbers
  };
  std::size_t ranks = 1;
  std::vector<Table> tables;  ///< the largest first
  double memory = 0;          ///< bytes of a rank; 0 = not known
  std::vector<double> taken;  ///< [rank] bytes of it; none = not known
};

/// Error: something in it is not as docs/formats.md has it.
Plan plan_of(const Json& json);

}  // namespace tesserec::report
