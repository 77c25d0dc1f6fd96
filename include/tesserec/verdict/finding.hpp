// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <tesserec/core/json.hpp>

namespace tesserec::verdict {

/// Weight of a finding: worth knowing, probably a fault, a fault.
enum class Severity { note, warning, error };

/// Returns "note", "warning" or "error".
const char* name_of(Severity severity);

/// Oddity of the data.
struct Finding {
  Severity severity = Severity::note;
  std::string kind;                       ///< stable name, such as "repeated_file"
  std::string text;                       ///< where, what and what to do, in one sentence
  std::vector<std::string> columns = {};  ///< columns concerned
  std::vector<std::string> files = {};    ///< files concerned
  std::vector<std::pair<std::string, double>> figures = {};
};

/// Returns how many findings have at least this severity.
std::size_t count_from(const std::vector<Finding>& findings, Severity severity);

/// Returns the findings for a person: a headline, then the gravest ones, a line each.
std::vector<std::string> lines(const std::vector<Finding>& findings);

/// Returns all findings as a JSON array.
Json json_of(const std::vector<Finding>& findings);

}  // namespace tesserec::verdict
