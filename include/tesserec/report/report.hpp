// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace tesserec::report {

/// One HTML page, which needs nothing beside it.
struct Page {
  std::string html;
  std::size_t runs = 0;               ///< shown in it
  std::vector<std::string> warnings;  ///< what a reader of the page may miss: points of a sweep without metrics
};

/// Of the folders of runs, and of a sweep: one that has sweep.json, which stands for the runs of its points. Errors: a
/// folder without metrics.jsonl, files that are none of ours.
Page make_page(const std::vector<std::string>& folders);

}  // namespace tesserec::report
