// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace tesserec::app {

/// A file or checkpoint of a run, and what there is to compare it with.
struct RunFile {
  std::string path;
  std::string lacks;  ///< "" if it has a checksum; else why there is none to compare
};

/// Whether a folder is that of a run: it has run.json or checkpoints.
bool is_run(const std::string& folder);

/// Returns the checkpoints of a run, oldest first, its scores, and the data sets that its record names. Error: a record
/// that cannot be read.
std::vector<RunFile> files_of_run(const std::string& folder);

}  // namespace tesserec::app
