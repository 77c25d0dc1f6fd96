// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "run_folder.hpp"

namespace tesserec::report {

/// Links from the page to files, relative to the page's folder.
class Links {
 public:
  /// `page`: the page's file.
  explicit Links(const std::string& page);

  /// <a> around `content` (markup) to a file or folder; empty where there is none.
  std::string operator()(const std::string& path, const std::string& content) const;
  /// Links to what lies in a run's folder, and to its deck.
  std::string files_of(const std::string& folder, const Record& start) const;

 private:
  std::string folder_;  // absolute
};

}  // namespace tesserec::report
