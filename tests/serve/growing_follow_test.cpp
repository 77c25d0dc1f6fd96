// SPDX-License-Identifier: Apache-2.0
// Service of a run whose tables grow: requests while ids are admitted and evicted, and the proof of their scores.
#include <utility>

#include "scoring/growing_deck.hpp"
#include "served_run.hpp"
#include <tesserec/core/file.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/serve/replay.hpp>

using namespace tesserec;

TEST_CASE("Service: while deltas admit and evict ids each request is scored with one whole state") {
  FollowedRun run("serve_follow_growing", [](const Folder& folder) { return growing_deck(folder, 20); });
  serve_while_deltas_come(run);
}

TEST_CASE("replay: logged scores of tables that grow are proven, in each format that --rows int2 gives") {
  for (const auto& [dim, format] : {std::pair{8, "int2"}, {12, "int4"}, {6, "int8"}}) {
    INFO(format);
    FollowedRun run("replay_growing", [&](const Folder& folder) { return growing_deck(folder, 20, 1, dim); });
    const std::string log = run.path() + "/scores.jsonl";
    log_scores(run, {.log = log}, scoring::ServedFormat::int2, 4, 2);
    CHECK(read_file(log).find(concat('"', format, '"')) != std::string::npos);
    const serve::Replayed result = serve::replay_scores(run.exec(), log, run.path());
    CHECK(result.proven());
    CHECK(result.scores == 24);
    CHECK(result.states == 4);
  }
  FollowedRun run("replay_growing", [](const Folder& folder) { return growing_deck(folder, 20); });
  const std::string log = run.path() + "/scores.jsonl";
  log_scores(run, {.log = log}, {}, 4, 2);
  CHECK(serve::replay_scores(run.exec(), log, run.path()).proven());
}
