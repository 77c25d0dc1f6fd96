// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <tesserec/store/run_end.hpp>

namespace tesserec::report {

/// A run, or a point of a sweep without metrics, as the page shows it.
struct RunState {
  std::string folder;
  store::RunEnd end;
  double steps = 0;  ///< steps done, as far as any file knows
};

/// Self-contained HTML page.
struct Page {
  std::string html;
  std::size_t runs = 0;               ///< runs shown on the page
  std::vector<RunState> states;       ///< states of those runs, in the page's order, then of points without curves
  std::vector<std::string> warnings;  ///< gaps that a reader may miss, such as points of a sweep without metrics
};

/// Makes a page of runs' folders, or of a sweep's folder (sweep.json), which stands for the runs of its points. Throws
/// Error for a folder without metrics.jsonl and for foreign files. Links are relative to `page_file`; empty =
/// report.html in the first folder.
Page make_page(const std::vector<std::string>& folders, const std::string& page_file = "");

}  // namespace tesserec::report
