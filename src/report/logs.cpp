// SPDX-License-Identifier: Apache-2.0
// Last lines of the logs of runs and points that did not end well.
#include <filesystem>

#include "figures.hpp"
#include "rows.hpp"
#include "run_folder.hpp"
#include "svg.hpp"
#include <tesserec/core/text.hpp>

namespace tesserec::report {
namespace {

constexpr std::size_t max_logs = 12;

bool ended_badly(const Row& row) {
  const std::string state = row.point != nullptr ? row.point->state : row.run->end.state;
  for (const char* const bad : {"failed", "crashed", "diverged", "started", "running or crashed"})
    if (state == bad) return true;
  return false;
}

}  // namespace

std::string logs(const Runs& runs, const Links& links) {
  std::string text;
  std::size_t shown = 0, more = 0;
  for (const Row& row : rows_of(runs)) {
    std::string log = row.folder + "/log.txt";
    std::error_code error;
    if (!std::filesystem::exists(log, error)) log = row.run != nullptr ? row.run->start.text({"log"}) : "";
    if (!ended_badly(row) || !std::filesystem::is_regular_file(log, error)) continue;
    if (shown == max_logs) {
      ++more;
      continue;
    }
    ++shown;
    text += element("p", {}, swatch(row.css) + escaped(row.name) + ": the end of " + links(log, escaped(log))) +
            element("pre", {}, escaped(join(log_tail(log), "\n")));
  }
  if (more > 0) text += element("p", {{"class", "note"}}, counted(std::int64_t(more), "more log") + " not shown");
  return text;
}

}  // namespace tesserec::report
