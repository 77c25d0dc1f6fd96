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

TEST_CASE("Service: ids without a row in a growing table are counted, those that samples share once") {
  FollowedRun run("serve_without_row", [](const Folder& folder) { return growing_deck(folder, 20); });
  scoring::RunFollower follower(run.exec(), run.path(), {});
  serve::Service service(follower, {});
  const auto infer = [&](const std::string& c1) {
    const std::string items = list(std::vector<int>(300, 7).data(), 300);
    const std::string body = request_of({input("dense", "FP32", "1, 3", "1, 2, 3"), c1,
                                         input("C2", "INT64", "300", items), input("C3", "INT64", "1", "0")},
                                        R"(, "parameters": {"items_of_one_user": true})");
    const serve::HttpReply reply =
        service.answer({.method = "POST", .path = "/v2/models/model/infer", .read_body = reader_of(body)});
    INFO(reply.body);
    REQUIRE(reply.status == 200);
    return service.answer({.method = "GET", .path = "/metrics"}).body;
  };
  const std::string none = "-123456789012345";  // an id that the run never draws
  const std::string metrics = infer(input("C1", "INT64", "1, 3", none + ", 0, " + none));
  INFO(metrics);
  CHECK(mentions(metrics, "tesserec_ids_without_row_total{feature=\"C1\"} 2\n"));
  CHECK(mentions(metrics, "tesserec_ids_without_row_total{feature=\"C2\"} 300\n"));
  CHECK(mentions(metrics, "tesserec_ids_without_row_total{feature=\"C3\"} 0\n"));
  CHECK(mentions(infer(input("C1", "INT64", "1", none)), "tesserec_ids_without_row_total{feature=\"C1\"} 3\n"));
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
