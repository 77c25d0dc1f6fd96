// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include <tesserec/core/kokkos.hpp>
#include <tesserec/core/options.hpp>

namespace tesserec::serve {

/// Start of a server: the folder of a model or of a run, and the options that were given, with their values or "".
struct ServerStart {
  std::string folder;
  std::map<std::string, std::string> options;
  bool json = false;  ///< true to print the port as a JSON object once the server listens
  /// Returns whether the option is given.
  bool has(const std::string& option) const { return options.count(option) != 0; }
};

/// Returns the options of `tesserec serve` and `tesserec-serve`.
std::vector<Option> options();

/// Answers requests about a model until a signal ends it. Blocks. Returns the exit code. Throws Error for a value of an
/// option or a folder that cannot be used, and in a build without an HTTP server.
int run(const Exec& exec, const ServerStart& start);

}  // namespace tesserec::serve
