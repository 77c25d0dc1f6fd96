// SPDX-License-Identifier: Apache-2.0
// Service of a run whose tables grow: requests while ids are admitted and evicted, and the proof of their scores.
#include "scoring/growing_deck.hpp"
#include "served_run.hpp"
#include <tesserec/serve/replay.hpp>

using namespace tesserec;

TEST_CASE("Service: while deltas admit and evict ids each request is scored with one whole state") {
  FollowedRun run("serve_follow_growing", [](const Folder& folder) { return growing_deck(folder, 20); });
  serve_while_deltas_come(run);
}

TEST_CASE("replay: logged scores of tables that grow are proven") {
  FollowedRun run("replay_growing", [](const Folder& folder) { return growing_deck(folder, 20); });
  const std::string log = run.path() + "/scores.jsonl";
  log_scores(run, {.log = log}, {}, 4, 2);
  const serve::Replayed result = serve::replay_scores(run.exec(), log, run.path());
  CHECK(result.proven());
  CHECK(result.scores == 24);
  CHECK(result.states == 4);
}
