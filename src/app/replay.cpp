// SPDX-License-Identifier: Apache-2.0
// Command `tesserec replay`: scores logged requests again and names the first score that differs.
#include <string>

#include "command.hpp"
#include "replay_step.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/serve/replay.hpp>

namespace tesserec::app {
namespace {

constexpr int not_proven = 1;  // exit code, as that of the command diff

}  // namespace

int replay(const Invocation& invocation, const comm::Communicator& comm) {
  if (invocation.has("--step") == invocation.has("--log"))
    fail("name either --log, the log of scores that `tesserec serve --log FILE` wrote, or --step, a step of the run");
  if (invocation.has("--step")) return replay_step(invocation, comm);
  if (invocation.has("--to")) fail("--to is for --step alone; leave it out");
  require_one_rank(invocation, comm);
  const serve::Replayed result = serve::replay_scores(Exec(), invocation.options.at("--log"), invocation.deck);
  if (invocation.json) {
    Json json = Json::object()
                    .set("requests", result.requests)
                    .set("scores", result.scores)
                    .set("states", result.states)
                    .set("differ", result.differ)
                    .set("missing", result.missing)
                    .set("cut_lines", result.cut_lines);
    if (!result.first.empty()) json.set("first", result.first);
    print(comm, json.set("missing_states", result.missing_states));
  }
  if (result.requests == 0)
    log_warning(invocation.options.at("--log") + ": the log has no scored request, so nothing is proven");
  for (const std::string& state : result.missing_states)
    log_info(concat("there is neither checkpoint nor delta of ", state));
  if (!result.first.empty()) log_info(result.first);
  if (result.cut_lines > 0) log_info("the last line has no end, because the server was killed; it is left out");
  log_info(concat(counted(result.scores, "score"), " of ", counted(result.requests, "request"), ", ",
                  counted(result.states, "state"), ": ", result.differ, " differ, ", result.missing,
                  " cannot be scored again"));
  return result.proven() ? 0 : not_proven;
}

}  // namespace tesserec::app
