// SPDX-License-Identifier: Apache-2.0
#include "installed.hpp"

#include <filesystem>

namespace tesserec::app {

std::string installed_files() {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);  // PREFIX/bin/tesserec
  const fs::path share = program.parent_path().parent_path() / "share";
  if (error || !fs::is_directory(share / "tesserec" / "inputs", error)) return "";
  const std::string place = share.string();
  return "\n  " + place + "/tesserec: decks, train.sbatch, site files and examples, to copy\n  " + place +
         "/doc/tesserec: documentation, beginning with README.md\n";
}

}  // namespace tesserec::app
