// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <tesserec/store/run_end.hpp>

namespace tesserec::report {

/// A run, or a point of a sweep that has left no metrics, as the page has it.
struct RunState {
  std::string folder;
  store::RunEnd end;
  double steps = 0;  ///< as far as any file knows
};

/// One HTML page, which needs nothing beside it.
struct Page {
  std::string html;
  std::size_t runs = 0;               ///< shown in it
  std::vector<RunState> states;       ///< of those runs, in the page's order, then of points without curves
  std::vector<std::string> warnings;  ///< what a reader of the page may miss: points of a sweep without metrics
};

/// Makes a page of runs' folders, or of a sweep (sweep.json), which stands for its points' runs. Errors: no
/// metrics.jsonl, foreign files. Links are relative to `page_file`; empty = report.html in the first folder.
Page make_page(const std::vector<std::string>& folders, const std::string& page_file = "");

}  // namespace tesserec::report
