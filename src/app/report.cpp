// SPDX-License-Identifier: Apache-2.0
// Command `tesserec report`: writes one HTML page about runs.
#include <cmath>

#include "command.hpp"
#include <tesserec/comm/agree.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/report/report.hpp>
#include <tesserec/store/disk.hpp>

namespace tesserec::app {
namespace {

Json states_json(const std::vector<report::RunState>& states) {
  Json all = Json::array(Json::Layout::lines);
  for (const report::RunState& run : states)
    all.add(Json::object()
                .set("folder", run.folder)
                .set("state", run.end.state)
                .set("detail", run.end.detail)
                .set("in_use", run.end.in_use)
                .set("steps", std::isfinite(run.steps) ? Json(Index(run.steps)) : Json()));
  return all;
}

}  // namespace

int report(const Invocation& invocation, const comm::Communicator& comm) {
  const auto output = invocation.options.find("--output");
  const std::string path =
      output == invocation.options.end() ? invocation.paths.front() + "/report.html" : output->second;
  std::size_t runs = 0;
  Json states;
  comm::agree(comm, [&] {
    if (comm.rank() != 0) return;
    store::require_replaceable(path, "<!DOCTYPE html>", "HTML page");
    if (output != invocation.options.end()) store::make_output_folder_of(path, "--output");
    const report::Page page = report::make_page(invocation.paths, path);
    for (const std::string& warning : page.warnings) log_warning(warning);
    store::replace_proven(path, page.html);
    runs = page.runs;
    states = states_json(page.states);
  });
  log_info(path + ": " + counted(Index(runs), "run"));
  if (invocation.json) print(comm, Json::object().set("page", path).set("runs", runs).set("states", states));
  return 0;
}

}  // namespace tesserec::app
